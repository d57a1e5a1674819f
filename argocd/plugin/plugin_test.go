package plugin_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/argocd/plugin"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/helm"
	"github.com/rollstamp/rollstamp/render/plain"
)

// prepare writes an application and makes the job of a call for it, with permissions as --allow names them.
func prepare(t *testing.T, tree map[string]string, env argocd.Env, allow, failOn string,
	operator plugin.Operator) (*plugin.Job, error) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range tree {
		path := filepath.Join(top, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	call, err := argocd.FromPlugin(env, top, top, nil)
	if err != nil {
		t.Fatal(err)
	}
	flags := config.Flags{"fail-on": {failOn}}
	if allow != "" {
		flags["allow"] = []string{allow}
	}
	s, err := config.Resolve(config.Inputs{Place: config.Place{Dir: top, Root: top}, Flags: flags,
		Env: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatal(err)
	}
	s = call.Reconcile(s)
	engines := render.Engines{render.KindPlain: plain.Engine{}, render.KindHelm: helm.Engine{}}
	operator.Timeout = time.Minute
	return plugin.Prepare(call, plugin.Environment{Settings: s, Engines: engines}, operator)
}

const settings = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}\n"

const missing = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: c, envFrom: [{configMapRef: {name: other}}]}]}\n"

func TestOnlyWhatArgoCDAndTheOperatorAcceptIsReturned(t *testing.T) {
	for what, c := range map[string]struct {
		tree     map[string]string
		failOn   string
		operator plugin.Operator
		exit     diag.Exit
	}{
		"a render": {map[string]string{"a.yaml": settings}, "error", plugin.Operator{},
			diag.ExitOK},
		"one without objects": {map[string]string{"a.yaml": "# nothing\n"}, "never", plugin.Operator{},
			diag.ExitInput},
		"one that may have none": {map[string]string{"a.yaml": "# nothing\n"}, "never",
			plugin.Operator{AllowEmpty: true}, diag.ExitOK},
		"one with an object twice": {map[string]string{"a.yaml": settings + "---\n" + settings}, "never",
			plugin.Operator{}, diag.ExitOK},
		"one that may have no doubles": {map[string]string{"a.yaml": settings + "---\n" + settings}, "never",
			plugin.Operator{RefuseDuplicates: true}, diag.ExitInput},
		"a finding below what fails": {map[string]string{"a.yaml": missing}, "never", plugin.Operator{},
			diag.ExitOK},
		"a finding that is to fail runs": {map[string]string{"a.yaml": missing}, "info", plugin.Operator{},
			diag.ExitFindings},
	} {
		t.Run(what, func(t *testing.T) {
			j, err := prepare(t, c.tree, argocd.Env{"ARGOCD_APP_NAME": "web"}, "", c.failOn, c.operator)
			if err != nil {
				t.Fatal(err)
			}
			a, err := j.Answer(context.Background())
			if got := diag.ExitOf(err); got != c.exit || (a == nil) != (err != nil) {
				t.Errorf("it ends with %v: %v", got, err)
			}
		})
	}
}

func TestTreesOfOtherRepositoriesNeedTheNetwork(t *testing.T) {
	env := argocd.Env{"ARGOCD_APP_NAME": "web",
		"ARGOCD_APP_PARAMETERS": `[{"name":"refs","map":{"values":"https://git.example.org/values@` + strings.Repeat("0", 40) + `"}}]`}
	_, err := prepare(t, map[string]string{"Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n"}, env, "",
		"never", plugin.Operator{})
	if err == nil || !strings.Contains(err.Error(), "the network is not allowed") || diag.HintOf(err) == "" {
		t.Errorf("got %v", err)
	}
}

func TestAnAnswerIsReusableOnlyIfAnotherRenderIsTheSame(t *testing.T) {
	chart := func(more, template string) map[string]string {
		return map[string]string{"Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n" + more,
			"templates/c.yaml": template}
	}
	const local = "dependencies: [{name: sub, version: 1.0.0}]\n"
	withSub := chart(local, settings)
	withSub["charts/sub/Chart.yaml"] = "apiVersion: v2\nname: sub\nversion: 1.0.0\n"
	for what, c := range map[string]struct {
		tree  map[string]string
		allow string
		want  bool
	}{
		"a chart": {chart("", settings), "", true},
		"a random one": {chart("",
			"apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: {{ randAlphaNum 9 }}}\n"), "", false},
		"where the network is allowed":         {chart("", settings), "network", true},
		"a chart with others":                  {withSub, "", true},
		"a chart with others, and the network": {withSub, "network", false},
		"manifests, and the network":           {map[string]string{"a.yaml": settings}, "network", true},
		"manifests, and programs":              {map[string]string{"a.yaml": settings}, "exec-plugins", false},
	} {
		t.Run(what, func(t *testing.T) {
			j, err := prepare(t, c.tree, argocd.Env{"ARGOCD_APP_NAME": "web"}, c.allow, "never", plugin.Operator{})
			if err != nil {
				t.Fatal(err)
			}
			a, err := j.AnswerToTheEnd(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if got := j.Reusable(a.Result.Output); got != c.want {
				t.Errorf("it is to be used again: %v", got)
			}
		})
	}
}

func TestAProcessThatStaysWaitsForARenderThatNeedsTheProcessorOnly(t *testing.T) {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	for allow, ends := range map[string]bool{"": true, "network": false} {
		j, err := prepare(t, map[string]string{"a.yaml": settings}, argocd.Env{}, allow, "never", plugin.Operator{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := j.AnswerToTheEnd(gone); (err == nil) != ends {
			t.Errorf("with the permission %q, and nobody who waits: %v", allow, err)
		}
		if _, err := j.Answer(gone); !ends && err == nil {
			t.Error("a call that nobody waits for is answered")
		}
	}
}

func TestTheKeyOfARenderIsTheSameForAnotherCommitOnly(t *testing.T) {
	tree := map[string]string{"a.yaml": settings}
	key := func(env argocd.Env) string {
		t.Helper()
		j, err := prepare(t, tree, env, "", "never", plugin.Operator{})
		if err != nil {
			t.Fatal(err)
		}
		request := j.App.Request()
		request.Path = "" // each has a folder of its own here
		j.App = j.App.WithRequest(request)
		text, err := j.Key(env)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	first := key(argocd.Env{"ARGOCD_APP_NAME": "web", "ARGOCD_APP_REVISION": "a"})
	if key(argocd.Env{"ARGOCD_APP_NAME": "web", "ARGOCD_APP_REVISION": "b"}) != first {
		t.Error("a commit makes it another")
	}
	for _, env := range []argocd.Env{
		{"ARGOCD_APP_NAME": "other"},
		{"ARGOCD_APP_NAME": "web", "ARGOCD_APP_NAMESPACE": "shop"},
		{"ARGOCD_APP_NAME": "web", "ARGOCD_APP_PROJECT_NAME": "team"},
		{"ARGOCD_APP_NAME": "web", "ARGOCD_APP_PARAMETERS": `[{"name":"recurse","string":"true"}]`},
	} {
		if key(env) == first {
			t.Errorf("%v makes it no other", env)
		}
	}
}

// TestTheKeyOfARenderContainsTheWholeRequest finds a field of a request that JSON would not show.
func TestTheKeyOfARenderContainsTheWholeRequest(t *testing.T) {
	var look func(path string, of reflect.Type)
	look = func(path string, of reflect.Type) {
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			look(path, of.Elem())
		case reflect.Struct:
			for i := range of.NumField() {
				f := of.Field(i)
				if path == "Request" && (f.Name == "Files" || f.Name == "Roots") || f.Name == "TraceOf" {
					continue // the tree, of which the server has a digest; what it never asks for
				}
				if path == "Request.Helm.Values" && (f.Name == "Table" || f.Name == "Hidden") {
					continue // of Flux's releases, which no call of the plugin names
				}
				if !f.IsExported() || f.Tag.Get("json") != "" {
					t.Errorf("%s.%s does not show in JSON", path, f.Name)
				}
				look(path+"."+f.Name, f.Type)
			}
		case reflect.Func, reflect.Chan, reflect.Interface:
			t.Errorf("%s is a %s", path, of)
		}
	}
	look("Request", reflect.TypeFor[render.Request]())
}
