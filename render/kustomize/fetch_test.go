package kustomize_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/kustomize"
)

var network = config.Permissions{Network: true}

// serve serves a folder: plain files under /files/, and the repositories in it under /git/, as real git does.
func serve(t *testing.T, dir string) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/files/", http.StripPrefix("/files/", http.FileServer(http.Dir(dir))))
	mux.Handle("/git/", &cgi.Handler{
		Path: gitProgram(t), Args: []string{"http-backend"}, Root: "/git", Stderr: io.Discard,
		Env: []string{"GIT_PROJECT_ROOT=" + dir, "GIT_HTTP_EXPORT_ALL=1"},
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func gitProgram(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("git")
	mustDo(t, err)
	return path
}

// git runs the real git in dir.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(gitProgram(t), append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// repository commits all that lies in dir to a new repository there.
func repository(t *testing.T, dir string) {
	t.Helper()
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "config", "uploadpack.allowAnySHA1InWant", "true")
	commit(t, dir)
}

func commit(t *testing.T, dir string) string {
	t.Helper()
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "all")
	return git(t, dir, "rev-parse", "HEAD")
}

func TestTheNetworkIsAskedAtTheHostsThatItIsAllowedForOnly(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"one/kustomization.yaml": "resources: [a.yaml]\n", "one/a.yaml": configMap})
	repository(t, dir+"/one")
	at := serve(t, dir)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(at, "http://"))
	mustDo(t, err)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://localhost:"+port+r.URL.RequestURI(), http.StatusFound)
	}))
	t.Cleanup(elsewhere.Close)
	for _, entry := range []string{
		"http://localhost:" + port + "/files/one/a.yaml", "http://localhost:" + port + "/git/one/.git", elsewhere.URL + "/files/one/a.yaml", elsewhere.URL + "/git/one/.git",
	} {
		request := render.Request{Path: write(t, map[string]string{"kustomization.yaml": "resources: ['" + entry + "']\n"}), CacheDir: t.TempDir(),
			Allow: config.Permissions{Network: true, Hosts: "127.0.0.1"}}
		_, err := kustomize.Engine{}.Render(t.Context(), request)
		mustFail(t, err, diag.ExitSource)
		if err != nil && !strings.Contains(err.Error(), "the network is not allowed for localhost, but for 127.0.0.1") {
			t.Errorf("%s: %v", entry, err)
		}
		if hint := diag.HintOf(err); !strings.Contains(hint, "--allow network=localhost.") {
			t.Errorf("%s: hint %q", entry, hint)
		}
		request.Allow.Hosts = "127.0.0.1,localhost"
		_, err = kustomize.Engine{}.Render(t.Context(), request)
		mustDo(t, err)
	}
}

func TestRemotePartsRenderAsWithKustomize(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"one/base/kustomization.yaml":     "namePrefix: r-\nresources: [a.yaml, ../more]\nconfigMapGenerator: [{name: g, files: [a.yaml]}]\n",
		"one/base/a.yaml":                 configMap,
		"one/more/kustomization.yaml":     "resources: [b.yaml]\nconfigMapGenerator: [{name: more, literals: [a=b]}]\n",
		"one/more/b.yaml":                 strings.Replace(configMap, "a}", "b}", 1),
		"one/component/kustomization.yml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\ncommonAnnotations: {from: component}\n",
		"two/kustomization.yaml":          "resources: [c.yaml]\n",
		"two/c.yaml":                      strings.Replace(configMap, "a}", "c}", 1),
		"plain.yaml":                      strings.Replace(configMap, "a}", "plain}", 1),
		"patch.yaml":                      strings.Replace(configMap, "a}", "plain}", 1) + "data: {patched: 'yes'}\n",
		"data.txt":                        "text\n",
	})
	repository(t, dir+"/one")
	git(t, dir+"/one", "tag", "-a", "-m", "a tag", "v1")
	first := git(t, dir+"/one", "rev-parse", "HEAD")
	mustDo(t, os.WriteFile(dir+"/one/base/a.yaml", []byte(configMap+"data: {moved: 'yes'}\n"), 0o644))
	commit(t, dir+"/one")
	repository(t, dir+"/two")
	at := serve(t, dir)
	for name, kust := range map[string]string{
		"default branch":           "resources: ['GIT/one/.git//base']",
		"branch":                   "resources: ['GIT/one/.git//base?ref=main']",
		"annotated tag":            "resources: ['GIT/one/.git//base?ref=v1']",
		"commit":                   "resources: ['GIT/one/.git//base?ref=" + first + "']",
		"root":                     "resources: ['GIT/two/.git?submodules=false&timeout=60']",
		"component":                "resources: ['FILES/plain.yaml']\ncomponents: ['GIT/one/.git//component?ref=v1']",
		"URL":                      "resources:\n- FILES/plain.yaml\npatches:\n- path: FILES/patch.yaml\nconfigMapGenerator:\n- {name: g, files: ['FILES/data.txt', 'k=FILES/data.txt'], literals: ['url=FILES/data.txt']}\n",
		"two references":           "resources: ['GIT/one/.git//base?ref=v1', 'GIT/one/.git//more?ref=main', own]",
		"with origins":             "buildMetadata: [originAnnotations, transformerAnnotations]\nresources: ['GIT/one/.git//base?ref=v1', 'FILES/plain.yaml', own]\ncommonAnnotations: {a: b}",
		"with origins in a folder": "buildMetadata: [originAnnotations, transformerAnnotations]\nresources: [folder]",
	} {
		t.Run(name, func(t *testing.T) {
			local := strings.NewReplacer("GIT", at+"/git", "FILES", at+"/files")
			app := write(t, map[string]string{
				"kustomization.yaml":        local.Replace(kust),
				"own/kustomization.yaml":    local.Replace("resources: ['GIT/two/.git']\nnamePrefix: own-\n"),
				"folder/kustomization.yaml": local.Replace("resources: ['GIT/one/.git//more?ref=v1', 'FILES/plain.yaml']\nnamePrefix: f-\n"),
			})
			want, err := build(t, app)
			if err != nil {
				t.Fatalf("the fixture does not build: %v", err)
			}
			out, err := kustomize.Engine{}.Render(
				context.Background(),
				render.Request{Path: app, Allow: network, CacheDir: t.TempDir()},
			)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(out.Text, want) {
				t.Errorf("differs from kustomize build at %s", firstDifference(out.Text, want))
			}
		})
	}
}

func TestSubmodulesAreFetched(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"sub/kustomization.yaml":   "resources: [a.yaml]",
		"sub/a.yaml":               configMap,
		"super/kustomization.yaml": "resources: [sub]",
	})
	repository(t, dir+"/sub")
	git(t, dir, "init", "-q", "-b", "main", "super")
	git(t, dir+"/super", "submodule", "add", "-q", dir+"/sub", "sub")
	git(t, dir+"/super", "config", "-f", ".gitmodules", "submodule.sub.url", "../../sub/.git")
	commit(t, dir+"/super")
	app := write(t, map[string]string{"kustomization.yaml": "resources: ['" + serve(t, dir) + "/git/super/.git']"})
	want, err := build(t, app)
	mustDo(t, err)
	out, err := kustomize.Engine{}.Render(
		context.Background(),
		render.Request{Path: app, Allow: network, CacheDir: t.TempDir()},
	)
	mustDo(t, err)
	if !bytes.Equal(out.Text, want) {
		t.Errorf("differs from kustomize build at %s", firstDifference(out.Text, want))
	}
}

func TestABranchThatMovedIsFetchedAgain(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"one/kustomization.yaml": "resources: [a.yaml]", "one/a.yaml": configMap})
	repository(t, dir+"/one")
	app := write(t, map[string]string{"kustomization.yaml": "resources: ['" + serve(t, dir) + "/git/one/.git?ref=main']"})
	req := render.Request{Path: app, Allow: network, CacheDir: t.TempDir()}
	for _, data := range []string{"first", "second"} {
		mustDo(t, os.WriteFile(dir+"/one/a.yaml", []byte(configMap+"data: {a: "+data+"}\n"), 0o644))
		commit(t, dir+"/one")
		out, err := kustomize.Engine{}.Render(context.Background(), req)
		mustDo(t, err)
		if !strings.Contains(string(out.Text), data) {
			t.Errorf("no %s in %s", data, out.Text)
		}
	}
}

func TestManyBuildsShareOneCache(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"one/kustomization.yaml": "resources: [a.yaml]", "one/a.yaml": configMap})
	repository(t, dir+"/one")
	app := write(t, map[string]string{"kustomization.yaml": "resources: ['" + serve(t, dir) + "/git/one/.git']"})
	cache := t.TempDir()
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			out, err := kustomize.Engine{}.Render(
				context.Background(),
				render.Request{Path: app, Allow: network, CacheDir: cache},
			)
			if err != nil {
				t.Error(err)
			} else if !strings.Contains(string(out.Text), "name: a") {
				t.Errorf("got %s", out.Text)
			}
		})
	}
	wg.Wait()
	left, err := os.ReadDir(filepath.Join(cache, "git"))
	mustDo(t, err)
	if len(left) != 1 {
		t.Errorf("the cache holds %v, want one folder", left)
	}
}

func TestWhatIsFetchedReadsNothingOfOurs(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"base above the repository": {"kustomization.yaml": "resources: [base]", "base/kustomization.yaml": "resources: [../../app/own]"},
		"file above its folder":     {"kustomization.yaml": "configMapGenerator: [{name: g, files: [../app/own/a.yaml]}]"},
		"plugin's file":             {"kustomization.yaml": "generators: [g.yaml]", "g.yaml": "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: g}\nfiles: [../app/own/a.yaml]\n"},
		"link":                      {"kustomization.yaml": "resources: [a.yaml]", "a.yaml": "-> /etc/hostname"},
		"link to a folder":          {"kustomization.yaml": "resources: [a]", "a": "-> ../../.."},
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, nil)
			for file, text := range files {
				path := filepath.Join(dir, "one", file)
				mustDo(t, os.MkdirAll(filepath.Dir(path), 0o755))
				if target, ok := strings.CutPrefix(text, "-> "); ok {
					mustDo(t, os.Symlink(target, path))
				} else {
					mustDo(t, os.WriteFile(path, []byte(text), 0o644))
				}
			}
			repository(t, dir+"/one")
			app := filepath.Join(write(t, map[string]string{
				"app/kustomization.yaml":     "resources: ['" + serve(t, dir) + "/git/one/.git']",
				"app/own/kustomization.yaml": "resources: [a.yaml]",
				"app/own/a.yaml":             configMap,
			}), "app")
			_, err := kustomize.Engine{}.Render(
				context.Background(),
				render.Request{Path: app, Allow: network, CacheDir: t.TempDir(),
					Kustomize: render.KustomizeOptions{LoadRestrictor: unrestricted}},
			)
			mustFail(t, err, diag.ExitInput)
			t.Log(err)
		})
	}
}

func TestAChartOfAFetchedRepositoryReadsThatRepositoryAlone(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"one/base/kustomization.yaml":        "helmCharts: [{name: c, releaseName: r, valuesFile: values.yaml}]\nhelmGlobals: {chartHome: ../charts}\n",
		"one/base/values.yaml":               "text: of the repository\n",
		"one/charts/c/Chart.yaml":            "apiVersion: v2\nname: c\nversion: 1.0.0\n",
		"one/charts/c/templates/a.yaml":      configMap + "data: {text: {{ .Values.text | quote }}}\n",
		"one/shared/b.yaml":                  strings.Replace(configMap, "a}", "shared}", 1),
		"leading/base/kustomization.yaml":    "helmCharts: [{name: c, releaseName: r}]\nhelmGlobals: {chartHome: ../charts}\n",
		"leading/charts/c/Chart.yaml":        "apiVersion: v2\nname: c\nversion: 1.0.0\n",
		"leading/charts/c/values.yaml":       "{}\n",
		"leading/charts/c/templates/.helper": "",
	})
	link := func(at, target string) {
		t.Helper()
		mustDo(t, os.Symlink(target, filepath.Join(dir, at)))
	}
	link("one/charts/c/templates/b.yaml", "../../../shared/b.yaml")
	link("leading/charts/c/templates/a.yaml", "../../../../app/own.yaml")
	repository(t, dir+"/one")
	repository(t, dir+"/leading")
	at := serve(t, dir)
	app := filepath.Join(write(t, map[string]string{
		"app/kustomization.yaml":  "resources: ['" + at + "/git/one/.git//base']",
		"lead/kustomization.yaml": "resources: ['" + at + "/git/leading/.git//base']",
		"app/own.yaml":            configMap,
		".git/HEAD":               "",
	}), "app")
	req := render.Request{
		Path:      app,
		Allow:     network,
		CacheDir:  t.TempDir(),
		Kustomize: render.KustomizeOptions{LoadRestrictor: unrestricted},
	}
	out, err := withCharts.Render(context.Background(), req)
	mustDo(t, err)
	if text := string(out.Text); !strings.Contains(text, "text: of the repository") || !strings.Contains(text, "name: shared") {
		t.Errorf("got %s", text)
	}
	for _, file := range out.Inputs {
		if strings.Contains(file, "~rollstamp") {
			t.Errorf("%s was not read: there is no such file", file)
		}
	}
	req.Path = filepath.Join(filepath.Dir(app), "lead")
	_, err = withCharts.Render(context.Background(), req)
	mustFail(t, err, diag.ExitInput)
	if !strings.Contains(err.Error(), "/git/leading/.git//charts/c/templates/a.yaml: symbolic link leads out") {
		t.Error(err)
	}
}

func TestFailedFetchesNameTheURLWithoutCredentials(t *testing.T) {
	t.Parallel()
	at := serve(t, t.TempDir())
	for _, entry := range []string{"/files/gone.yaml?token=hunter2", "/git/gone/.git//base?ref=v1"} {
		for _, user := range []string{"user:hunter2", "user:x@hunter2", "hunter2"} {
			url := strings.Replace(at, "http://", "http://"+user+"@", 1) + entry
			_, err := kustomize.Engine{}.Render(context.Background(), render.Request{Allow: network, CacheDir: t.TempDir(),
				Path: write(t, map[string]string{"kustomization.yaml": "resources: ['" + url + "']"})})
			mustFail(t, err, diag.ExitSource)
			if strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), strings.SplitN(entry, "?", 2)[0]) {
				t.Error(err)
			}
		}
	}
}

func TestWhatGitSaysOfAServerNamesNoCredentials(t *testing.T) {
	t.Parallel()
	broken := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }),
	)
	t.Cleanup(broken.Close)
	for _, at := range []string{broken.URL, "http://127.0.0.1:1"} {
		for _, user := range []string{"user:hunter2", "user:x@hunter2", "hunter2"} {
			url := strings.Replace(at, "http://", "http://"+user+"@", 1) + "/org/repo.git//base?ref=v1"
			_, err := kustomize.Engine{}.Render(context.Background(), render.Request{Allow: network, CacheDir: t.TempDir(),
				Path: write(t, map[string]string{"kustomization.yaml": "resources: ['" + url + "']"})})
			mustFail(t, err, diag.ExitSource)
			if strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "info/refs") {
				t.Error(err)
			}
		}
	}
}

func TestALocalRepositoryIsNotFetched(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"kustomization.yaml": "resources: []"})
	repository(t, dir)
	_, err := kustomize.Engine{}.Render(context.Background(), render.Request{Allow: network, CacheDir: t.TempDir(),
		Path: write(t, map[string]string{"kustomization.yaml": "resources: ['file://" + dir + "']"})})
	mustFail(t, err, diag.ExitSource)
}
