package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/redact"
)

// env is an environment of given variables only.
func env(namesAndValues ...string) Env {
	vars := map[string]string{}
	for i := 0; i < len(namesAndValues); i += 2 {
		vars[namesAndValues[i]] = namesAndValues[i+1]
	}
	return func(name string) (string, bool) {
		v, set := vars[name]
		return v, set
	}
}

// resolveIn resolves in a folder whose configuration file has the given text.
func resolveIn(t *testing.T, text string, e Env, f Flags) (*Settings, error) {
	t.Helper()
	root := tree(t, map[string]string{".rollstamp.yaml": text})
	return Resolve(Inputs{Place: place(t, root), Flags: f, Env: e})
}

func mustResolve(t *testing.T, text string, e Env, f Flags) *Settings {
	t.Helper()
	s, err := resolveIn(t, text, e, f)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// show prints the value and source of a setting, with the folder taken out of it.
func show(t *testing.T, s *Settings, name string) string {
	t.Helper()
	for _, r := range s.Rows() {
		if r.Name == name {
			source := string(r.Source)
			if strings.HasPrefix(source, "/") {
				source = filepath.Base(source)
			}
			return fmt.Sprintf("%v, %s", r.Value, source)
		}
	}
	t.Fatalf("no setting %s", name)
	return ""
}

func TestFlagsComeBeforeEnvironmentBeforeFileBeforeDefault(t *testing.T) {
	const none = ""
	for _, c := range []struct {
		setting, file string
		env           Env
		flags         Flags
		want          string
	}{
		{"level", none, env(), Flags{}, "1, default"},
		{"level", "level: 1", env(), Flags{}, "1, .rollstamp.yaml:1"},
		{"namespace", none, env(), Flags{}, ", default"},
		{"namespace", "\nnamespace: file", env(), Flags{}, "file, .rollstamp.yaml:2"},
		{"namespace", "namespace: file", env(), Flags{Namespace: new("flag")}, "flag, flag --namespace"},
		{"namespace", "namespace: file", env(), Flags{Namespace: new("")}, "file, .rollstamp.yaml:1"},
		{"kubeVersion", "kubeVersion: '1.34'", env(), Flags{}, "1.34, .rollstamp.yaml:1"},
		{"kubeVersion", "kubeVersion: '1.34'", env(), Flags{KubeVersion: new("1.35")}, "1.35, flag --kube-version"},
		{"kubeVersion", none, env(), Flags{KubeVersion: new("")}, ", default"},
		{"apiVersions", "apiVersions: [a/v1, b/v1]", env(), Flags{}, "[a/v1 b/v1], .rollstamp.yaml:1"},
		{"apiVersions", "apiVersions: [a/v1, b/v1]", env(), Flags{APIVersions: []string{"c/v1"}}, "[c/v1], flag --api-versions"},
		{"failOn", none, env(), Flags{}, "never, default"},
		{"failOn", "failOn: error", env(), Flags{}, "error, .rollstamp.yaml:1"},
		{"failOn", "failOn: error", env(), Flags{FailOn: new("info")}, "info, flag --fail-on"},
		{"liveVolumes", "liveVolumes: true", env(), Flags{}, "true, .rollstamp.yaml:1"},
		{"liveVolumes", "liveVolumes: true", env(), Flags{LiveVolumes: new(false)}, "false, flag --live-volumes"},
		{"hashKey", none, env(), Flags{}, "optional, default"},
		{"hashKey", "hashKey: required", env(), Flags{}, "required, .rollstamp.yaml:1"},
		{"hashDomain", "hashDomain: file", env(), Flags{}, "file, .rollstamp.yaml:1"},
		{"hashDomain", "hashDomain: file", env(EnvHashDomain, "env"), Flags{}, "env, env ROLLSTAMP_HASH_DOMAIN"},
		{"hashDomain", "hashDomain: file", env(EnvHashDomain, "env"), Flags{HashDomain: new("flag")}, "flag, flag --hash-domain"},
		{"hash-key", none, env(), Flags{}, ", default"},
		{"hash-key", none, env(EnvHashKey, "0123456789abcdef"), Flags{}, redact.Mask + ", env ROLLSTAMP_HASH_KEY"},
		{"hash-key", none, env(EnvHashKey, "0123456789abcdef", EnvHashKeyFile, "a"), Flags{}, "a, env ROLLSTAMP_HASH_KEY_FILE"},
		{"hash-key", none, env(EnvHashKey, "0123456789abcdef", EnvHashKeyFile, "a"), Flags{HashKeyFile: new("b")}, "b, flag --hash-key-file"},
		{"render.include", "render:\n  include: [a]", env(), Flags{}, "[a], .rollstamp.yaml:2"},
		{"render.include", "render:\n  include: [a]", env(), Flags{Include: []string{"b"}}, "[b], flag --include"},
		{"render.exclude", "render:\n  include: [a]", env(), Flags{}, "[], default"},
		{"render.exclude", none, env(), Flags{Exclude: []string{"b"}}, "[b], flag --exclude"},
		{"render.recursive", "render:\n  recursive: true", env(), Flags{}, "true, .rollstamp.yaml:2"},
		{"render.recursive", "render:\n  recursive: true", env(), Flags{Recursive: new(false)}, "false, flag --recursive"},
		{"cacheDir", none, env(EnvCacheDir, "/env"), Flags{}, "/env, env ROLLSTAMP_CACHE_DIR"},
		{"cacheDir", none, env(EnvCacheDir, "/env"), Flags{CacheDir: new("/flag")}, "/flag, flag --cache-dir"},
		{"color", none, env(), Flags{}, "true, default"},
		{"color", none, env(EnvNoColor, ""), Flags{}, "true, default"},
		{"color", none, env(EnvNoColor, "0"), Flags{}, "false, env NO_COLOR"},
	} {
		if got := show(t, mustResolve(t, c.file, c.env, c.flags), c.setting); got != c.want {
			t.Errorf("%s: got %q, want %q", c.setting, got, c.want)
		}
	}
}

func TestTheCacheLiesInTheUsersCacheFolder(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", "/somewhere")
	t.Setenv("HOME", "/home/x")
	base, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	if got := mustResolve(t, "", env(EnvCacheDir, ""), Flags{}).CacheDir; got.Value != filepath.Join(base, "rollstamp") || got.Source != Default {
		t.Errorf("got %+v", got)
	}
}

func TestAValueThatCannotBeUsedNamesItsSource(t *testing.T) {
	for _, c := range []struct {
		env   Env
		flags Flags
		want  string
	}{
		{env(), Flags{FailOn: new("warn")}, `flag --fail-on: "warn" is not one of error, warning, info or never`},
		{env(), Flags{Include: []string{"["}}, "flag --include: pattern"},
		{env(), Flags{HashKeyFile: new("")}, "flag --hash-key-file: names no file"},
		{env(EnvHashKeyFile, ""), Flags{}, "env ROLLSTAMP_HASH_KEY_FILE: names no file"},
		{env(EnvHashDomain, ""), Flags{}, "env ROLLSTAMP_HASH_DOMAIN: is empty"},
		{env(), Flags{HashDomain: new("")}, "flag --hash-domain: is empty"},
		{env(EnvAllow, "network,exec"), Flags{}, `env ROLLSTAMP_ALLOW: "exec" is not one of network, exec-plugins or outside-root`},
		{env(), Flags{Allow: []Grant{{"--allow", "netwrok"}}}, `flag --allow: "netwrok" is not one of network, exec-plugins or outside-root; did you mean network?`},
	} {
		_, err := resolveIn(t, "", c.env, c.flags)
		fails(t, err, c.want)
	}
	_, err := resolveIn(t, "level: 7", env(), Flags{})
	fails(t, err, ".rollstamp.yaml:1: level: level 7 is not known")
}

func TestARequiredHashKeyMustBeGivenToWhoeverStamps(t *testing.T) {
	s := mustResolve(t, "\nhashKey: required", env(), Flags{})
	_, _, err := s.HashKey()
	fails(t, err, ".rollstamp.yaml:2: hashKey: required, but no hash key is given")
	if !strings.Contains(diag.HintOf(err), "--hash-key-file") {
		t.Errorf("hint %q", diag.HintOf(err))
	}
	s = mustResolve(t, "hashKey: required", env(EnvHashKey, ""), Flags{})
	if key, _, err := s.HashKey(); err != nil || key == nil || key.From != "env ROLLSTAMP_HASH_KEY" {
		t.Errorf("an empty variable is given, for its reader to refuse; got %+v, %v", key, err)
	}
	s = mustResolve(t, "", env(), Flags{})
	if key, findings, err := s.HashKey(); key != nil || findings != nil || err != nil {
		t.Errorf("none given, none required: got %v, %v, %v", key, findings, err)
	}
}

func TestAHashKeyFileThatEverybodyCanReadIsAFinding(t *testing.T) {
	root := tree(t, map[string]string{"open": "0123456789abcdef", "closed": "0123456789abcdef", "link": "-> open"})
	if err := os.Chmod(filepath.Join(root, "closed"), 0o640); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"open": 1, "link": 1, "closed": 0, "nowhere": 0} {
		path := filepath.Join(root, name)
		key, findings, err := mustResolve(t, "", env(EnvHashKeyFile, path), Flags{}).HashKey()
		if err != nil || key.File != path || len(findings) != want {
			t.Errorf("%s: got %+v, %v, %v", name, key, findings, err)
		}
		if len(findings) == 1 && (findings[0].Code != diag.HashKeyReadable || findings[0].File != path) {
			t.Errorf("%s: got %+v", name, findings[0])
		}
	}
}

func TestPermissionsAreJoinedAndTheFileOnlyNarrows(t *testing.T) {
	policy := func(text string) string {
		return filepath.Join(tree(t, map[string]string{"policy.yaml": text}), "policy.yaml")
	}
	allow := func(grants ...string) Flags {
		var f Flags
		for _, g := range grants {
			f.Allow = append(f.Allow, Grant{"--allow", g})
		}
		return f
	}
	for _, c := range []struct {
		file  string
		env   Env
		flags Flags
		want  Permissions
	}{
		{"", env(), Flags{}, Permissions{}},
		{"", env(EnvAllow, "", EnvPolicy, ""), Flags{}, Permissions{}},
		{"", env(EnvAllow, "network"), Flags{}, Permissions{Network: true}},
		{"", env(EnvAllow, "network, outside-root"), Flags{}, Permissions{Network: true, OutsideRoot: true}},
		{"", env(), allow("exec-plugins"), Permissions{ExecPlugins: true}},
		{"", env(), allow("exec-plugins,network", "outside-root"), Permissions{true, true, true}},
		{"", env(EnvPolicy, policy("allow: [network]")), Flags{}, Permissions{Network: true}},
		{"", env(EnvPolicy, policy("allow: [network]"), EnvAllow, "exec-plugins"), allow("outside-root"), Permissions{true, true, true}},
		{"", env(EnvPolicy, policy("")), allow("network"), Permissions{Network: true}},
		{"deny: [network]", env(EnvPolicy, policy("allow: [network, outside-root]"), EnvAllow, "network"), allow("network"), Permissions{OutsideRoot: true}},
		{"deny: [network, exec-plugins, outside-root]", env(), Flags{}, Permissions{}},
		{"deny: []", env(), allow("network"), Permissions{Network: true}},
	} {
		if got := mustResolve(t, c.file, c.env, c.flags).Permissions(); got != c.want {
			t.Errorf("file %q, flags %v: got %+v, want %+v", c.file, c.flags.Allow, got, c.want)
		}
	}
}

func TestAFileInTheTreeCannotAllow(t *testing.T) {
	_, err := resolveIn(t, "level: 1\nallow: [network]", env(), Flags{})
	fails(t, err, `.rollstamp.yaml:2: unknown field "allow"`)
}

func TestPermissionsNameWhoGrantsAndWhoDenies(t *testing.T) {
	policy := filepath.Join(tree(t, map[string]string{"policy.yaml": "# ours\nallow:\n- network\n- exec-plugins\n- outside-root"}), "policy.yaml")
	s := mustResolve(t, "deny:\n- exec-plugins", env(EnvPolicy, policy, EnvAllow, "outside-root"), Flags{})
	for name, want := range map[string]string{
		"allow.network":      "true, policy.yaml:3",
		"allow.exec-plugins": "false, .rollstamp.yaml:2",
		"allow.outside-root": "true, env ROLLSTAMP_ALLOW",
		"policy":             policy + ", env ROLLSTAMP_POLICY",
	} {
		if got := show(t, s, name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestThePolicyLiesOutsideTheTree(t *testing.T) {
	root := tree(t, map[string]string{
		"repo/.git/":         "",
		"repo/app/a.yaml":    "",
		"repo/p.yaml":        "allow: [network]",
		"repo/to-outside":    "-> ../p.yaml",
		"repo/folder":        "-> ../folder",
		"p.yaml":             "allow: [network]",
		"to-inside":          "-> repo/p.yaml",
		"broken.yaml":        "allow: [everything]\nallows: x",
		"folder/p.yaml":      "allow: [network]",
		"repo-beside/p.yaml": "allow: [network]",
	})
	resolve := func(path string) error {
		_, err := Resolve(Inputs{Place: place(t, filepath.Join(root, "repo/app")), Env: env(EnvPolicy, filepath.Join(root, path))})
		return err
	}
	for _, path := range []string{"p.yaml", "repo-beside/p.yaml", "folder/p.yaml"} {
		if err := resolve(path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, path := range []string{"repo/p.yaml", "repo/app/../p.yaml", "repo/to-outside", "to-inside"} {
		fails(t, resolve(path), "env ROLLSTAMP_POLICY: read policy: ", "lies in the rendered tree")
	}
	// What is reached through a link in the tree can be changed by whoever writes the tree.
	fails(t, resolve("repo/folder/p.yaml"), "lies in the rendered tree")
	fails(t, resolve("nowhere.yaml"), "nowhere.yaml: no such file")
	fails(t, resolve("nowhere/p.yaml"), "nowhere/p.yaml: no such file")
	fails(t, resolve("folder"), "is not a regular file")
	fails(t, resolve("broken.yaml"), `broken.yaml:1: allow[0]: "everything" is not one of`, `broken.yaml:2: unknown field "allows"; did you mean allow?`)
}

func TestTheFirstRuleThatFitsAWorkloadCounts(t *testing.T) {
	s := mustResolve(t, `
workloads:
- {match: {name: "web-*"}, mode: off}
- {match: {kind: Deployment}, liveVolumes: true}
- {match: {name: "*"}, mode: on}
ignore:
- {kind: ConfigMap, name: "kube-root-ca.crt"}
- {namespace: test, labels: "temporary"}
`, env(), Flags{})
	if w := s.Workload("Deployment", "", "web-1", nil); w == nil || w.Mode != ModeOff || w.LiveVolumes != nil {
		t.Errorf("got %+v", w)
	}
	if w := s.Workload("Deployment", "", "db", nil); w == nil || w.Mode != "" || w.LiveVolumes == nil || !*w.LiveVolumes {
		t.Errorf("got %+v", w)
	}
	if w := s.Workload("Job", "", "db", nil); w == nil || w.Mode != ModeOn {
		t.Errorf("got %+v", w)
	}
	if w := mustResolve(t, "", env(), Flags{}).Workload("Job", "", "db", nil); w != nil {
		t.Errorf("without rules: got %+v", w)
	}
	temporary := map[string]string{"temporary": ""}
	for _, c := range []struct {
		kind, ns, name string
		labels         map[string]string
		want           bool
	}{
		{"ConfigMap", "a", "kube-root-ca.crt", nil, true},
		{"Secret", "a", "kube-root-ca.crt", nil, false},
		{"Secret", "test", "x", temporary, true},
		{"ConfigMap", "test", "x", temporary, true},
		{"ConfigMap", "test", "x", nil, false},
		{"ConfigMap", "", "x", temporary, false},
	} {
		if got := s.Ignores(c.kind, c.ns, c.name, c.labels); got != c.want {
			t.Errorf("%s %s/%s: got %t", c.kind, c.ns, c.name, got)
		}
	}
}

func TestFailOnIsReachedBySeveritiesAtOrAboveIt(t *testing.T) {
	for on, want := range map[FailOn]string{FailOnInfo: "info warning error", FailOnWarning: "warning error", FailOnError: "error", FailNever: "", "": ""} {
		var reached []string
		for _, s := range []diag.Severity{diag.Info, diag.Warning, diag.Failure} {
			if on.Reached(s) {
				reached = append(reached, string(s))
			}
		}
		if got := strings.Join(reached, " "); got != want {
			t.Errorf("%q: got %q", on, got)
		}
	}
}

func TestSettingsArePrintedWithTheirSources(t *testing.T) {
	t.Chdir(tree(t, map[string]string{".rollstamp.yaml": `namespace: shop
workloads:
- match: {kind: Deployment, labels: "app in (a, b)"}
  mode: off
kinds:
- kind: Pool
  template: spec.template
  references: [{path: spec.ref, kind: Secret, name: ""}]
`}))
	here := place(t, "")
	s, err := Resolve(Inputs{Place: here, Env: env(EnvHashKey, "0123456789abcdef", EnvCacheDir, "/cache"), Flags: Flags{FailOn: new("error")}})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := s.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	const want = `file: DIR/.rollstamp.yaml  # nearest .rollstamp.yaml
policy: ""  # default
level: 1  # default
namespace: shop  # DIR/.rollstamp.yaml:1
kubeVersion: ""  # default
apiVersions: []  # default
failOn: error  # flag --fail-on
liveVolumes: false  # default
hashKey: optional  # default
hash-key: '[redacted]'  # env ROLLSTAMP_HASH_KEY
hashDomain: ""  # default
workloads:  # DIR/.rollstamp.yaml:2
    - match:
        kind: Deployment
        labels: app in (a, b)
      mode: "off"
ignore: []  # default
kinds:  # DIR/.rollstamp.yaml:5
    - kind: Pool
      template: spec.template
      podSpec: spec.template.spec
      annotations: spec.template.metadata.annotations
      references:
        - path: spec.ref
          kind: Secret
          name: ""
render.include: []  # default
render.exclude: []  # default
render.recursive: false  # default
allow.network: false  # default
allow.exec-plugins: false  # default
allow.outside-root: false  # default
cacheDir: /cache  # env ROLLSTAMP_CACHE_DIR
color: true  # default
`
	if got := strings.ReplaceAll(out.String(), here.Dir, "DIR"); got != want {
		t.Errorf("got\n%s", got)
	}
	var read map[string]any
	if err := yaml.Unmarshal(out.Bytes(), &read); err != nil || len(read) != len(s.Rows()) {
		t.Errorf("the text is no YAML of %d settings: %v", len(s.Rows()), err)
	}
}

func TestSettingsAsJSONSayTheSameAsTheText(t *testing.T) {
	s := mustResolve(t, "workloads: [{match: {name: a, labels: b}, liveVolumes: false}]", env(EnvHashKey, "0123456789abcdef"), Flags{})
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Schema   int
		Settings map[string]struct {
			Value  any
			Source string
		}
	}
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if read.Schema != 1 || len(read.Settings) != len(s.Rows()) {
		t.Errorf("schema %d, %d settings", read.Schema, len(read.Settings))
	}
	for _, r := range s.Rows() {
		got := read.Settings[r.Name]
		var want, text any
		plain, err := yaml.Marshal(r.Value)
		if err == nil {
			err = yaml.Unmarshal(plain, &text)
		}
		if err != nil {
			t.Fatal(err)
		}
		asJSON, err := json.Marshal(text)
		if err == nil {
			err = json.Unmarshal(asJSON, &want)
		}
		if err != nil || !reflect.DeepEqual(got.Value, want) || got.Source != string(r.Source) {
			t.Errorf("%s: JSON says %v from %s, text %v from %s (%v)", r.Name, got.Value, got.Source, want, r.Source, err)
		}
	}
}

func TestAHashKeyInTheEnvironmentIsNeverPrinted(t *testing.T) {
	s := mustResolve(t, "", env(EnvHashKey, "0123456789abcdef"), Flags{})
	key, _, err := s.HashKey()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%v %+v %#v %v %+v %#v %s\n", s, s, s, key, *key, key, key)
	if err := s.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(&out).Encode([]any{s, key}); err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"0123456789abcdef", "48 49 50", "0x30, 0x31", "MDEyMzQ1"} {
		if strings.Contains(out.String(), form) {
			t.Errorf("shown as %s:\n%s", form, out.String())
		}
	}
}
