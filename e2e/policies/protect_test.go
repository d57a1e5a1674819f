package policies_test

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/e2e/cluster"
	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
)

const protection = `-- .rollstamp.yaml --
protect:
  serviceAccounts: [argocd/engine]
  objects:
  - match: {kind: Secret, namespace: platform, name: blogsecret}
    users: [alice]
  - match: {kind: ConfigMap, name: "keep-*", labels: "tier=gold,!open,rank>3"}
    against: [delete]
    groups: [admins]
  - match: {kind: ConfigMap, namespace: platform, name: routes}
    against: [empty]
  - match: {kind: Deployment, name: web}
    against: [delete]
  - match: {namespace: vault}
    against: [change]
`

const (
	secrets    = "/api/v1/namespaces/platform/secrets/"
	configs    = "/api/v1/namespaces/platform/configmaps/"
	configsOf  = "/api/v1/namespaces/%s/configmaps/"
	deployment = "/apis/apps/v1/namespaces/platform/deployments/web"

	engine = "system:serviceaccount:argocd:engine"
)

// api speaks to the API server as somebody.
type api struct {
	url, token string
	client     *http.Client
}

func apiOf(t *testing.T, c *cluster.Cluster) api {
	t.Helper()
	text, err := os.ReadFile(c.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Clusters []struct{ Cluster struct{ Server string } }
		Users    []struct{ User struct{ Token string } }
	}
	if err := json.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // a test
	return api{config.Clusters[0].Cluster.Server, config.Users[0].User.Token, &http.Client{Transport: transport}}
}

// do makes a request as a user, who may be a member of a group: "alice" or "bob of admins". It returns the message of
// a refusal.
func (a api) do(t *testing.T, as, method, path, body string) (code int, message string) {
	t.Helper()
	request, err := http.NewRequest(method, a.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+a.token)
	request.Header.Set("Content-Type", "application/merge-patch+json")
	user, group, _ := strings.Cut(as, " of ")
	request.Header.Set("Impersonate-User", user)
	if group != "" {
		request.Header.Set("Impersonate-Group", group)
	}
	response, err := a.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var status struct{ Message string }
	_ = json.Unmarshal(text, &status)
	return response.StatusCode, status.Message
}

func TestTheAPIServerRefusesWhatIsProtected(t *testing.T) {
	dir := folder.New(t, protection)
	printed := exec.Command(process.Rollstamp(t), "protect", dir)
	var stderr bytes.Buffer
	printed.Stderr = &stderr
	policy, err := printed.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	c := cluster.Start(t)
	a := apiOf(t, c)
	for _, name := range []string{"platform", "vault"} {
		c.Apply(t, "/api/v1/namespaces", `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "`+name+`"}}`)
	}
	large := strings.Repeat("x", 900_000)
	for path, object := range map[string]string{
		secrets: `{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "blogsecret"}, "data": {"password": "b2xk"}, "stringData": {"large": "` + large + `"}}`,
		configs: `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "routes"}, "data": {"a": "1", "b": ""}}`,
		"/apis/apps/v1/namespaces/platform/deployments/": `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": 0,
			"selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}}`,
		fmt.Sprintf(configsOf, "vault"): `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "any"}, "data": {"a": "1"}}`,
	} {
		c.Apply(t, strings.TrimSuffix(path, "/"), object)
	}
	for name, labels := range map[string]string{
		"keep-1": `"tier": "gold", "rank": "4"`, "keep-2": `"tier": "gold", "rank": "4", "open": "yes"`,
		"keep-3": `"tier": "gold", "rank": "3"`, "other": `"tier": "gold", "rank": "4"`,
	} {
		c.Apply(t, strings.TrimSuffix(configs, "/"), `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "`+name+`", "labels": {`+labels+`}}}`)
	}
	for document := range strings.SplitSeq(string(policy), "\n---\n") {
		var head struct{ Kind string }
		if err := yaml.Unmarshal([]byte(document), &head); err != nil {
			t.Fatal(err)
		}
		collection := map[string]string{
			"ValidatingAdmissionPolicy": "validatingadmissionpolicies", "ValidatingAdmissionPolicyBinding": "validatingadmissionpolicybindings",
		}[head.Kind]
		c.Apply(t, "/apis/admissionregistration.k8s.io/v1/"+collection, document)
	}
	c.API.Until(t, "the policy is in force", func() bool {
		code, _ := a.do(t, "mallory", http.MethodDelete, secrets+"blogsecret?dryRun=All", "")
		return code == http.StatusForbidden
	})
	const dry = "?dryRun=All"
	value := `{"data": {"password": "bmV3"}}`
	for _, one := range []struct {
		as, method, path, body string
		refused                bool
	}{
		{"mallory", http.MethodDelete, secrets + "blogsecret" + dry, "", true},
		{"mallory", http.MethodPatch, secrets + "blogsecret" + dry, value, true},
		{"mallory", http.MethodPatch, secrets + "blogsecret" + dry, `{"data": null}`, true},
		{"mallory", http.MethodPatch, secrets + "blogsecret" + dry, `{"metadata": {"annotations": {"a": "b"}}}`, false},
		{"mallory", http.MethodPatch, secrets + "blogsecret" + dry, `{"immutable": true}`, true},
		{"alice", http.MethodPatch, secrets + "blogsecret" + dry, value, false},
		{"alice", http.MethodDelete, secrets + "blogsecret" + dry, "", false},
		{engine, http.MethodDelete, secrets + "blogsecret" + dry, "", false},
		{engine + "x", http.MethodDelete, secrets + "blogsecret" + dry, "", true},
		{"bob of admins", http.MethodDelete, secrets + "blogsecret" + dry, "", true},

		{"mallory", http.MethodDelete, configs + "keep-1" + dry, "", true},
		{"mallory", http.MethodPatch, configs + "keep-1" + dry, `{"data": {"a": "b"}}`, false},
		{"mallory", http.MethodPatch, configs + "keep-1" + dry, `{"metadata": {"labels": {"tier": null}}}`, true},
		{"mallory", http.MethodPatch, configs + "keep-1" + dry, `{"metadata": {"labels": {"open": "yes"}}}`, true},
		{"bob of admins", http.MethodDelete, configs + "keep-1" + dry, "", false},
		{"bob of others", http.MethodDelete, configs + "keep-1" + dry, "", true},
		{"alice", http.MethodDelete, configs + "keep-1" + dry, "", true},
		{"mallory", http.MethodDelete, configs + "keep-2" + dry, "", false},
		{"mallory", http.MethodDelete, configs + "keep-3" + dry, "", false},
		{"mallory", http.MethodDelete, configs + "other" + dry, "", false},

		{"mallory", http.MethodPatch, configs + "routes" + dry, `{"data": {"a": "2"}}`, false},
		{"mallory", http.MethodPatch, configs + "routes" + dry, `{"data": {"a": ""}}`, true},
		{"mallory", http.MethodPatch, configs + "routes" + dry, `{"data": null}`, true},
		{"mallory", http.MethodPatch, configs + "routes" + dry, `{"data": null, "binaryData": {"c": "eA=="}}`, false},
		{"mallory", http.MethodDelete, configs + "routes" + dry, "", false},

		{"mallory", http.MethodDelete, deployment + dry, "", true},
		{"mallory", http.MethodPatch, deployment + dry, `{"spec": {"replicas": 2}}`, false},
		{"mallory", http.MethodPatch, deployment + "/scale" + dry, `{"spec": {"replicas": 2}}`, false},

		{"mallory", http.MethodPatch, fmt.Sprintf(configsOf, "vault") + "any" + dry, `{"data": {"a": "2"}}`, true},
		{"mallory", http.MethodDelete, fmt.Sprintf(configsOf, "vault") + "any" + dry, "", false},
		{engine, http.MethodPatch, fmt.Sprintf(configsOf, "vault") + "any" + dry, `{"data": {"a": "2"}}`, false},
	} {
		code, message := a.do(t, one.as, one.method, one.path, one.body)
		switch {
		case one.refused && (code != http.StatusForbidden || !strings.Contains(message, "it is protected")) &&
			!strings.Contains(message, "the labels stay"):
			t.Errorf("%s %s as %s is not refused: %d %.300s\n%s", one.method, one.path, one.as, code, message, one.body)
		case !one.refused && code != http.StatusOK:
			t.Errorf("%s %s as %s: %d %.300s\n%s", one.method, one.path, one.as, code, message, one.body)
		}
	}
}
