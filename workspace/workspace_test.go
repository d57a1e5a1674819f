package workspace_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/workspace"
)

const address = "https://git.example.org/shop/deploy.git"

// git runs the real git, which knows nothing of this machine's users.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// folder writes files into a new folder and returns its path without links.
func folder(t *testing.T, contents map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	for name, text := range contents {
		path := filepath.Join(dir, name)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o755)
		}
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// committed returns a repository with two commits of one file, the first tagged v1.0.0, and a change that is not
// committed.
func committed(t *testing.T) string {
	dir := folder(t, nil)
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "remote", "add", "origin", address)
	for _, text := range []string{"one", "two"} {
		if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-q", "-m", text)
		if text == "one" {
			git(t, dir, "tag", "v1.0.0")
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("not committed"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestARepositoryIsFoundByAnyAddressOfItsRemotes(t *testing.T) {
	dir := committed(t)
	for _, row := range []struct {
		version       workspace.Version
		address, rev  string
		want, problem string
	}{
		{workspace.WorkTree, address, "v1.0.0", "not committed", ""},
		{workspace.Committed, address, "", "two", ""},
		{workspace.Committed, "git@git.example.org:shop/deploy", "HEAD", "two", ""},
		{workspace.Committed, "ssh://git@GIT.example.org/shop/deploy/", "v1.0.0", "one", ""},
		{workspace.Committed, address, "1.*", "one", ""},
		{workspace.Committed, address, "none", "", `revision "none"`},
		{workspace.WorkTree, "https://git.example.org/other", "", "", "the network is not allowed"},
	} {
		repos := &workspace.Repositories{Version: row.version}
		repos.AddAround(filepath.Join(dir, "a.txt"))
		found, err := repos.Find(context.Background(), row.address, row.rev)
		if row.problem != "" {
			if err == nil || !strings.Contains(err.Error(), row.problem) {
				t.Errorf("%s %s: %v, want %s", row.address, row.rev, err, row.problem)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s %s: %v", row.address, row.rev, err)
			continue
		}
		if text, err := found.Read("a.txt"); err != nil || string(text) != row.want {
			t.Errorf("%s %s holds %q, %v; want %q", row.address, row.rev, text, err, row.want)
		}
		if err := repos.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestACheckoutListsWhatGitWouldHold(t *testing.T) {
	dir := folder(t, map[string]string{".gitignore": "out/\n", "app/a.yaml": "", "out/b.yaml": "", ".hidden/c.yaml": "", ".git/HEAD": ""})
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	repos := &workspace.Repositories{}
	if err := repos.Add(address, dir); err != nil {
		t.Fatal(err)
	}
	found, err := repos.Find(context.Background(), address, "")
	if err != nil {
		t.Fatal(err)
	}
	names, err := found.FileNames()
	if want := []string{".gitignore", ".hidden/c.yaml", "app/a.yaml"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("files are %v, %v; want %v", names, err, want)
	}
	folders, err := found.Folders()
	if want := []string{".hidden", "app"}; err != nil || !slices.Equal(folders, want) {
		t.Errorf("folders are %v, %v; want %v", folders, err, want)
	}
	if _, err := found.Folder("../elsewhere"); err == nil {
		t.Error("a folder out of the repository is found")
	}
}

func TestAnAddressOfSSHHasAURL(t *testing.T) {
	for address, want := range map[string]string{
		"git@git.example.org:shop/deploy.git": "ssh://git@git.example.org/shop/deploy.git",
		"git@git.example.org:/srv/deploy":     "ssh://git@git.example.org/srv/deploy",
		"git@git.example.org/shop/deploy":     "ssh://git@git.example.org/shop/deploy",
		"https://me@git.example.org/shop":     "",
		"git.example.org:shop":                "",
		"git@git.example.org":                 "",
		"../deploy@2":                         "",
	} {
		got, ok := workspace.SSHURL(address)
		if got != want || ok != (want != "") {
			t.Errorf("%s: got %q, %v", address, got, ok)
		}
		if ok && !workspace.SameRepository(got, address) {
			t.Errorf("%s is another repository than %s", got, address)
		}
	}
}

func TestTheCaseOfAPathIsKeptAndThatOfAHostIsNot(t *testing.T) {
	for address, want := range map[string]string{
		"https://Git.Example.org/Shop/Deploy.git": "git.example.org/Shop/Deploy",
		"git@Git.Example.org:Shop/Deploy":         "git.example.org/Shop/Deploy",
		"HTTPS://me@git.example.org/a/B?ref=C":    "git.example.org/a/B",
		"file:///Home/Me/shop.git/":               "/Home/Me/shop",
		"https://Git.Example.org/":                "git.example.org",
	} {
		if got := workspace.AddressPath(address); got != want {
			t.Errorf("%s: got %q, want %q", address, got, want)
		}
	}
	if !workspace.SameRepository("https://git.example.org/Shop", "https://git.example.org/shop") {
		t.Error("Argo CD takes them for one repository")
	}
}

// Where two repositories of this machine differ in case only, the one that is named is read.
func TestOfTwoRepositoriesThatDifferInCaseTheNamedOneIsRead(t *testing.T) {
	lower, upper := t.TempDir(), t.TempDir()
	for dir, name := range map[string]string{lower: "lower.yaml", upper: "upper.yaml"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("a: b\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	repos := &workspace.Repositories{}
	for address, dir := range map[string]string{"https://git.example.org/shop": lower, "https://git.example.org/Shop": upper} {
		if err := repos.Add(address, dir); err != nil {
			t.Fatal(err)
		}
	}
	for address, want := range map[string]string{"https://git.example.org/shop": "lower.yaml", "git@git.example.org:Shop.git": "upper.yaml"} {
		found, err := repos.Find(context.Background(), address, "")
		if err != nil {
			t.Fatal(err)
		}
		if names, err := found.FileNames(); err != nil || !slices.Equal(names, []string{want}) {
			t.Errorf("%s: %v, %v; want %s", address, names, err, want)
		}
	}
}

func TestAddressesOfOneRepositoryAreTheSame(t *testing.T) {
	for _, one := range []string{
		"https://git.example.org/shop/deploy", "https://git.example.org/shop/deploy.git/",
		"HTTPS://user:token@Git.example.org/shop/deploy.git?ref=main#top", " git@git.example.org:shop/deploy.git ",
		"git@git.example.org/shop/deploy", "git@git.example.org:/shop/deploy", "git.example.org:shop/deploy",
		"ssh://git@git.example.org/shop/deploy.git", "git.example.org/shop/deploy",
	} {
		if !workspace.SameRepository(one, address) {
			t.Errorf("%q is %q", one, workspace.AddressPath(one))
		}
		if shown := redact.URL(strings.TrimSpace(one)); !workspace.SameRepository(shown, one) {
			t.Errorf("%q is shown as %q, which is another repository", one, shown)
		}
	}
	for _, other := range []string{
		"https://git.example.org/shop", "git@git.example.org:2222/shop/deploy", "git@git.example.org:org/shop/deploy",
		"/git.example.org/shop/deploy", "file:///git.example.org/shop/deploy",
	} {
		if workspace.SameRepository(other, address) {
			t.Errorf("%q is the same as %s", other, address)
		}
	}
}

type puller func(repository, name, version string) []byte

func (p puller) Pull(_ context.Context, repository, name, version string) ([]byte, error) {
	return p(repository, name, version), nil
}

func (p puller) PullArtifact(
	_ context.Context, repository string, ref workspace.Reference,
) (*workspace.Artifact, error) {
	return &workspace.Artifact{Archive: p(repository, "", ref.String()), Digest: "sha256:" + ref.String()}, nil
}

// kept is a cache that holds one chart, whatever it is asked for by name.
type kept struct {
	version string
	archive []byte
}

func (k kept) Cached(_, _, version string) []byte {
	if version == k.version {
		return k.archive
	}
	return nil
}

func (k kept) CachedArtifact(_ string, ref workspace.Reference) *workspace.Artifact {
	if ref.Tag == k.version {
		return &workspace.Artifact{Archive: k.archive, Digest: "sha256:cached"}
	}
	return nil
}

// archive packs a chart.
func archive(t *testing.T, version string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	text := "name: web\nversion: " + version + "\n"
	if err := w.WriteHeader(&tar.Header{Name: "web/Chart.yaml", Size: int64(len(text)), Mode: 0o644}); err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write([]byte(text))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestAChartComesFromAFolderOrItsRepository(t *testing.T) {
	const charts = "https://charts.example.org"
	dir := folder(t, map[string]string{"web/Chart.yaml": "name: web\nversion: 1.2.3\n", "db-2.0.0.tgz": string(archive(t, "2.0.0"))})
	local := &workspace.Repositories{}
	if err := local.Add(charts, dir); err != nil {
		t.Fatal(err)
	}
	asked := ""
	remote := &workspace.Repositories{Network: true, Charts: puller(func(repository, name, version string) []byte {
		asked = repository + " " + name + " " + version
		return archive(t, "3.1.0")
	})}
	for _, row := range []struct {
		in       *workspace.Repositories
		chart    workspace.Chart
		revision string // "" for an error
		asked    string
	}{
		{local, workspace.Chart{Repository: charts, Name: "web", Version: "1.x"}, "1.2.3", ""},
		{local, workspace.Chart{Repository: charts, Name: "web", Version: "2.x"}, "", ""},
		{local, workspace.Chart{Repository: charts, Name: "db", Version: "v2.0.0"}, "2.0.0", ""},
		{local, workspace.Chart{Repository: "https://other.example.org", Name: "web"}, "", ""},
		{remote, workspace.Chart{Repository: "ghcr.io/org", Name: "web"}, "3.1.0", "oci://ghcr.io/org web *"},
	} {
		asked = ""
		found, err := row.in.FindChart(context.Background(), row.chart)
		if row.revision == "" {
			if diag.ExitOf(err) == diag.ExitOK {
				t.Errorf("%+v is found: %+v", row.chart, found)
			}
			continue
		}
		if err != nil || found.Revision != row.revision || asked != row.asked {
			t.Errorf("%+v: %+v, %v, asked %q", row.chart, found, err, asked)
			continue
		}
		if _, err := workspace.Join(found).ReadFile(filepath.Join(found.Root, "Chart.yaml")); err != nil {
			t.Error(err)
		}
	}
}

func TestAChartThatWasFetchedIsTakenFromTheCacheWithoutTheNetwork(t *testing.T) {
	in := &workspace.Repositories{Cache: kept{"1.2.3", archive(t, "1.2.3")}}
	chart := workspace.Chart{Repository: "https://charts.example.org", Name: "web", Version: "1.2.3"}
	if found, err := in.FindChart(t.Context(), chart); err != nil || found.Revision != "1.2.3" {
		t.Errorf("got %+v, %v", found, err)
	}
	chart.Version = "1.x"
	if _, err := in.FindChart(t.Context(), chart); diag.ExitOf(err) != diag.ExitSource ||
		!strings.Contains(diag.HintOf(err), "--allow network") {
		t.Errorf("a range is taken from the cache: %v", err)
	}
	without := &workspace.Repositories{}
	if chart.Version = "1.2.3"; !isRefused(without.FindChart(t.Context(), chart)) {
		t.Error("a chart is taken from a cache that nobody named")
	}
}

func isRefused(found *workspace.Checkout, err error) bool {
	return found == nil && diag.ExitOf(err) == diag.ExitSource
}

func TestAnArtifactComesFromAFolderTheCacheOrItsRegistry(t *testing.T) {
	const address = "oci://registry.example.org/charts/web"
	dir := folder(t, map[string]string{"web/Chart.yaml": "name: web\nversion: 1.2.3\n"})
	for _, at := range []string{address, "oci://registry.example.org/charts"} {
		local := &workspace.Repositories{}
		if err := local.Add(at, dir); err != nil {
			t.Fatal(err)
		}
		found, digest, err := local.FindArtifact(t.Context(), address, workspace.Reference{Tag: "1.2.3"})
		if err != nil || found.Revision != "1.2.3" || digest != "" {
			t.Errorf("%s: got %+v, %q, %v", at, found, digest, err)
		}
	}
	cached := &workspace.Repositories{Cache: kept{"1.2.3", archive(t, "1.2.3")}}
	if _, digest, err := cached.FindArtifact(t.Context(), address, workspace.Reference{Tag: "1.2.3"}); err != nil ||
		digest != "sha256:cached" {
		t.Errorf("from the cache: %q, %v", digest, err)
	}
	if found, _, err := cached.FindArtifact(t.Context(), address, workspace.Reference{Range: "1.x"}); !isRefused(found, err) {
		t.Errorf("a range is taken from the cache: %v", err)
	}
	asked := ""
	remote := &workspace.Repositories{Network: true, Charts: puller(func(repository, _, ref string) []byte {
		asked = repository + " " + ref
		return archive(t, "3.1.0")
	})}
	for _, row := range []struct {
		ref   workspace.Reference
		asked string
	}{
		{workspace.Reference{}, "latest"},
		{workspace.Reference{Tag: "v1", Range: ">=3"}, ">=3"},
		{workspace.Reference{Tag: "v1", Range: ">=3", Digest: "sha256:abc"}, "sha256:abc"},
	} {
		found, digest, err := remote.FindArtifact(t.Context(), address, row.ref)
		if err != nil || found.Revision != "3.1.0" || digest != "sha256:"+row.asked || asked != address+" "+row.asked {
			t.Errorf("%+v: got %+v, %q, %v, asked %s", row.ref, found, digest, err, asked)
		}
	}
}

func TestCheckoutsAreJoinedIntoOneSystem(t *testing.T) {
	if system := workspace.Join(&workspace.Checkout{Files: files.Disk{}}); system != (files.Disk{}) {
		t.Errorf("the disk alone is %T", system)
	}
}

func TestOnlyAnAddressOfAnotherNameIsAnotherRepository(t *testing.T) {
	alone, withRemote := &workspace.Repositories{}, &workspace.Repositories{}
	if err := withRemote.Add("git@example.com:me/Home.git", t.TempDir()); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]bool{
		"https://example.com/they/operator":      true,
		"https://example.com/me/home":            false,
		"http://git.internal/mirrors/home.git":   false,
		"ssh://git@example.com/they/home-of-all": true,
		"":                                       false,
	} {
		if got := withRemote.IsAnother(address); got != want {
			t.Errorf("%q is another repository: %v, want %v", address, got, want)
		}
		if alone.IsAnother(address) {
			t.Errorf("%q is another repository than one without an address", address)
		}
	}
}
