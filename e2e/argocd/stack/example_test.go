package stack

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/argocd/parts"
	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
)

// workedExample is the section of docs/secrets.md that is run.
const workedExample = "## From nothing to a rotation that is reviewed"

var fence = regexp.MustCompile("(?s)```(yaml|sh|text)\n(.*?)```")

// The worked example of the page is run as it stands, with a real Vault; and the real plugin server renders the
// applications before and after the rotation.
func TestTheWorkedExampleOfThePageIsRunLineByLine(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(folder.Root(t), "docs", "secrets.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, there := strings.Cut(string(page), workedExample+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	if !there {
		t.Fatal("the page has no such section")
	}
	e := newExample(t)
	apps := []string{"cart", "catalog", "mail", "orders", "payments", "reviews", "search", "stock", "users", "web"}
	for _, app := range apps {
		for _, stage := range []string{"dev", "prod"} {
			e.vault.Put(t, stage+"/"+app, "password="+exampleCanary)
		}
	}
	outputs := 0
	var before map[string]string
	for _, block := range fence.FindAllStringSubmatch(section, -1) {
		switch text := block[2]; block[1] {
		case "yaml":
			e.write(t, text)
		case "sh":
			if strings.Contains(text, "vault kv put") {
				before = e.generate(t, apps)
			}
			e.sh(t, text)
		case "text":
			outputs++
			if e.last != text {
				t.Errorf("the page says\n%s\nit is\n%s", text, e.last)
			}
		}
	}
	after := e.generate(t, apps)
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if moved := before[name] != after[name]; moved != (name == "cart-prod") {
			t.Errorf("after the rotation, %s: another pod template is %v", name, moved)
		}
	}
	if outputs != 2 || len(before) != 20 {
		t.Errorf("%d outputs, %d applications", outputs, len(before))
	}
}

const exampleCanary = "canary-83bd"

// example is a repository that the page's lines are run in.
type example struct {
	vault  *parts.Vault
	plugin *parts.Server
	dir    string
	env    []string
	last   string // what the last lines printed
}

func newExample(t *testing.T) *example {
	t.Helper()
	e := &example{vault: parts.StartVault(t), dir: folder.Empty(t)}
	e.plugin = parts.StartCMP(t, parts.Ours(), parts.Sidecar{})
	bin := folder.Empty(t)
	if err := os.Symlink(e.vault.Client, filepath.Join(bin, "vault")); err != nil {
		t.Fatal(err)
	}
	e.env = append([]string{
		"PATH=" + bin + ":" + filepath.Dir(process.Rollstamp(t)) + ":" + os.Getenv("PATH"), "HOME=" + folder.Empty(t),
		"ROLLSTAMP_STORES=" + parts.Stores(t), "GIT_CONFIG_NOSYSTEM=1",
	}, e.vault.Environ()...)
	e.sh(t, "git init --quiet --initial-branch=main\ngit config user.name e2e\ngit config user.email e2e@example.com\n"+
		"git remote add origin https://git.example.com/shop.git\n")
	return e
}

// write writes a file that the page shows, by the path in its first line.
func (e *example) write(t *testing.T, text string) {
	t.Helper()
	first, rest, _ := strings.Cut(text, "\n")
	path, named := strings.CutPrefix(first, "# ")
	if !named {
		t.Fatalf("no path in the first line of\n%s", text)
	}
	folder.WriteFile(t, filepath.Join(e.dir, filepath.FromSlash(path)),
		strings.ReplaceAll(rest, "https://vault.example.com:8200", e.vault.Address))
}

// sh runs lines of the page.
func (e *example) sh(t *testing.T, text string) {
	t.Helper()
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", text)
	cmd.Dir, cmd.Env = e.dir, e.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v in\n%s\n%s%s", err, text, out.String(), errs.String())
	}
	if strings.Contains(out.String()+errs.String(), exampleCanary) {
		t.Errorf("a value is shown by\n%s", text)
	}
	e.last = out.String()
}

// generate asks the plugin server for each Application, as Argo CD would, and returns the stamps of its pod template.
func (e *example) generate(t *testing.T, apps []string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, app := range apps {
		for _, stage := range []string{"dev", "prod"} {
			a := parts.Shop().With("valueFiles", []string{"values-" + stage + ".yaml"})
			a.Name, a.Namespace, a.Path = app+"-"+stage, "shop-"+stage, "apps/"+app
			manifests, err := e.plugin.Generate(t, parts.Call{Application: a, Repo: e.dir})
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range manifests {
				if strings.Contains(m, `"kind":"Deployment"`) {
					out[a.Name] = m
				}
			}
			if !strings.Contains(out[a.Name], "checksum.rollstamp.dev/secret."+app) {
				t.Errorf("%s is not stamped:\n%s", a.Name, out[a.Name])
			}
		}
	}
	return out
}
