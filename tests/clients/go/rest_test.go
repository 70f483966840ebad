package clients

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// request is a REST call of a client of the platform and what has to come back: the status, and a part of the body.
type request struct {
	method, path, body string
	status             int
	part               string
}

// One life of ACLs, roles and properties, as the calls of each REST API see it.
var requests = []request{
	// The Data Plane API, in both spellings, and with the numbers of enumerations.
	{"POST", "/v1/roles", `{"name":"rest"}`, 201, `{"role":{"name":"rest"}}`},
	{"PUT", "/v1/roles/rest", `{"add":[{"principal":"Group:/eng"},{"principal":"User:maya.okafor"}]}`, 200, `"added":[`},
	{"GET", "/v1/roles?filter.name_prefix=re&pageSize=1", "", 200, `"roles":[{"name":"rest"}]`},
	{"GET", "/v1/roles/rest", "", 200, `{"principal":"Group:/eng"}`},
	{"GET", "/v1/roles/rest/members?filter.nameContains=eng", "", 200, `"members":[{"principal":"Group:/eng"}]`},
	{"GET", "/v1/roles?page_token=a,b", "", 400, `page_token`},
	{"POST", "/v1/acls", `{"resourceType":2,"resource_name":"rest","resource_pattern_type":"RESOURCE_PATTERN_TYPE_LITERAL",` +
		`"principal":"RedpandaRole:rest","host":"*","operation":3,"permissionType":"PERMISSION_TYPE_ALLOW"}`, 201, ""},
	{"GET", "/v1/acls?filter.resource_name=rest", "", 200, `"principal":"RedpandaRole:rest"`},
	{"DELETE", "/v1/acls?filter.resource_name=rest", "", 400, `"code":"INVALID_ARGUMENT"`},
	{"DELETE", "/v1/acls?filter.resourceType=2&filter.resource_name=rest&filter.resource_pattern_type=3" +
		"&filter.operation=1&filter.permission_type=1", "", 200, `"matching_acls":[{`},
	{"GET", "/v1/roles/none", "", 404, `"code":"NOT_FOUND"`},
	{"GET", "/v1/users", "", 404, "identity provider"},

	// The Admin API v1.
	{"GET", "/v1/brokers", "", 200, `"node_id":0`},
	{"GET", "/v1/brokers/0", "", 200, `"version":"GBAC`},
	{"GET", "/v1/features/license", "", 200, `"loaded":true`},
	{"GET", "/v1/features/enterprise", "", 200, `"license_status":"valid"`},
	{"GET", "/v1/security/roles?filter=re", "", 200, `[{"name":"rest"}]`},
	{"GET", "/v1/security/roles?principal=x&principal_type=Group", "", 400, `"code":40001`},
	{"POST", "/v1/security/roles", `{"role":"rest"}`, 409, `"code":40901`},
	{"POST", "/v1/security/roles", `{"role":"a,b"}`, 400, `"code":40002`},
	{"GET", "/v1/security/roles/rest", "", 200, `{"name":"/eng","principal_type":"Group"}`},
	{"GET", "/v1/security/roles/rest/members", "", 200, `"members":[`},
	{"POST", "/v1/security/roles/rest/members", `{"add":[{"name":"x","principal_type":"Group"}]}`, 400, `"code":40001`},
	{"POST", "/v1/security/roles/rest/members", `{"remove":[{"name":"maya.okafor","principal_type":"User"}]}`, 200,
		`"removed":[{"name":"maya.okafor","principal_type":"User"}]`},
	{"GET", "/v1/security/users/roles", "", 200, `{"roles":[`},
	{"GET", "/v1/security/roles/none", "", 404, `{"message":"Role not found`},
	{"POST", "/v1/security/oidc/revoke", "", 200, ""},
	{"POST", "/v1/security/users", `{"username":"a","password":"b","algorithm":"SCRAM-SHA-256"}`, 404, "identity provider"},
	{"DELETE", "/v1/security/roles/rest?delete_acls=true", "", 204, ""},
	{"DELETE", "/v1/security/roles/rest", "", 204, ""},

	// Cluster properties, as the platform's command line sends them.
	{"GET", "/v1/cluster_config/schema", "", 200, `"oidc_group_claim_path"`},
	{"PUT", "/v1/cluster_config", `{"upsert":{"oidc_clock_skew_tolerance":"30","audit_enabled":"false"},"remove":[]}`, 200,
		`"config_version"`},
	{"GET", "/v1/cluster_config", "", 200, `"oidc_clock_skew_tolerance":30`},
	{"PUT", "/v1/cluster_config", `{"upsert":{},"remove":["oidc_clock_skew_tolerance"]}`, 200, ""},
	{"PUT", "/v1/cluster_config", `{"upsert":{"no_such_property":"1"},"remove":[]}`, 400, "no_such_property"},

	// The ACLs of the Schema Registry.
	{"POST", "/security/acls", `[{"principal":"Group:/eng","resource":"rest-","resource_type":"SUBJECT",` +
		`"pattern_type":"PREFIXED","host":"*","operation":"READ","permission":"ALLOW"}]`, 201, ""},
	{"GET", "/security/acls?resource=rest-", "", 200, `"principal":"Group:/eng"`},
	{"DELETE", "/security/acls", `[{"resource":"rest-"}]`, 200, `"resource":"rest-"`},
	{"DELETE", "/security/acls", `[]`, 200, `[]`},
}

// Every REST call over every transport.
func TestREST(t *testing.T) {
	for _, transport := range transports() {
		t.Run(transport.name, func(t *testing.T) {
			admin := transport.client(t, transport.service.admin)
			for _, request := range requests {
				t.Run(request.method+" "+request.path, func(t *testing.T) {
					request.send(t, admin, transport.service.origin)
				})
			}
			user := transport.client(t, transport.service.user)
			whoami := request{"GET", "/v1/security/oidc/whoami", "", 200, `"id":"maya.okafor"`}
			whoami.send(t, user, transport.service.origin)
		})
	}
}

func (r request) send(t *testing.T, by *http.Client, origin string) {
	t.Helper()
	sent, err := http.NewRequestWithContext(deadline(t), r.method, origin+r.path, strings.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	if r.body != "" {
		sent.Header.Set("Content-Type", "application/json")
	}
	response, err := by.Do(sent)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != r.status || !strings.Contains(string(body), r.part) {
		t.Fatalf("%s %s: expected %d with %s: %d %s", r.method, r.path, r.status, r.part, response.StatusCode, body)
	}
	if len(body) > 0 && !json.Valid(body) {
		t.Fatalf("%s %s: not JSON: %s", r.method, r.path, body)
	}
}
