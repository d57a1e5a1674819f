package contract

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/e2e/cluster"
	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
	"github.com/rollstamp/rollstamp/e2e/flux/parts"
)

// Names of files in a case that are no part of the repository.
const (
	inCluster = "CLUSTER"   // objects that the cluster has before; values of substituteFrom and valuesFrom are handed to us, too
	encrypted = "ENCRYPT"   // files that sops encrypts, one a line, each with more flags for sops
	refusals  = "REFUSED"   // NAME: what the condition of that object says where it is refused [| what we say]; one a line
	ourFlags  = "FLAGS"     // more flags for us, one a line
	unequal   = "UNEQUAL"   // why we differ, where that is known
	noCLI     = "NO-CLI"    // why Flux's command line is not asked
	unwritten = "UNWRITTEN" // what we say instead of writing it with stamps
	applied   = "APPLIED"   // files with Flux's objects that others of the case apply, one a line
)

// charts is the folder of charts that are no part of the repository.
const charts = "CHARTS/"

// objectsFile holds Flux's own objects in the repository of a case.
const objectsFile = "flux.yaml"

// contractCase is a repository with what is expected of it. CASE in a file is its name, and the namespace that it is
// in; GIT, REGISTRY and CHARTREPO are where its repository, the registry and its packed charts are. What lies below
// CHARTS/ are folders of these; PACKAGES is the folder with what was packed, LAYOUT an image layout of it.
type contractCase struct {
	name  string
	about map[string]string // the files that are no part of the repository
	repo  folder.Repository
	keys  *parts.AgeKey // nil where nothing is encrypted
}

func readCase(t *testing.T, flux *parts.Flux, path string) contractCase {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return newCase(t, flux, strings.TrimSuffix(filepath.Base(path), ".txtar"), archive.Files)
}

func newCase(t *testing.T, flux *parts.Flux, name string, files []txtar.File) contractCase {
	t.Helper()
	c := contractCase{name: name, about: map[string]string{}, repo: folder.Repository{Dir: folder.Empty(t)}}
	places := []string{"CASE", name, "GIT", flux.Git.Serve(t, name, c.repo), "REGISTRY", flux.Registry.Host}
	if dir := chartsOf(t, files); dir != "" {
		served := flux.ServeCharts(t, dir, name)
		places = append(places, "CHARTREPO", served.URL, "PACKAGES", served.Folder, "LAYOUT", served.Layout)
	}
	for _, file := range files {
		text := strings.NewReplacer(places...).Replace(string(file.Data))
		switch {
		case strings.HasPrefix(file.Name, charts):
		case strings.ToUpper(file.Name) == file.Name:
			c.about[file.Name] = text
		default:
			folder.WriteFile(t, filepath.Join(c.repo.Dir, file.Name), text)
		}
	}
	if lines := c.lines(encrypted); len(lines) > 0 {
		c.keys = parts.NewAgeKey(t)
		for _, line := range lines {
			words := strings.Fields(line)
			c.keys.Encrypt(t, filepath.Join(c.repo.Dir, words[0]), words[1:]...)
		}
	}
	return c
}

// chartsOf writes the charts that are no part of the repository, and returns their folder; none where there are none.
func chartsOf(t *testing.T, files []txtar.File) string {
	t.Helper()
	dir := ""
	for _, file := range files {
		if inside, found := strings.CutPrefix(file.Name, charts); found {
			if dir == "" {
				dir = folder.Empty(t)
			}
			folder.WriteFile(t, filepath.Join(dir, inside), string(file.Data))
		}
	}
	return dir
}

// lines are the lines of one of the case's files about itself.
func (c contractCase) lines(name string) []string {
	return slices.DeleteFunc(strings.Split(c.about[name], "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
}

// refusal is what the controllers say of an object that they refuse, and what we do.
type refusal struct{ theirs, ours string }

// refused are the refusals of a case, by the names of the objects.
func (c contractCase) refused() map[string]refusal {
	out := map[string]refusal{}
	for _, line := range c.lines(refusals) {
		name, words, _ := strings.Cut(line, ": ")
		theirs, ours, differ := strings.Cut(words, " | ")
		if !differ {
			ours = theirs
		}
		out[name] = refusal{theirs: theirs, ours: ours}
	}
	return out
}

func (c contractCase) objects(t *testing.T) []cluster.Object {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(c.repo.Dir, objectsFile))
	if err != nil {
		t.Fatal(err)
	}
	return cluster.Parse(t, text)
}

// found are Flux's objects that others of the case apply.
func (c contractCase) found(t *testing.T) (out []cluster.Object) {
	t.Helper()
	for _, name := range c.lines(applied) {
		text, err := os.ReadFile(filepath.Join(c.repo.Dir, strings.TrimSpace(name)))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, cluster.Parse(t, text)...)
	}
	return out
}

// install puts the case into the cluster, in a namespace of its own; sources first, so that nobody has to wait for them.
func (c contractCase) install(t *testing.T, flux *parts.Flux) {
	t.Helper()
	c.repo.Commit(t, "the case")
	flux.Create(t, "{apiVersion: v1, kind: Namespace, metadata: {name: "+c.name+"}}")
	flux.Create(t, c.about[inCluster])
	if c.keys != nil {
		flux.Create(t, c.keys.Secret(c.name))
	}
	objects := c.objects(t)
	isSource := func(o cluster.Object) bool {
		return strings.HasPrefix(o.Text("apiVersion"), "source.toolkit.fluxcd.io/")
	}
	for _, sources := range []bool{true, false} {
		for _, o := range objects {
			if isSource(o) == sources {
				flux.CreateObject(t, o)
			}
		}
		for _, o := range objects {
			if sources && isSource(o) && !parts.IsStatic(o) {
				flux.AwaitReady(t, o)
			}
		}
	}
}

// values are the ConfigMaps and Secrets that the cluster has before.
func (c contractCase) values(t *testing.T) string {
	t.Helper()
	var out []string
	for _, o := range cluster.Parse(t, []byte(c.about[inCluster])) {
		if o.Kind() == "ConfigMap" || o.Kind() == "Secret" {
			text, err := yaml.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(text))
		}
	}
	return strings.Join(out, "---\n")
}

// ours runs our program over the case, and returns where the files of its applications are.
func (c contractCase) ours(t *testing.T, how ...string) (dir, stderr string, err error) {
	t.Helper()
	if exec.Command(process.Rollstamp(t), "flux", "build", "--help").Run() != nil {
		t.Skip("rollstamp has no command flux build yet")
	}
	dir = folder.Empty(t)
	out, stderr, err := c.print(t, append(how, "--output-dir", dir)...)
	if err != nil && len(out) > 0 {
		t.Errorf("an error, and yet on standard output:\n%s", out)
	}
	return dir, stderr, err
}

// print runs our program over the case, and returns what it prints.
func (c contractCase) print(t *testing.T, how ...string) (stdout []byte, stderr string, err error) {
	t.Helper()
	args := append([]string{"flux", "build", objectsFile, "--source", "GitRepository/" + c.name + "/repo=.",
		"--plaintext-secrets"}, slices.Concat(how, c.lines(ourFlags))...)
	if values := c.values(t); values != "" {
		file := filepath.Join(folder.Empty(t), "cluster.yaml")
		folder.WriteFile(t, file, values)
		args = append(args, "--vars", file)
	}
	var secrets []string
	if c.keys != nil {
		args, secrets = append(args, "--open-sops"), c.keys.Environ()
	}
	cmd := exec.Command(process.Rollstamp(t), args...)
	cmd.Dir = c.repo.Dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + folder.Empty(t)}, secrets...)
	var out, failure bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failure
	err = cmd.Run()
	return out.Bytes(), failure.String(), err
}

// runCLI runs Flux's command line over one Kustomization.
func (c contractCase) runCLI(t *testing.T, kustomization cluster.Object) []byte {
	t.Helper()
	path := filepath.Join(c.repo.Dir, kustomization.Text("spec", "path"))
	cmd := exec.Command(parts.CLI(t), "build", "kustomization", kustomization.Name(), "--namespace", kustomization.Namespace(),
		"--path", path, "--kustomization-file", filepath.Join(c.repo.Dir, objectsFile), "--dry-run", "--in-memory-build", "--strict-substitute")
	cmd.Dir = c.repo.Dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + folder.Empty(t), "KUBECONFIG=/dev/null"}
	var failure bytes.Buffer
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("flux build: %v\n%s", err, &failure)
	}
	return out
}
