package clients

import (
	"context"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	consolev1alpha1 "gbac.test/clients/gen/redpanda/api/console/v1alpha1"
	dataplanev1 "gbac.test/clients/gen/redpanda/api/dataplane/v1"
	adminv2 "gbac.test/clients/gen/redpanda/core/admin/v2"
)

// Every method in every encoding over every transport that can carry it.
func TestMethods(t *testing.T) {
	for _, transport := range transports() {
		for _, encoding := range encodings() {
			if !encoding.http1 && !transport.http2 {
				continue
			}
			t.Run(transport.name+"/"+encoding.name, func(t *testing.T) {
				admin := encoding.open(t, transport, transport.service.admin)
				user := encoding.open(t, transport, transport.service.user)
				nobody := encoding.open(t, transport, "")
				t.Run("ACLService", func(t *testing.T) { useACLs(t, admin) })
				t.Run("SecurityService of the Data Plane", func(t *testing.T) { useRoles(t, admin) })
				t.Run("SecurityService of the console", func(t *testing.T) { useRoles(t, unwrapped(admin)) })
				t.Run("SecurityService of the Admin API", func(t *testing.T) { useAdmin(t, admin, user) })
				t.Run("errors", func(t *testing.T) { useErrors(t, admin, user, nobody) })
			})
		}
	}
}

// call calls a method that has to succeed.
func call[Request, Response any](t *testing.T, of method[Request, Response], message *Request) *Response {
	t.Helper()
	response, err := of(deadline(t), message)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// refused calls a method that has to fail with this code.
func refused[Request, Response any](
	t *testing.T, code connect.Code, of method[Request, Response], message *Request,
) *connect.Error {
	t.Helper()
	_, err := of(deadline(t), message)
	return withCode(t, code, err)
}

func withCode(t *testing.T, code connect.Code, err error) *connect.Error {
	t.Helper()
	if err == nil || connect.CodeOf(err) != code {
		t.Fatalf("expected %v: %v", code, err)
	}
	problem, isConnect := err.(*connect.Error)
	if !isConnect || problem.Message() == "" {
		t.Fatalf("the error has no message: %#v", err)
	}
	return problem
}

func equal[T comparable](t *testing.T, actual, expected T) {
	t.Helper()
	if actual != expected {
		t.Fatalf("expected %v, not %v", expected, actual)
	}
}

func useACLs(t *testing.T, by *clients) {
	acl := &dataplanev1.CreateACLRequest{
		ResourceType:        dataplanev1.ResourceType_RESOURCE_TYPE_TOPIC,
		ResourceName:        "clients-orders",
		ResourcePatternType: dataplanev1.ResourcePatternType_RESOURCE_PATTERN_TYPE_PREFIXED,
		Principal:           "Group:/clients",
		Host:                "*",
		Operation:           dataplanev1.Operation_OPERATION_DESCRIBE_CONFIGS,
		PermissionType:      dataplanev1.PermissionType_PERMISSION_TYPE_DENY,
	}
	call(t, by.createACL, acl)
	name := acl.ResourceName
	listed := call(t, by.listACLs, &dataplanev1.ListACLsRequest{Filter: &dataplanev1.Filter{ResourceName: &name}})
	equal(t, len(listed.Resources), 1)
	resource := listed.Resources[0]
	equal(t, resource.ResourceType, acl.ResourceType)
	equal(t, resource.ResourceName, acl.ResourceName)
	equal(t, resource.ResourcePatternType, acl.ResourcePatternType)
	equal(t, len(resource.Acls), 1)
	equal(t, resource.Acls[0].Principal, acl.Principal)
	equal(t, resource.Acls[0].Host, acl.Host)
	equal(t, resource.Acls[0].Operation, acl.Operation)
	equal(t, resource.Acls[0].PermissionType, acl.PermissionType)
	if all := call(t, by.listACLs, &dataplanev1.ListACLsRequest{}); len(all.Resources) == 0 {
		t.Fatal("no filter matches everything")
	}
	// An unset enumeration of a filter that deletes matches nothing.
	refused(t, connect.CodeInvalidArgument, by.deleteACLs, &dataplanev1.DeleteACLsRequest{
		Filter: &dataplanev1.Filter{ResourceName: &name},
	})
	deleted := call(t, by.deleteACLs, &dataplanev1.DeleteACLsRequest{Filter: &dataplanev1.Filter{
		ResourceType:        dataplanev1.ResourceType_RESOURCE_TYPE_ANY,
		ResourceName:        &name,
		ResourcePatternType: dataplanev1.ResourcePatternType_RESOURCE_PATTERN_TYPE_ANY,
		Operation:           dataplanev1.Operation_OPERATION_ANY,
		PermissionType:      dataplanev1.PermissionType_PERMISSION_TYPE_ANY,
	}})
	equal(t, len(deleted.MatchingAcls), 1)
	equal(t, deleted.MatchingAcls[0].Principal, acl.Principal)
	equal(t, deleted.MatchingAcls[0].Operation, acl.Operation)
}

func useRoles(t *testing.T, by *clients) {
	const role = "clients a/b"
	created := call(t, by.createRole, &dataplanev1.CreateRoleRequest{Role: &dataplanev1.Role{Name: role}})
	equal(t, created.Role.Name, role)
	// Again, which changes nothing as long as the role has no members.
	call(t, by.createRole, &dataplanev1.CreateRoleRequest{Role: created.Role})
	updated := call(t, by.updateMembers, &dataplanev1.UpdateRoleMembershipRequest{
		RoleName: role,
		Add: []*dataplanev1.RoleMembership{
			{Principal: "User:a"}, {Principal: "Group:/b"}, {Principal: "Group:/c"},
		},
	})
	equal(t, updated.RoleName, role)
	equal(t, len(updated.Added), 3)
	refused(t, connect.CodeAlreadyExists, by.createRole, &dataplanev1.CreateRoleRequest{Role: created.Role})
	updated = call(t, by.updateMembers, &dataplanev1.UpdateRoleMembershipRequest{
		RoleName: role, Remove: []*dataplanev1.RoleMembership{{Principal: "Group:/c"}},
	})
	equal(t, len(updated.Removed), 1)
	made := call(t, by.updateMembers, &dataplanev1.UpdateRoleMembershipRequest{
		RoleName: role + " 2", Create: true, Add: []*dataplanev1.RoleMembership{{Principal: "User:a"}},
	})
	equal(t, made.RoleName, role+" 2")

	found := call(t, by.getRole, &dataplanev1.GetRoleRequest{RoleName: role})
	equal(t, found.Role.Name, role)
	equal(t, len(found.Members), 2)
	// One page for each role: the token of a page leads to the next one.
	filter := &dataplanev1.ListRolesRequest_Filter{NamePrefix: "clients"}
	var names []string
	for token := ""; ; {
		page := call(t, by.listRoles, &dataplanev1.ListRolesRequest{Filter: filter, PageSize: 1, PageToken: token})
		for _, role := range page.Roles {
			names = append(names, role.Name)
		}
		if token = page.NextPageToken; token == "" {
			break
		}
	}
	equal(t, strings.Join(names, ", "), role+", "+role+" 2")
	refused(t, connect.CodeInvalidArgument, by.listRoles, &dataplanev1.ListRolesRequest{PageToken: "a,b"})
	members := call(t, by.listRoleMembers, &dataplanev1.ListRoleMembersRequest{
		RoleName: role, Filter: &dataplanev1.ListRoleMembersRequest_Filter{NameContains: "b"},
	})
	equal(t, len(members.Members), 1)
	equal(t, members.Members[0].Principal, "Group:/b")
	for _, name := range names {
		call(t, by.deleteRole, &dataplanev1.DeleteRoleRequest{RoleName: name, DeleteAcls: true})
	}
	problem := refused(t, connect.CodeNotFound, by.getRole, &dataplanev1.GetRoleRequest{RoleName: role})
	equal(t, reason(t, problem), "REASON_RESOURCE_NOT_FOUND")
}

// unwrapped has the methods of the console's service in place of those of the Data Plane.
func unwrapped(by *clients) *clients {
	w := by.wrapped
	return &clients{
		listRoles: func(ctx context.Context, in *dataplanev1.ListRolesRequest) (*dataplanev1.ListRolesResponse, error) {
			out, err := w.listRoles(ctx, &consolev1alpha1.ListRolesRequest{Request: in})
			return out.GetResponse(), err
		},
		createRole: func(ctx context.Context, in *dataplanev1.CreateRoleRequest) (*dataplanev1.CreateRoleResponse, error) {
			out, err := w.createRole(ctx, &consolev1alpha1.CreateRoleRequest{Request: in})
			return out.GetResponse(), err
		},
		getRole: func(ctx context.Context, in *dataplanev1.GetRoleRequest) (*dataplanev1.GetRoleResponse, error) {
			out, err := w.getRole(ctx, &consolev1alpha1.GetRoleRequest{Request: in})
			return out.GetResponse(), err
		},
		deleteRole: func(ctx context.Context, in *dataplanev1.DeleteRoleRequest) (*dataplanev1.DeleteRoleResponse, error) {
			out, err := w.deleteRole(ctx, &consolev1alpha1.DeleteRoleRequest{Request: in})
			return out.GetResponse(), err
		},
		listRoleMembers: func(
			ctx context.Context, in *dataplanev1.ListRoleMembersRequest,
		) (*dataplanev1.ListRoleMembersResponse, error) {
			out, err := w.listRoleMembers(ctx, &consolev1alpha1.ListRoleMembersRequest{Request: in})
			return out.GetResponse(), err
		},
		updateMembers: func(
			ctx context.Context, in *dataplanev1.UpdateRoleMembershipRequest,
		) (*dataplanev1.UpdateRoleMembershipResponse, error) {
			out, err := w.updateMembers(ctx, &consolev1alpha1.UpdateRoleMembershipRequest{Request: in})
			return out.GetResponse(), err
		},
	}
}

func useAdmin(t *testing.T, by, user *clients) {
	const role = "clients-v2"
	a := by.admin
	group := &adminv2.RoleMember{Member: &adminv2.RoleMember_Group{Group: &adminv2.RoleGroup{Name: "/eng é"}}}
	maya := &adminv2.RoleMember{Member: &adminv2.RoleMember_User{User: &adminv2.RoleUser{Name: "maya.okafor"}}}
	created := call(t, a.createRole, &adminv2.CreateRoleRequest{
		Role: &adminv2.Role{Name: role, Members: []*adminv2.RoleMember{group}},
	})
	equal(t, created.Role.Name, role)
	equal(t, created.Role.Members[0].GetGroup().GetName(), "/eng é")
	refused(t, connect.CodeAlreadyExists, a.createRole, &adminv2.CreateRoleRequest{Role: &adminv2.Role{Name: role}})
	added := call(t, a.addMembers, &adminv2.AddRoleMembersRequest{RoleName: role, Members: []*adminv2.RoleMember{maya}})
	equal(t, len(added.Role.Members), 2)
	equal(t, len(call(t, a.getRole, &adminv2.GetRoleRequest{Name: role}).Role.Members), 2)
	count := 0
	for _, listed := range call(t, a.listRoles, &adminv2.ListRolesRequest{}).Roles {
		if listed.Name == role {
			count += len(listed.Members)
		}
	}
	equal(t, count, 2)
	own := call(t, user.admin.listOwnRoles, &adminv2.ListCurrentUserRolesRequest{})
	equal(t, strings.Join(own.Roles, ", "), role)
	identity := call(t, user.admin.resolve, &adminv2.ResolveOidcIdentityRequest{})
	equal(t, identity.Principal, "maya.okafor")
	equal(t, strings.Join(identity.Groups, ", "), "engineering, analytics")
	if identity.Expire.AsTime().Before(time.Now()) {
		t.Fatalf("the token has expired at %v", identity.Expire.AsTime())
	}
	removed := call(t, a.removeMembers, &adminv2.RemoveRoleMembersRequest{
		RoleName: role, Members: []*adminv2.RoleMember{group},
	})
	equal(t, removed.Role.Members[0].GetUser().GetName(), "maya.okafor")
	call(t, a.refreshKeys, &adminv2.RefreshOidcKeysRequest{})
	call(t, a.revoke, &adminv2.RevokeOidcSessionsRequest{})
	call(t, a.deleteRole, &adminv2.DeleteRoleRequest{Name: role, DeleteAcls: true})
	refused(t, connect.CodeNotFound, a.getRole, &adminv2.GetRoleRequest{Name: role})
	// The name of the service in the specification.
	if err := by.invoke(deadline(t), "/service.core.admin.v2.SecurityService/ListRoles"); err != nil {
		t.Fatal(err)
	}
}

func useErrors(t *testing.T, admin, user, nobody *clients) {
	invalid := refused(t, connect.CodeInvalidArgument, admin.createACL, &dataplanev1.CreateACLRequest{Principal: "x"})
	equal(t, reason(t, invalid), "REASON_INVALID_INPUT")
	fields := map[string]bool{}
	for _, detail := range invalid.Details() {
		if message, err := detail.Value(); err == nil {
			if request, isRequest := message.(*errdetails.BadRequest); isRequest {
				for _, violation := range request.FieldViolations {
					fields[violation.Field] = true
				}
			}
		}
	}
	if !fields["principal"] || !fields["resource_type"] {
		t.Fatalf("the invalid fields are missing: %v", fields)
	}
	role := &dataplanev1.CreateRoleRequest{Role: &dataplanev1.Role{Name: "mine"}}
	refused(t, connect.CodePermissionDenied, user.createRole, role)
	refused(t, connect.CodeUnauthenticated, nobody.createRole, role)
	refused(t, connect.CodeUnauthenticated, nobody.admin.resolve, &adminv2.ResolveOidcIdentityRequest{})
	refused(t, connect.CodeInvalidArgument, admin.admin.createRole, &adminv2.CreateRoleRequest{})
	for path, text := range map[string]string{
		"/redpanda.core.admin.v2.SecurityService/CreateScramCredential": "CreateScramCredential",
		"/redpanda.core.admin.v2.BrokerService/ListBrokers":             "not a broker",
		"/redpanda.core.admin.v2.BrokerService/GetBroker":               "not a broker",
		"/redpanda.api.dataplane.v1.UserService/CreateUser":             "identity provider",
	} {
		problem := withCode(t, connect.CodeUnimplemented, admin.invoke(deadline(t), path))
		if !strings.Contains(problem.Message(), text) {
			t.Fatalf("%s: %s", path, problem.Message())
		}
	}
}

// reason returns the reason that the details of an error state.
func reason(t *testing.T, problem *connect.Error) string {
	t.Helper()
	for _, detail := range problem.Details() {
		if message, err := detail.Value(); err == nil {
			if info, isInfo := message.(*errdetails.ErrorInfo); isInfo {
				return info.Reason
			}
		}
	}
	t.Fatalf("the error has no reason: %v", problem)
	return ""
}
