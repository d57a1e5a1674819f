package ci

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// hooked is a repository in which the real pre-commit runs hooks of this repository's last commit.
type hooked struct {
	dir string
	env []string
}

// newHooked writes the configuration of pre-commit, in which REPOSITORY and REVISION are this repository's, and
// installs it.
func newHooked(t *testing.T, dir, config string, env ...string) hooked {
	t.Helper()
	needs(t, "pre-commit", "git")
	here, err := filepath.Abs(top)
	if err != nil {
		t.Fatal(err)
	}
	if err := exec.Command("git", "-C", here, "rev-parse", "HEAD").Run(); err != nil {
		t.Skip("this source is no Git repository, and pre-commit installs from one")
	}
	values := strings.NewReplacer("REPOSITORY", here, "REVISION", git(t, here, "rev-parse", "HEAD"))
	write(t, filepath.Join(dir, ".pre-commit-config.yaml"), values.Replace(config))
	h := hooked{dir: dir, env: append(env, "PRE_COMMIT_HOME="+t.TempDir(), "GIT_CONFIG_COUNT=3", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
		"GIT_CONFIG_KEY_1=user.name", "GIT_CONFIG_VALUE_1=t", "GIT_CONFIG_KEY_2=user.email", "GIT_CONFIG_VALUE_2=t@example.com")}
	if out, err := h.run("pre-commit", "install"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return h
}

func (h hooked) run(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = h.dir, append(os.Environ(), h.env...)
	b, err := cmd.CombinedOutput()
	return string(b), err
}

// commit commits what is staged, as somebody does.
func (h hooked) commit(args ...string) (string, error) {
	return h.run("git", append([]string{"commit", "-q", "-m", "a change"}, args...)...)
}

const stampHook = `repos:
- repo: REPOSITORY
  rev: REVISION
  hooks:
  - id: rollstamp-stamp
    args: [--hash-domain=shop, "apps/*"]
`

const config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {LEVEL: info}\n"

var stampOf = regexp.MustCompile(`checksum.rollstamp.dev/configmap.settings: (v1-\S+)`)

// stamps returns the stamps in the manifests of each environment.
func (h hooked) stamps(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range []string{"dev", "prod"} {
		if m := stampOf.FindStringSubmatch(text(t, filepath.Join(h.dir, "apps", name, "web.yaml"))); m != nil {
			all[name] = m[1]
		}
	}
	return all
}

func TestPreCommitStampsConsumersOfAChangedConfigMap(t *testing.T) {
	_, url, _ := release(t)
	dir := t.TempDir()
	_, workload, _ := strings.Cut(before, "---\n")
	for name, level := range map[string]string{"dev": "debug", "prod": "info"} {
		write(t, filepath.Join(dir, "apps", name, "config.yaml"), strings.Replace(config, "info", level, 1))
		write(t, filepath.Join(dir, "apps", name, "web.yaml"), workload)
	}
	write(t, filepath.Join(dir, "apps/README.md"), "# Applications\n")
	git(t, dir, "init", "-q", "-b", "main")
	h := newHooked(t, dir, stampHook, "ROLLSTAMP_RELEASES="+url, "ROLLSTAMP_CACHE_DIR="+t.TempDir(), "ROLLSTAMP_VERSION=v1.2.3")
	git(t, dir, "add", ".")
	modified := func(name string) {
		t.Helper()
		if out, err := h.commit(); err == nil || !strings.Contains(out, "files were modified by this hook") {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		if out, err := h.commit("--all"); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
	modified("the first commit")
	first := h.stamps(t)
	if len(first) != 2 || first["dev"] == first["prod"] {
		t.Fatalf("two applications with equal names and other contents have the stamps %v", first)
	}
	write(t, filepath.Join(dir, "apps/dev/config.yaml"), strings.Replace(config, "info", "trace", 1))
	git(t, dir, "add", "apps/dev/config.yaml")
	modified("a commit of the ConfigMap alone")
	second := h.stamps(t)
	if second["dev"] == first["dev"] || second["prod"] != first["prod"] {
		t.Errorf("the stamps were %v and are %v", first, second)
	}
	git(t, dir, "rm", "-q", "apps/dev/config.yaml")
	if out, err := h.commit(); err != nil || !strings.Contains(out, "Passed") {
		t.Errorf("a commit that removes the ConfigMap is not looked at: %v\n%s", err, out)
	}
	write(t, filepath.Join(dir, "apps/dev/config.yaml"), "kind: [")
	write(t, filepath.Join(dir, "apps/prod/config.yaml"), strings.Replace(config, "info", "warn", 1))
	git(t, dir, "add", ".")
	if out, err := h.commit(); err == nil || !strings.Contains(out, "apps/dev/config.yaml") || h.stamps(t)["prod"] == first["prod"] {
		t.Errorf("one application fails, and the other is not stamped: %v\n%s", err, out)
	}
}

func TestTheStampHookWantsApplications(t *testing.T) {
	needs(t, "bash", "curl")
	_, url, _ := release(t)
	dir := t.TempDir()
	script, err := filepath.Abs(filepath.Join(top, "scripts/stamp"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "chart/Chart.yaml"), "apiVersion: v2\nname: web\nversion: 1.0.0\n")
	write(t, filepath.Join(dir, "empty/README.md"), "")
	write(t, filepath.Join(dir, "with a space/app.yaml"), before)
	env := []string{"ROLLSTAMP_RELEASES=" + url, "ROLLSTAMP_CACHE_DIR=" + t.TempDir(), "ROLLSTAMP_VERSION=v1.2.3"}
	for args, want := range map[string]string{
		"": "no application is named", "nowhere": "nowhere: no such application", "'no*such'": "no*such: no such application",
		"chart": "chart is a chart", "empty": "empty has no manifests", "--no-such-flag 'with a space'": "unknown flag",
	} {
		if out, err := shell(t, dir, "'"+script+"' "+args, env...); err == nil || !strings.Contains(out, want) {
			t.Errorf("%s: %v, want %q\n%s", args, err, want, out)
		}
	}
	if out, err := shell(t, dir, "'"+script+"' 'with*'", env...); err != nil || !stampOf.MatchString(text(t, filepath.Join(dir, "with a space/app.yaml"))) {
		t.Errorf("%v\n%s", err, out)
	}
}

// renderedHooks is a repository with the hooks of the example, which are built from this repository's last commit.
func renderedHooks(t *testing.T) hooked {
	t.Helper()
	dir := repository(t)
	values := []string{"https://github.com/rollstamp/rollstamp", "REPOSITORY", "rev: v0.1.0 #", "rev: REVISION #"}
	config := strings.NewReplacer(values...).
		Replace(text(t, filepath.Join(top, "examples/pre-commit/pre-commit-config.yaml")))
	cache := func(name string) string {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		return name + "=" + strings.TrimSpace(string(out))
	}
	// No release can be had, so the hooks build what they run.
	h := newHooked(t, dir, config, cache("GOMODCACHE"), cache("GOCACHE"),
		"ROLLSTAMP_CACHE_DIR="+t.TempDir(), "ROLLSTAMP_RELEASES=http://127.0.0.1:1")
	git(t, dir, "add", ".")
	return h
}

func TestPreCommitKeepsARenderedFolderUpToDate(t *testing.T) {
	h := renderedHooks(t)
	hooks := func() (string, error) { return h.run("pre-commit", "run", "--all-files", "--verbose") }
	if out, err := hooks(); err == nil || !strings.Contains(out, "  rendered/apps/shop/manifests.yaml\n") {
		t.Fatalf("a folder that is not staged passes, or is not named: %v\n%s", err, out)
	}
	rendered := filepath.Join(h.dir, "rendered/apps/shop/manifests.yaml")
	if !strings.Contains(text(t, rendered), "checksum.rollstamp.dev/configmap.settings: v1-") {
		t.Errorf("the rendered folder holds %s", text(t, rendered))
	}
	git(t, h.dir, "add", ".")
	if out, err := hooks(); err != nil || git(t, h.dir, "diff", "--name-only") != "" {
		t.Errorf("the second run changes something: %v\n%s", err, out)
	}
	// A source that changes makes the hook change the folder, which fails the commit until that is added, too.
	write(t, filepath.Join(h.dir, "apps/shop/app.yaml"), strings.Replace(before, "info", "warn", 1))
	git(t, h.dir, "add", "apps")
	if out, err := hooks(); err == nil || !strings.Contains(out, "files were modified by this hook") {
		t.Errorf("a stale folder passes: %v\n%s", err, out)
	}
	git(t, h.dir, "add", ".")
	if out, err := hooks(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestPreCommitWantsWhatANewApplicationRendersTo(t *testing.T) {
	h := renderedHooks(t)
	rendered := "rendered/apps/two/manifests.yaml"
	if out, err := h.commit(); err == nil {
		t.Fatalf("the first commit has no rendered folder, and passes\n%s", out)
	}
	git(t, h.dir, "add", "rendered")
	if out, err := h.commit(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	write(t, filepath.Join(h.dir, "apps/two/app.yaml"), strings.ReplaceAll(before, "web", "two"))
	write(t, filepath.Join(h.dir, "rendered/notes.txt"), "what render does not write is nobody's concern")
	git(t, h.dir, "add", "apps")
	head := git(t, h.dir, "rev-parse", "HEAD")
	out, err := h.commit()
	for _, name := range []string{rendered, "rendered/.rollstamp-index"} {
		if err == nil || !strings.Contains(out, "  "+name+"\n") || strings.Contains(out, "notes.txt") {
			t.Errorf("a new application passes, or %s is not what is to be added: %v\n%s", name, err, out)
		}
	}
	if now := git(t, h.dir, "rev-parse", "HEAD"); now != head {
		t.Errorf("%s was committed", now)
	}
	git(t, h.dir, "add", rendered, "rendered/.rollstamp-index")
	if out, err := h.commit(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	clone := filepath.Join(t.TempDir(), "clone")
	git(t, h.dir, "clone", "-q", h.dir, clone)
	check := "'" + filepath.Join(program(t), "rollstamp") + "' render --check --output-dir rendered 'apps/*'"
	if out, err := shell(t, clone, check); err != nil {
		t.Errorf("a clone is stale: %v\n%s", err, out)
	}
}

func TestTheRenderingHooksWantTheFolderStaged(t *testing.T) {
	needs(t, "bash", "curl", "git")
	_, url, _ := release(t)
	dir := repository(t)
	script, err := filepath.Abs(filepath.Join(top, "scripts/hook"))
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"ROLLSTAMP_RELEASES=" + url, "ROLLSTAMP_CACHE_DIR=" + t.TempDir(), "ROLLSTAMP_VERSION=v1.2.3"}
	write(t, filepath.Join(dir, "of a fleet/old/manifests.yaml"), "")
	write(t, filepath.Join(dir, ".gitignore"), "/ignored/\n")
	git(t, dir, "add", ".")
	if err := os.RemoveAll(filepath.Join(dir, "of a fleet/old")); err != nil {
		t.Fatal(err)
	}
	shop, old := "  of a fleet/apps/shop/manifests.yaml\n", "  of a fleet/old/manifests.yaml\n"
	for _, step := range []struct {
		name, before, args string
		want               []string
	}{
		{"ignored", "true", "render --output-dir ignored 'apps/*'", nil},
		{"outside of the repository", "true", "render --output-dir '" + t.TempDir() + "' 'apps/*'", nil},
		{"new and removed", "true", "render --output-dir 'of a fleet' 'apps/*'", []string{shop, old}},
		{"as one argument", "true", "render --output-dir='of a fleet/' 'apps/*'", []string{shop, old}},
		{"checked", "true", "render --check --output-dir 'of a fleet' 'apps/*'", []string{shop, old}},
		{"removed", "git add 'of a fleet/'{apps,.rollstamp-index}", "render --output-dir 'of a fleet' 'apps/*'", []string{old}},
		{"staged", "git add 'of a fleet'", "render --output-dir 'of a fleet' 'apps/*'", nil},
		{"no folder", "true", "render apps/shop", nil},
	} {
		out, err := shell(t, dir, step.before+"; '"+script+"' "+step.args, env...)
		if (err != nil) != (step.want != nil) {
			t.Errorf("%s: %v\n%s", step.name, err, out)
		}
		for _, name := range []string{shop, old} {
			if strings.Contains(out, name) != slices.Contains(step.want, name) {
				t.Errorf("%s: %q, want %q\n%s", step.name, name, step.want, out)
			}
		}
	}
}

func TestPreCommitStampsFluxsObjects(t *testing.T) {
	_, url, _ := release(t)
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	write(t, filepath.Join(dir, "apps/shop/app.yaml"), before)
	object := filepath.Join(dir, "clusters/prod/shop.yaml")
	write(t, object, "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: shop, namespace: flux-system}\n"+
		"spec:\n  path: apps/shop\n  prune: true\n  interval: 1h\n  sourceRef: {kind: GitRepository, name: flux-system}\n")
	h := newHooked(t, dir, fluxHook, "ROLLSTAMP_RELEASES="+url, "ROLLSTAMP_CACHE_DIR="+t.TempDir(), "ROLLSTAMP_VERSION=v1.2.3")
	git(t, dir, "add", ".")
	if out, err := h.commit(); err == nil || !strings.Contains(out, "files were modified by this hook") {
		t.Fatalf("an object without stamps is committed: %v\n%s", err, out)
	}
	if !strings.Contains(text(t, object), "checksum.rollstamp.dev/configmap.settings: v1-") {
		t.Errorf("the object has %s", text(t, object))
	}
	git(t, dir, "add", ".")
	if out, err := h.commit(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

const fluxHook = `repos:
- repo: REPOSITORY
  rev: REVISION
  hooks:
  - id: rollstamp-flux-stamp
    args: [clusters/prod]
`
