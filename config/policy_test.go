package config

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
)

func TestPermissionsAreJoinedAndTheFileOnlyNarrows(t *testing.T) {
	policy := func(text string) string {
		return filepath.Join(tree(t, map[string]string{"policy.yaml": text}), "policy.yaml")
	}
	allow := func(grants ...string) Flags { return Flags{"allow": grants} }
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
		{
			"", env(), allow("exec-plugins,network", "outside-root"),
			Permissions{Network: true, ExecPlugins: true, OutsideRoot: true},
		},
		{"", env(EnvPolicy, policy("allow: [network]")), Flags{}, Permissions{Network: true}},
		{
			"", env(EnvPolicy, policy("allow: [network]"), EnvAllow, "exec-plugins"), allow("outside-root"),
			Permissions{Network: true, ExecPlugins: true, OutsideRoot: true},
		},
		{"", env(EnvPolicy, policy("")), allow("network"), Permissions{Network: true}},
		{
			"deny: [network]", env(EnvPolicy, policy("allow: [network, outside-root]"), EnvAllow, "network"),
			allow("network"), Permissions{OutsideRoot: true},
		},
		{"deny: [network, exec-plugins, outside-root]", env(), Flags{}, Permissions{}},
		{"deny: []", env(), allow("network"), Permissions{Network: true}},
		{"", env(), allow("network=Charts.example.com"), Permissions{Network: true, Hosts: "charts.example.com"}},
		{
			"", env(EnvPolicy, policy("allow: [network=charts.example.com]"), EnvAllow, "network=*.corp, stores"), allow("network=git:22"),
			Permissions{Network: true, Stores: true, Hosts: "charts.example.com,*.corp,git:22"},
		},
		{"", env(EnvAllow, "network=*.corp"), allow("network"), Permissions{Network: true}},
		{"", env(EnvAllow, "network"), allow("network=*.corp"), Permissions{Network: true}},
	} {
		if got := mustResolve(t, c.file, c.env, c.flags).Permissions(); got != c.want {
			t.Errorf("file %q, flags %v: got %+v, want %+v", c.file, c.flags["allow"], got, c.want)
		}
	}
}

func TestVariablesOfPluginsAreNamedByTheOperator(t *testing.T) {
	policy := filepath.Join(tree(t, map[string]string{"policy.yaml": "allow: [exec-plugins=A]"}), "policy.yaml")
	s := mustResolve(t, "", env(EnvPolicy, policy, EnvAllow, "exec-plugins=B_*"), Flags{})
	if got := Strings(s.PluginVariables.Value); !slices.Equal(got, []string{"A", "B_*"}) || !s.ExecPlugins.Value {
		t.Errorf("got %q", got)
	}
	for name, want := range map[string]bool{
		"A": true, "B_X": true, "B_TOKEN": false, "C": false, "PATH": true, "https_proxy": true, "LC_ALL": true, "PWD": true,
		"GITHUB_TOKEN": false, "HELM_KUBETOKEN": false, "AWS_REGION": true, "AWS_SECRET_ACCESS_KEY": false,
		"AWS_WEB_IDENTITY_TOKEN_FILE": true, "ROLLSTAMP_HASH_KEY": false, "ARGOCD_ENV_CLUSTER": true, "DATABASE_URL": false,
	} {
		if got := s.isForPlugins(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	for _, text := range []string{"exec-plugins=", "exec-plugins=*", "exec-plugins=A B", "outside-root=A"} {
		_, err := resolveIn(t, "", env(EnvAllow, text), Flags{})
		fails(t, err, EnvAllow)
	}
}

func TestAFileInTheTreeCannotAllow(t *testing.T) {
	_, err := resolveIn(t, "level: 1\nallow: [network]", env(), Flags{})
	fails(t, err, `.rollstamp.yaml:2: unknown field "allow"`)
	if hint := diag.HintOf(err); !strings.Contains(hint, "operator's policy file") || !strings.Contains(hint, "--allow") {
		t.Errorf("hint %q", hint)
	}
}

func TestPermissionsNameWhoGrantsAndWhoDenies(t *testing.T) {
	const text = "# ours\nallow:\n- network\n- exec-plugins\n- outside-root"
	policy := filepath.Join(tree(t, map[string]string{"policy.yaml": text}), "policy.yaml")
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
		e := env(EnvPolicy, filepath.Join(root, path))
		_, err := Resolve(Inputs{Place: place(t, filepath.Join(root, "repo/app")), Env: e})
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
	fails(t, resolve("broken.yaml"), `broken.yaml:1: allow[0]: "everything" is not one of`,
		`broken.yaml:2: unknown field "allows"; did you mean allow?`)
}
