package inputs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rollstamp/rollstamp/diff/inputs"
	"github.com/rollstamp/rollstamp/git"
)

// place is the work tree of a repository that the real git makes.
type place struct {
	t   *testing.T
	top string
}

func (p place) git(args ...string) {
	p.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
	cmd.Dir = p.top
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (p place) at(name string) string { return filepath.Join(p.top, filepath.FromSlash(name)) }

func (p place) put(name, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.at(name)), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.at(name), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p place) remove(name string) {
	p.t.Helper()
	if err := os.RemoveAll(p.at(name)); err != nil {
		p.t.Fatal(err)
	}
}

// probes returns what has an application without a context look for names.
func probes(names ...string) func(p place, app *inputs.App) {
	return func(p place, app *inputs.App) {
		app.Context = nil
		for _, name := range names {
			app.Probed = append(app.Probed, p.at(name))
		}
	}
}

func TestAnApplicationIsTheSameWhereAllItsInputsAre(t *testing.T) {
	for what, c := range map[string]struct {
		change func(p place)
		app    func(p place, app *inputs.App)
		same   bool
	}{
		"nothing": {same: true},
		"it is a file": {
			app: func(p place, a *inputs.App) {
				a.Path, a.Read = p.at("base/deep/d.yaml"), []string{p.at("base/deep/d.yaml")}
			}, same: true},
		"it is a file, and configured there since": {change: func(p place) { p.put("base/deep/.rollstamp.yaml", "level: 1\n") },
			app: func(p place, a *inputs.App) {
				a.Path, a.Read = p.at("base/deep/d.yaml"), []string{p.at("base/deep/d.yaml")}
			}},
		"its folder has its own configuration, and other files": {change: func(p place) { p.put("other/.rollstamp.yaml", "namespace: b\n") },
			app: func(p place, a *inputs.App) { a.Path, a.Read = p.at("other"), nil }},
		"a folder without links is read": {
			app: func(p place, a *inputs.App) { a.Path, a.Read = p.at("base"), []string{p.at("base/deep/d.yaml")} }, same: true},
		"it lies behind a link": {
			app: func(p place, a *inputs.App) {
				a.Path, a.Read = p.at("linked/deep"), []string{p.at("linked/deep/d.yaml")}
			}},
		"a file beside the repository":  {change: func(p place) { p.put("../outside.yaml", "") }, same: true},
		"its folder":                    {change: func(p place) { p.put("apps/web/new.yaml", "") }},
		"what it read":                  {change: func(p place) { p.put("base/deep/d.yaml", "a: 2\n") }},
		"what it did not read":          {change: func(p place) { p.put("other/d.yaml", "a: 2\n") }, same: true},
		"a name beside what it read":    {change: func(p place) { p.put("base/new.yaml", "") }},
		"a name beside the base":        {change: func(p place) { p.put("new.yaml", "") }, same: true},
		"what it looks things up in":    {change: func(p place) { p.put("around/deep/c.yaml", "") }},
		"a configuration above":         {change: func(p place) { p.put(".rollstamp.yaml", "namespace: x\n") }},
		"a configuration elsewhere":     {change: func(p place) { p.put("other/.rollstamp.yaml", "namespace: x\n") }, same: true},
		"what it looked for is nowhere": {app: probes("absent/x.yaml", "around"), same: true},
		"what it looked for is gone": {
			change: func(p place) { p.remove("around/deep") }, app: probes("around/deep/c.yaml")},
		"what it looked for is new": {change: func(p place) { p.put("absent/x.yaml", "") }, app: probes("absent/x.yaml")},
		"where it looked a name is gone": {
			change: func(p place) { p.remove("other/.rollstamp.yaml") }, app: probes("other")},
		"it looked outside of the repository": {app: probes("../outside.yaml")},
		"a lock above":                        {change: func(p place) { p.put("apps/rollstamp.lock", "schema 1\n") }},

		"a file outside of the repository was read": {app: func(p place, a *inputs.App) { a.Read = append(a.Read, p.at("../outside.yaml")) }},
		"a folder outside of it is looked through":  {app: func(p place, a *inputs.App) { a.Context = append(a.Context, p.at("..")) }},
		"a file was read through a link":            {app: func(p place, a *inputs.App) { a.Read = append(a.Read, p.at("apps/web/link/d.yaml")) }},
		"the configuration builds on another":       {app: func(p place, a *inputs.App) { a.Path, a.Read = p.at("extended"), nil }},
		"the configuration is by itself":            {app: func(p place, a *inputs.App) { a.Path, a.Read = p.at("other"), nil }, same: true},
	} {
		t.Run(what, func(t *testing.T) {
			top, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			p := place{t, filepath.Join(top, "repo")}
			p.put("apps/web/kustomization.yaml", "resources: [../../base]\n")
			p.put("base/deep/d.yaml", "a: 1\n")
			p.put("around/deep/c.yaml", "a: 1\n")
			p.put("other/.rollstamp.yaml", "namespace: a\n")
			p.put("extended/.rollstamp.yaml", "extends: ../other/.rollstamp.yaml\n")
			if err := os.Symlink("../../base", p.at("apps/web/link")); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("base", p.at("linked")); err != nil {
				t.Fatal(err)
			}
			p.git("init", "-q", "-b", "main")
			p.git("add", "-A")
			p.git("commit", "-q", "-m", "first")
			if c.change != nil {
				c.change(p)
			}
			app := inputs.App{Path: p.at("apps/web"), Context: []string{p.at("around")},
				Read: []string{p.at("apps/web/kustomization.yaml"), p.at("base/deep/d.yaml")}}
			if c.app != nil {
				c.app(p, &app)
			}
			repo, err := git.Open(p.top)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = repo.Close() }()
			from, err := repo.Tree("HEAD")
			if err != nil {
				t.Fatal(err)
			}
			if same := inputs.NewComparer(git.Sides{Top: p.top, From: from}).Same(app); same != c.same {
				t.Errorf("taken for the same: %v", same)
			}
			p.git("add", "-A")
			p.git("commit", "-q", "--allow-empty", "-m", "second")
			to, err := repo.Tree("HEAD")
			if err != nil {
				t.Fatal(err)
			}
			if same := inputs.NewComparer(git.Sides{Top: p.top, From: from, To: to}).Same(app); same != c.same {
				t.Errorf("as a revision, taken for the same: %v", same)
			}
		})
	}
}
