package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
	for _, r := range s.Lines() {
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
		{"namespace", "namespace: file", env(), Flags{"namespace": {"flag"}}, "flag, flag --namespace"},
		{"namespace", "namespace: file", env(), Flags{"namespace": {""}}, "file, .rollstamp.yaml:1"},
		{"kubeVersion", "kubeVersion: '1.34'", env(), Flags{}, "1.34, .rollstamp.yaml:1"},
		{"kubeVersion", "kubeVersion: '1.34'", env(), Flags{"kube-version": {"1.35"}}, "1.35, flag --kube-version"},
		{"kubeVersion", none, env(), Flags{"kube-version": {""}}, ", default"},
		{"apiVersions", "apiVersions: [a/v1, b/v1]", env(), Flags{}, "[a/v1 b/v1], .rollstamp.yaml:1"},
		{
			"apiVersions", "apiVersions: [a/v1, b/v1]", env(), Flags{"api-versions": {"c/v1"}},
			"[c/v1], flag --api-versions",
		},
		{"failOn", none, env(), Flags{}, "never, default"},
		{"failOn", "failOn: error", env(), Flags{}, "error, .rollstamp.yaml:1"},
		{"failOn", "failOn: error", env(), Flags{"fail-on": {"info"}}, "info, flag --fail-on"},
		{"liveVolumes", "liveVolumes: true", env(), Flags{}, "true, .rollstamp.yaml:1"},
		{"liveVolumes", "liveVolumes: true", env(), Flags{"live-volumes": {"false"}}, "false, flag --live-volumes"},
		{"hashKey", none, env(), Flags{}, "optional, default"},
		{"hashKey", "hashKey: required", env(), Flags{}, "required, .rollstamp.yaml:1"},
		{"hashDomain", "hashDomain: file", env(), Flags{}, "file, .rollstamp.yaml:1"},
		{
			"hashDomain", "hashDomain: file", env("ROLLSTAMP_HASH_DOMAIN", "env"), Flags{},
			"env, env ROLLSTAMP_HASH_DOMAIN",
		},
		{
			"hashDomain", "hashDomain: file", env("ROLLSTAMP_HASH_DOMAIN", "env"), Flags{"hash-domain": {"flag"}},
			"flag, flag --hash-domain",
		},
		{"hash-key", none, env(), Flags{}, ", default"},
		{"hash-key", none, env(EnvHashKey, "0123456789abcdef"), Flags{}, redact.Mask + ", env ROLLSTAMP_HASH_KEY"},
		{
			"hash-key", none, env(EnvHashKey, "0123456789abcdef", EnvHashKeyFile, "a"), Flags{},
			"a, env ROLLSTAMP_HASH_KEY_FILE",
		},
		{
			"hash-key", none, env(EnvHashKey, "0123456789abcdef", EnvHashKeyFile, "a"),
			Flags{"hash-key-file": {"b"}}, "b, flag --hash-key-file",
		},
		{"render.include", "render:\n  include: [a]", env(), Flags{}, "[a], .rollstamp.yaml:2"},
		{"render.include", "render:\n  include: [a]", env(), Flags{"include": {"b"}}, "[b], flag --include"},
		{"render.exclude", "render:\n  include: [a]", env(), Flags{}, "[], default"},
		{"render.exclude", none, env(), Flags{"exclude": {"b"}}, "[b], flag --exclude"},
		{"render.recursive", "render:\n  recursive: true", env(), Flags{}, "true, .rollstamp.yaml:2"},
		{
			"render.recursive", "render:\n  recursive: true", env(), Flags{"recursive": {"false"}},
			"false, flag --recursive",
		},
		{"cacheDir", none, env(EnvCacheDir, "/env"), Flags{}, "/env, env ROLLSTAMP_CACHE_DIR"},
		{"cacheDir", none, env(EnvCacheDir, "/env"), Flags{"cache-dir": {"/flag"}}, "/flag, flag --cache-dir"},
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
	got := mustResolve(t, "", env(EnvCacheDir, ""), Flags{}).CacheDir
	if got.Value != filepath.Join(base, "rollstamp") || got.Source != Default {
		t.Errorf("got %+v", got)
	}
}

func TestAValueThatCannotBeUsedNamesItsSource(t *testing.T) {
	for _, c := range []struct {
		env   Env
		flags Flags
		want  string
	}{
		{env(), Flags{"fail-on": {"warn"}}, `flag --fail-on: "warn" is not one of error, warning, info or never`},
		{env(), Flags{"include": {"["}}, "flag --include: pattern"},
		{env(), Flags{"hash-key-file": {""}}, "flag --hash-key-file: names no file"},
		{env(EnvHashKeyFile, ""), Flags{}, "env ROLLSTAMP_HASH_KEY_FILE: names no file"},
		{env("ROLLSTAMP_HASH_DOMAIN", ""), Flags{}, "env ROLLSTAMP_HASH_DOMAIN: is empty"},
		{env(), Flags{"hash-domain": {""}}, "flag --hash-domain: is empty"},
		{
			env(EnvAllow, "network,exec"), Flags{},
			`env ROLLSTAMP_ALLOW: "exec" is not one of network, exec-plugins, outside-root, stores, store-values, copy-secrets or moving-refs`,
		},
		{
			env(), Flags{"allow": {"netwrok"}},
			`flag --allow: "netwrok" is not one of network, exec-plugins, outside-root, stores, store-values, copy-secrets or moving-refs; ` +
				`did you mean network?`,
		},
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
	for on, want := range map[FailOn]string{
		FailOnInfo: "info warning error", FailOnWarning: "warning error", FailOnError: "error", FailNever: "",
		"": "",
	} {
		var reached []string
		for _, s := range []diag.Severity{diag.Info, diag.Warning, diag.Failure} {
			if on.IsReached(s) {
				reached = append(reached, string(s))
			}
		}
		if got := strings.Join(reached, " "); got != want {
			t.Errorf("%q: got %q", on, got)
		}
	}
}

func TestListsArePlainStringsForOthers(t *testing.T) {
	if got := Strings([]Glob{"a", "b"}); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("got %q", got)
	}
	if got := Strings[Glob](nil); got != nil {
		t.Errorf("what is not given became %q", got)
	}
}

func TestTheStricterOfTwoIsReachedByMoreFindings(t *testing.T) {
	for _, c := range [][3]FailOn{
		{FailOnError, FailOnWarning, FailOnWarning},
		{FailOnInfo, FailOnError, FailOnInfo},
		{FailOnError, FailNever, FailOnError},
		{FailNever, FailOnError, FailOnError},
		{FailNever, FailNever, FailNever},
		{FailOnError, FailOnError, FailOnError},
	} {
		if got := c[0].Stricter(c[1]); got != c[2] {
			t.Errorf("of %s and %s the stricter is %s", c[0], c[1], got)
		}
	}
}

func TestSettingsWithAnotherValueLeaveTheOriginalAlone(t *testing.T) {
	s := mustResolve(t, "namespace: file\nhashDomain: file\nlevel: 1", env(), Flags{})
	changed := s.WithNamespace("a", "env A").WithHashDomain("b", "env B").WithLevel(7, "flag --c")
	for name, want := range map[string]string{
		"namespace": "a, env A", "hashDomain": "b, env B", "level": "7, flag --c",
	} {
		if got := show(t, changed, name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"namespace": "file, .rollstamp.yaml:1", "hashDomain": "file, .rollstamp.yaml:2",
		"level": "1, .rollstamp.yaml:3",
	} {
		if got := show(t, s, name); got != want {
			t.Errorf("the original's %s has become %q", name, got)
		}
	}
}

func TestSettingsAtAnotherPlaceShareTheirValuesAndAreNotChangedWithACopy(t *testing.T) {
	s := mustResolve(t, "namespace: shop", env(), nil)
	elsewhere := Place{Dir: "/elsewhere", Root: "/"}
	if at := s.At(elsewhere); at.InForce != s.InForce || at.Place() != elsewhere || s.Place() == elsewhere {
		t.Errorf("at %+v are settings of their own, or %+v has moved", at.Place(), s.Place())
	}
	copied := s.Clone()
	copied.Namespace.Value = "other"
	if s.Namespace.Value != "shop" || copied.Place() != s.Place() {
		t.Errorf("a copy at %+v changes the namespace to %q", copied.Place(), s.Namespace.Value)
	}
	for what, changed := range map[string]*Settings{
		"namespace": s.WithNamespace("other", "x"), "domain": s.WithHashDomain("other", "x"),
		"level": s.WithLevel(1, "x"), "helm": s.WithHelm(Helm4, "x"), "additions": s.WithoutAdditions(),
		"permissions": s.Within(Permissions{}),
	} {
		if changed.InForce == s.InForce {
			t.Errorf("with another %s they share what they do not have in common", what)
		}
	}
}
