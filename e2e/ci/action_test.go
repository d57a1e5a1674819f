package ci

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// action is the part of action.yml that runs.
type action struct {
	Runs struct {
		Steps []struct {
			ID  string            `yaml:"id"`
			Run string            `yaml:"run"`
			Env map[string]string `yaml:"env"`
		} `yaml:"steps"`
	} `yaml:"runs"`
}

// comments is the part of GitHub's API that the action talks to: the comments of one pull request, of which others
// wrote 120.
type comments struct {
	bodies []string
	calls  []string
	denied string // the method that the token may not use
	status int    // what is answered then
}

func (c *comments) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.calls = append(c.calls, r.Method)
	if r.Header.Get("Authorization") != "Bearer s3cret" {
		http.Error(w, `{"message":"Bad credentials"}`, http.StatusUnauthorized)
		return
	}
	if r.Method == c.denied {
		w.WriteHeader(c.status)
		fmt.Fprint(w, `{"message":"Resource not accessible by integration","documentation_url":"https://docs.github.com/rest"}`)
		return
	}
	var sent struct{ Body string }
	if r.Method != http.MethodGet {
		if b, err := io.ReadAll(r.Body); err != nil || json.Unmarshal(b, &sent) != nil {
			http.Error(w, "{}", http.StatusBadRequest)
			return
		}
	}
	var id, page int
	switch n, _ := fmt.Sscanf(r.URL.Path, "/repos/a/b/issues/comments/%d", &id); {
	case r.Method == http.MethodPatch && n == 1:
		c.bodies[id] = sent.Body
	case r.Method == http.MethodPost && r.URL.Path == "/repos/a/b/issues/7/comments":
		c.bodies = append(c.bodies, sent.Body)
	case r.Method == http.MethodGet && r.URL.Path == "/repos/a/b/issues/7/comments":
		fmt.Sscan(r.URL.Query().Get("page"), &page)
		type comment struct {
			ID   int    `json:"id"`
			Body string `json:"body"`
		}
		out := []comment{}
		for i := (page - 1) * 100; i < min(page*100, len(c.bodies)); i++ {
			out = append(out, comment{i, c.bodies[i]})
		}
		_ = json.NewEncoder(w).Encode(out)
	default:
		http.NotFound(w, r)
	}
}

// newComments returns an API with comments of others, and its address.
func newComments(t *testing.T) (api *comments, url string) {
	t.Helper()
	api = &comments{}
	for i := range 120 {
		api.bodies = append(api.bodies, fmt.Sprint("somebody's comment ", i))
	}
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	return api, server.URL
}

// use is one use of the action in a job, whose steps share what is in tmp.
type use struct {
	dir, tmp, url string
	inputs        map[string]string
}

// newUse returns a use of the action in a repository, with a program that is there already.
func newUse(t *testing.T, url string) use {
	t.Helper()
	needs(t, "bash", "jq", "curl", "git")
	return use{dir: repository(t), tmp: t.TempDir(), url: url, inputs: map[string]string{
		"rollstamp": filepath.Join(program(t), "rollstamp"), "paths": "apps/*", "args": "-n shop", "token": "s3cret",
	}}
}

func (u use) outputs(t *testing.T) string { return text(t, filepath.Join(u.tmp, "outputs")) }

func (u use) summary(t *testing.T) string { return text(t, filepath.Join(u.tmp, "summary")) }

// run runs the action's steps as GitHub does, and returns the log.
func (u use) run(t *testing.T, inputs ...string) (log string, err error) {
	t.Helper()
	var a action
	if err := yaml.Unmarshal([]byte(text(t, filepath.Join(top, "action.yml"))), &a); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"github.event.pull_request.number": "7"}
	for name, value := range u.inputs {
		all["inputs."+name] = value
	}
	for _, input := range inputs {
		name, value, _ := strings.Cut(input, "=")
		all["inputs."+name] = value
	}
	write(t, filepath.Join(u.tmp, "outputs"), "")
	write(t, filepath.Join(u.tmp, "summary"), "")
	for _, step := range a.Runs.Steps {
		env := []string{"GITHUB_OUTPUT=" + filepath.Join(u.tmp, "outputs"), "GITHUB_STEP_SUMMARY=" + filepath.Join(u.tmp, "summary"),
			"RUNNER_TEMP=" + u.tmp, "GITHUB_ACTION_PATH=" + top, "GITHUB_API_URL=" + u.url, "GITHUB_REPOSITORY=a/b",
			"GITHUB_WORKFLOW=CI: restarts", "GITHUB_JOB=restarts"}
		for name, value := range step.Env {
			env = append(env, name+"="+expression.ReplaceAllStringFunc(value, func(e string) string { return all[expression.FindStringSubmatch(e)[1]] }))
		}
		out, err := shell(t, u.dir, step.Run, env...)
		log += out
		if err != nil {
			return log, fmt.Errorf("step %s: %w", step.ID, err)
		}
		for line := range strings.Lines(u.outputs(t)) {
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
			all["steps."+step.ID+".outputs."+name] = value
		}
	}
	return log, nil
}

var expression = regexp.MustCompile(`\$\{\{ ([\w.]+) \}\}`)

func TestTheActionCommentsOnceAndKeepsItsCommentUpToDate(t *testing.T) {
	api, url := newComments(t)
	u := newUse(t, url)
	run := func() string {
		t.Helper()
		out, err := u.run(t)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return out
	}
	out := run()
	if !strings.Contains(out, "::notice file=apps/shop/app.yaml,line=") || strings.Contains(out, "s3cret") {
		t.Errorf("the log holds %s", out)
	}
	for _, want := range []string{"restarts=1\n", "differs=true\n", "json="} {
		if !strings.Contains(u.outputs(t), want) {
			t.Errorf("the outputs lack %q: %s", want, u.outputs(t))
		}
	}
	if !strings.Contains(u.summary(t), "1 workload restarts") {
		t.Error("the summary lacks the report")
	}
	if len(api.bodies) != 121 || !strings.Contains(api.bodies[120], "ConfigMap settings: LEVEL changed") {
		t.Fatalf("%d comments, the last is %q", len(api.bodies), api.bodies[len(api.bodies)-1])
	}
	write(t, filepath.Join(u.dir, "apps/shop/app.yaml"), strings.Replace(before, "LEVEL: info", "LEVEL: info, MORE: x", 1))
	run()
	if len(api.bodies) != 121 || !strings.Contains(api.bodies[120], "MORE added") {
		t.Errorf("%d comments, the last is %q", len(api.bodies), api.bodies[len(api.bodies)-1])
	}
}

func TestATokenThatMayNotCommentLeavesTheSummary(t *testing.T) {
	for name, c := range map[string]struct {
		method string
		status int
		token  string
		fails  string
	}{
		"may read, as of a fork":       {method: "POST", status: 403},
		"may not even read":            {method: "GET", status: 403},
		"does not see the repository":  {method: "GET", status: 404},
		"may not change the comment":   {method: "PATCH", status: 403},
		"is no token":                  {token: "wrong", fails: "GitHub answers 401"},
		"where GitHub is out of order": {method: "POST", status: 502, fails: "GitHub answers 502"},
	} {
		t.Run(name, func(t *testing.T) {
			api, url := newComments(t)
			api.denied, api.status = c.method, c.status
			if c.method == "PATCH" {
				api.bodies = append(api.bodies, "<!-- rollstamp CI restarts/restarts -->\nan older report")
			}
			u, inputs := newUse(t, url), []string{}
			if c.token != "" {
				inputs = append(inputs, "token="+c.token)
			}
			comments := slices.Clone(api.bodies)
			out, err := u.run(t, inputs...)
			if (err == nil) != (c.fails == "") || !strings.Contains(out, c.fails) {
				t.Errorf("%v\n%s", err, out)
			}
			notice := fmt.Sprintf("::notice title=rollstamp::No comment is written, for the token may not do that (%d Resource not accessible by integration)", c.status)
			if strings.Contains(out, notice) != (c.fails == "") {
				t.Errorf("the log holds\n%s", out)
			}
			if !strings.Contains(u.summary(t), "1 workload restarts") || !strings.Contains(u.outputs(t), "restarts=1\n") {
				t.Errorf("the summary or the outputs are lost:\n%s\n%s", u.summary(t), u.outputs(t))
			}
			if !slices.Equal(api.bodies, comments) {
				t.Errorf("comments are written: %q", api.bodies[120:])
			}
		})
	}
}

func TestTwoUsesInAPullRequestHaveACommentEach(t *testing.T) {
	api, url := newComments(t)
	u := newUse(t, url)
	files := map[string]bool{}
	for _, inputs := range [][]string{{"paths=apps/shop"}, {"paths=apps/other", "id=others --> x"}, {"paths=apps/other", "id=a/b"}, {"paths=apps/shop"}} {
		if out, err := u.run(t, inputs...); err != nil {
			t.Fatalf("%v: %v\n%s", inputs, err, out)
		}
		_, json, _ := strings.Cut(u.outputs(t), "json=")
		json, _, _ = strings.Cut(json, "\n")
		files[json] = true
		if _, err := os.Stat(json); err != nil {
			t.Error(err)
		}
	}
	if len(files) != 3 || len(api.bodies) != 123 {
		t.Fatalf("files %v, %d comments", files, len(api.bodies))
	}
	for i, want := range []string{"<!-- rollstamp CI restarts/restarts -->\n", "<!-- rollstamp others -- x -->\n", "<!-- rollstamp a/b -->\n"} {
		body := api.bodies[120+i]
		if !strings.HasPrefix(body, want) || strings.Contains(body, "1 workload restarts") != (i == 0) {
			t.Errorf("comment %d is %q, want %q", i, body, want)
		}
	}
}

func TestTheActionFailsWhereStampsOfFluxAreStale(t *testing.T) {
	_, url := newComments(t)
	u := newUse(t, url)
	write(t, filepath.Join(u.dir, "clusters/prod/shop.yaml"), "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"+
		"metadata: {name: shop, namespace: flux-system}\nspec:\n  path: apps/shop\n  prune: true\n  interval: 1h\n"+
		"  sourceRef: {kind: GitRepository, name: flux-system}\n")
	const stale = "Stamps in Flux's objects are not those of what Flux applies"
	out, err := u.run(t, "flux=clusters/prod")
	if err == nil || !strings.Contains(out, "::error title=rollstamp::"+stale) {
		t.Fatalf("objects without stamps pass: %v\n%s", err, out)
	}
	if summary := u.summary(t); !strings.Contains(summary, "1 workload restarts") || !strings.Contains(summary, "clusters/prod/shop.yaml") {
		t.Errorf("the summary has %s", summary)
	}
	if out, err := shell(t, u.dir, `"$ROLLSTAMP" flux stamp clusters/prod`, "ROLLSTAMP="+u.inputs["rollstamp"]); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := u.run(t, "flux=clusters/prod"); err != nil || strings.Contains(out, stale) {
		t.Errorf("%v\n%s", err, out)
	}
}
