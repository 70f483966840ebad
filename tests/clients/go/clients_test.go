package clients

import (
	"context"
	"crypto/tls"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	consolev1alpha1 "gbac.test/clients/gen/redpanda/api/console/v1alpha1"
	"gbac.test/clients/gen/redpanda/api/console/v1alpha1/consolev1alpha1connect"
	dataplanev1 "gbac.test/clients/gen/redpanda/api/dataplane/v1"
	"gbac.test/clients/gen/redpanda/api/dataplane/v1/dataplanev1connect"
	adminv2 "gbac.test/clients/gen/redpanda/core/admin/v2"
	"gbac.test/clients/gen/redpanda/core/admin/v2/adminv2connect"
)

// clients has every method of the service, through generated clients of one maker in one encoding.
type clients struct {
	listACLs   method[dataplanev1.ListACLsRequest, dataplanev1.ListACLsResponse]
	createACL  method[dataplanev1.CreateACLRequest, dataplanev1.CreateACLResponse]
	deleteACLs method[dataplanev1.DeleteACLsRequest, dataplanev1.DeleteACLsResponse]

	listRoles       method[dataplanev1.ListRolesRequest, dataplanev1.ListRolesResponse]
	createRole      method[dataplanev1.CreateRoleRequest, dataplanev1.CreateRoleResponse]
	getRole         method[dataplanev1.GetRoleRequest, dataplanev1.GetRoleResponse]
	deleteRole      method[dataplanev1.DeleteRoleRequest, dataplanev1.DeleteRoleResponse]
	listRoleMembers method[dataplanev1.ListRoleMembersRequest, dataplanev1.ListRoleMembersResponse]
	updateMembers   method[dataplanev1.UpdateRoleMembershipRequest, dataplanev1.UpdateRoleMembershipResponse]

	wrapped struct {
		listRoles       method[consolev1alpha1.ListRolesRequest, consolev1alpha1.ListRolesResponse]
		createRole      method[consolev1alpha1.CreateRoleRequest, consolev1alpha1.CreateRoleResponse]
		getRole         method[consolev1alpha1.GetRoleRequest, consolev1alpha1.GetRoleResponse]
		deleteRole      method[consolev1alpha1.DeleteRoleRequest, consolev1alpha1.DeleteRoleResponse]
		listRoleMembers method[consolev1alpha1.ListRoleMembersRequest, consolev1alpha1.ListRoleMembersResponse]
		updateMembers   method[consolev1alpha1.UpdateRoleMembershipRequest, consolev1alpha1.UpdateRoleMembershipResponse]
	}

	admin struct {
		createRole    method[adminv2.CreateRoleRequest, adminv2.CreateRoleResponse]
		getRole       method[adminv2.GetRoleRequest, adminv2.GetRoleResponse]
		listRoles     method[adminv2.ListRolesRequest, adminv2.ListRolesResponse]
		addMembers    method[adminv2.AddRoleMembersRequest, adminv2.AddRoleMembersResponse]
		removeMembers method[adminv2.RemoveRoleMembersRequest, adminv2.RemoveRoleMembersResponse]
		deleteRole    method[adminv2.DeleteRoleRequest, adminv2.DeleteRoleResponse]
		listOwnRoles  method[adminv2.ListCurrentUserRolesRequest, adminv2.ListCurrentUserRolesResponse]
		resolve       method[adminv2.ResolveOidcIdentityRequest, adminv2.ResolveOidcIdentityResponse]
		refreshKeys   method[adminv2.RefreshOidcKeysRequest, adminv2.RefreshOidcKeysResponse]
		revoke        method[adminv2.RevokeOidcSessionsRequest, adminv2.RevokeOidcSessionsResponse]
	}

	// invoke calls a method of any service, with an empty message.
	invoke func(ctx context.Context, path string) error
}

type method[Request, Response any] func(context.Context, *Request) (*Response, error)

// encoding is one way to encode calls.
type encoding struct {
	name string
	// http1 says whether HTTP/1.1 can carry it.
	http1 bool
	open  func(t *testing.T, to transport, authorization string) *clients
}

func encodings() []encoding {
	withConnect := func(options ...connect.ClientOption) func(*testing.T, transport, string) *clients {
		return func(t *testing.T, to transport, authorization string) *clients {
			return connectClients(to.client(t, authorization), to.service.origin, options...)
		}
	}
	return []encoding{
		{"Connect in JSON", true, withConnect(connect.WithProtoJSON())},
		{"Connect in binary", true, withConnect()},
		{"gRPC by connect-go", false, withConnect(connect.WithGRPC())},
		{"gRPC in JSON", false, withConnect(connect.WithGRPC(), connect.WithProtoJSON())},
		{"gRPC-Web", true, withConnect(connect.WithGRPCWeb())},
		{"gRPC-Web in JSON", true, withConnect(connect.WithGRPCWeb(), connect.WithProtoJSON())},
		{"gRPC by grpc-go", false, grpcClients},
	}
}

func connectClients(client connect.HTTPClient, origin string, options ...connect.ClientOption) *clients {
	var c clients
	acls := dataplanev1connect.NewACLServiceClient(client, origin, options...)
	c.listACLs, c.createACL, c.deleteACLs = unary(acls.ListACLs), unary(acls.CreateACL), unary(acls.DeleteACLs)

	roles := dataplanev1connect.NewSecurityServiceClient(client, origin, options...)
	c.listRoles, c.createRole, c.getRole = unary(roles.ListRoles), unary(roles.CreateRole), unary(roles.GetRole)
	c.deleteRole, c.listRoleMembers = unary(roles.DeleteRole), unary(roles.ListRoleMembers)
	c.updateMembers = unary(roles.UpdateRoleMembership)

	wrapped := consolev1alpha1connect.NewSecurityServiceClient(client, origin, options...)
	w := &c.wrapped
	w.listRoles, w.createRole, w.getRole = unary(wrapped.ListRoles), unary(wrapped.CreateRole), unary(wrapped.GetRole)
	w.deleteRole, w.listRoleMembers = unary(wrapped.DeleteRole), unary(wrapped.ListRoleMembers)
	w.updateMembers = unary(wrapped.UpdateRoleMembership)

	admin := adminv2connect.NewSecurityServiceClient(client, origin, options...)
	a := &c.admin
	a.createRole, a.getRole, a.listRoles = unary(admin.CreateRole), unary(admin.GetRole), unary(admin.ListRoles)
	a.addMembers, a.removeMembers = unary(admin.AddRoleMembers), unary(admin.RemoveRoleMembers)
	a.deleteRole, a.listOwnRoles = unary(admin.DeleteRole), unary(admin.ListCurrentUserRoles)
	a.resolve, a.refreshKeys = unary(admin.ResolveOidcIdentity), unary(admin.RefreshOidcKeys)
	a.revoke = unary(admin.RevokeOidcSessions)

	c.invoke = func(ctx context.Context, path string) error {
		other := connect.NewClient[adminv2.ListRolesRequest, adminv2.ListRolesResponse](client, origin+path, options...)
		_, err := other.CallUnary(ctx, connect.NewRequest(&adminv2.ListRolesRequest{}))
		return err
	}
	return &c
}

// unary is a method of a client of connect-go.
func unary[Request, Response any](
	call func(context.Context, *connect.Request[Request]) (*connect.Response[Response], error),
) method[Request, Response] {
	return func(ctx context.Context, message *Request) (*Response, error) {
		response, err := call(ctx, connect.NewRequest(message))
		if err != nil {
			return nil, err
		}
		return response.Msg, nil
	}
}

func grpcClients(t *testing.T, to transport, authorization string) *clients {
	security := insecure.NewCredentials()
	scheme, address, _ := strings.Cut(to.service.origin, "://")
	if scheme == "https" {
		security = credentials.NewTLS(&tls.Config{RootCAs: to.service.pool})
	}
	authorize := func(
		ctx context.Context, name string, in, out any, connection *grpc.ClientConn, invoke grpc.UnaryInvoker,
		options ...grpc.CallOption,
	) error {
		if authorization != "" {
			ctx = metadata.AppendToOutgoingContext(ctx, "authorization", authorization)
		}
		return invoke(ctx, name, in, out, connection, options...)
	}
	connection, err := grpc.NewClient(
		"passthrough:///"+address, grpc.WithTransportCredentials(security), grpc.WithUnaryInterceptor(authorize),
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })

	var c clients
	acls := dataplanev1.NewACLServiceClient(connection)
	c.listACLs, c.createACL, c.deleteACLs = stub(acls.ListACLs), stub(acls.CreateACL), stub(acls.DeleteACLs)

	roles := dataplanev1.NewSecurityServiceClient(connection)
	c.listRoles, c.createRole, c.getRole = stub(roles.ListRoles), stub(roles.CreateRole), stub(roles.GetRole)
	c.deleteRole, c.listRoleMembers = stub(roles.DeleteRole), stub(roles.ListRoleMembers)
	c.updateMembers = stub(roles.UpdateRoleMembership)

	wrapped := consolev1alpha1.NewSecurityServiceClient(connection)
	w := &c.wrapped
	w.listRoles, w.createRole, w.getRole = stub(wrapped.ListRoles), stub(wrapped.CreateRole), stub(wrapped.GetRole)
	w.deleteRole, w.listRoleMembers = stub(wrapped.DeleteRole), stub(wrapped.ListRoleMembers)
	w.updateMembers = stub(wrapped.UpdateRoleMembership)

	admin := adminv2.NewSecurityServiceClient(connection)
	a := &c.admin
	a.createRole, a.getRole, a.listRoles = stub(admin.CreateRole), stub(admin.GetRole), stub(admin.ListRoles)
	a.addMembers, a.removeMembers = stub(admin.AddRoleMembers), stub(admin.RemoveRoleMembers)
	a.deleteRole, a.listOwnRoles = stub(admin.DeleteRole), stub(admin.ListCurrentUserRoles)
	a.resolve, a.refreshKeys = stub(admin.ResolveOidcIdentity), stub(admin.RefreshOidcKeys)
	a.revoke = stub(admin.RevokeOidcSessions)

	c.invoke = func(ctx context.Context, path string) error {
		return connectError(connection.Invoke(ctx, path, &adminv2.ListRolesRequest{}, &adminv2.ListRolesResponse{}))
	}
	return &c
}

// stub is a method of a client of grpc-go.
func stub[Request, Response any](
	call func(context.Context, *Request, ...grpc.CallOption) (*Response, error),
) method[Request, Response] {
	return func(ctx context.Context, message *Request) (*Response, error) {
		response, err := call(ctx, message)
		return response, connectError(err)
	}
}

// connectError makes an error of grpc-go one of connect-go, whose codes are the same.
func connectError(err error) error {
	if err == nil {
		return nil
	}
	from := status.Convert(err)
	to := connect.NewError(connect.Code(from.Code()), err)
	for _, any := range from.Proto().GetDetails() {
		message, err := any.UnmarshalNew()
		if err != nil {
			return err
		}
		detail, err := connect.NewErrorDetail(message)
		if err != nil {
			return err
		}
		to.AddDetail(detail)
	}
	return to
}
