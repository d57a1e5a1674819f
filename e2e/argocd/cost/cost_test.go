// Package cost measures what a render costs the plugin server and all that it starts, ours beside others in one run. It
// compares processor time, which the load of a machine changes less than the time of the day.
package cost

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cmpserver "github.com/argoproj/argo-cd/v3/cmd/argocd-cmp-server/commands"

	"github.com/rollstamp/rollstamp/e2e/argocd/parts"
	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
)

func TestMain(m *testing.M) {
	parts.Main(m, map[string]parts.Command{parts.CMPServer: cmpserver.NewCommand})
}

// quiet keeps Argo CD's server from writing every answer into its log.
var quiet = "ARGOCD_CMP_SERVER_LOGLEVEL=info"

func shell(script string) parts.Plugin {
	return parts.Plugin{Generate: []string{"sh", "-c", script}}
}

// start starts Argo CD's plugin server with a plugin, and the tools on its PATH.
func start(t *testing.T, plugin parts.Plugin, env ...string) *parts.Server {
	t.Helper()
	path := strings.Join([]string{filepath.Dir(process.Rollstamp(t)), filepath.Dir(parts.Tool(t, "helm")), os.Getenv("PATH")}, ":")
	return parts.StartCMP(t, plugin, parts.Sidecar{Env: append([]string{quiet, "PATH=" + path}, env...)})
}

// each measures what one of n renders costs a server and what it starts.
func each(t *testing.T, s *parts.Server, n int, call func(i int) parts.Call) time.Duration {
	t.Helper()
	before := s.CPU(t)
	for i := range n {
		if _, err := s.Generate(t, call(i)); err != nil {
			t.Fatal(err)
		}
	}
	return (s.CPU(t) - before) / time.Duration(n)
}

func always(c parts.Call) func(int) parts.Call { return func(int) parts.Call { return c } }

func shop(repo string) parts.Call { return parts.Call{Application: parts.Shop(), Repo: repo} }

// ratio prints a comparison, and fails where it falls short of what we say in public. With 0 we say nothing.
func ratio(t *testing.T, what string, theirs, ours time.Duration, least float64) {
	t.Helper()
	got := float64(theirs) / float64(max(ours, time.Microsecond))
	bar := fmt.Sprintf(" (at least %g)", least)
	if least == 0 {
		bar = ""
	}
	fmt.Fprintf(os.Stdout, "%-62s theirs %8s   ours %8s   %5.1f times less%s\n", what, round(theirs), round(ours), got, bar)
	if got < least {
		t.Errorf("%s: %.1f times less, want at least %g", what, got, least)
	}
}

func round(d time.Duration) string { return d.Round(10 * time.Microsecond).String() }

const deployments = `{{- range $i := until 5 }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ $.Release.Name }}-{{ $i }}}
data: {LEVEL: {{ $.Values.level | quote }}, N: "{{ $i }}"}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ $.Release.Name }}-{{ $i }}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: registry.example.com/web:1
          envFrom: [{configMapRef: {name: {{ $.Release.Name }}-{{ $i }}}}]
{{- end }}
`

// chart is the text of a small chart in a folder.
func chart(folder, level string) string {
	return fmt.Sprintf("-- %[1]s/Chart.yaml --\napiVersion: v2\nname: web\nversion: 1.0.0\n-- %[1]s/values.yaml --\nlevel: %[2]s\n-- %[1]s/templates/all.yaml --\n%[3]s", folder, level, deployments)
}

func TestARenderAddsLittleToAPluginThatOnlyPrints(t *testing.T) {
	const n = 50
	call := shop(folder.New(t, chart(".", "info")))
	ours := start(t, parts.Ours())
	manifests, err := ours.Generate(t, call)
	if err != nil {
		t.Fatal(err)
	}
	printed := filepath.Join(folder.Empty(t), "printed.yaml")
	folder.WriteFile(t, printed, strings.Join(manifests, "\n---\n"))
	empty := each(t, start(t, parts.Plugin{Generate: []string{"cat", printed}}), n, always(call))
	got := each(t, ours, n, always(call))
	fmt.Fprintf(os.Stdout, "%-62s empty  %8s   ours %8s   %s more (at most 20ms)\n", "a small app, through argocd-cmp-server", round(empty), round(got), round(got-empty))
	if got-empty > 20*time.Millisecond {
		t.Errorf("%s more than a plugin that only prints", got-empty)
	}
}

func TestAServerThatStaysCostsLessThanAProcessForEachRender(t *testing.T) {
	const apps = 50
	repo := folder.Empty(t)
	write := func(level string) {
		for i := range apps {
			folder.Write(t, repo, chart(fmt.Sprintf("apps/app-%d", i), fmt.Sprintf("%s-%d", level, i)))
		}
	}
	write("info")
	call := func(i int) parts.Call {
		c := shop(repo)
		c.Path = fmt.Sprintf("apps/app-%d", i%apps)
		c.Name = fmt.Sprintf("app-%d", i%apps)
		return c
	}
	theirs := start(t, parts.Ours())
	ours := parts.StartServe(t, "rollstamp", nil, parts.Sidecar{})
	each(t, ours, apps, call) // both have seen the repository once
	each(t, theirs, apps, call)
	write("debug") // a commit that changes all applications
	ratio(t, "50 apps in a repository, each changed", each(t, theirs, apps, call), each(t, ours, apps, call), 3)
	ratio(t, "50 apps in a repository, nothing changed", each(t, theirs, 4*apps, call), each(t, ours, 4*apps, call), 20)
}

func TestARenderCostsLessThanOneOfAShellPlugin(t *testing.T) {
	const n = 20
	helm := shell(`helm template "$ARGOCD_APP_NAME" . --namespace "$ARGOCD_APP_NAMESPACE" --kube-version "$KUBE_VERSION" --include-crds`)
	kustomize := shell("kustomize build .")
	t.Run("helm", func(t *testing.T) {
		call := shop(folder.New(t, chart(".", "info")))
		ratio(t, "a small chart, against helm template", each(t, start(t, helm), n, always(call)), each(t, start(t, parts.Ours()), n, always(call)), 2)
	})
	t.Run("kustomize", func(t *testing.T) {
		small, large := shop(folder.New(t, kustomization(5))), shop(folder.New(t, kustomization(200)))
		theirs, ours, stays := start(t, kustomize), start(t, parts.Ours()), parts.StartServe(t, "rollstamp", nil, parts.Sidecar{})
		fewObjects := each(t, theirs, n, always(small))
		// The start of our process alone costs more than all of kustomize does here; a server that stays starts once.
		ratio(t, "a kustomization of 5 workloads, against kustomize build", fewObjects, each(t, ours, n, always(small)), 0)
		ratio(t, "the same, by the server that stays", fewObjects, changing(t, stays, n, small), 2)
		ratio(t, "a kustomization of 200 workloads, against kustomize build", each(t, theirs, n, always(large)), each(t, ours, n, always(large)), 1)
	})
	t.Run("dependencies", func(t *testing.T) { dependencies(t, n) })
}

// changing measures renders of a tree of which a file is another each time.
func changing(t *testing.T, s *parts.Server, n int, call parts.Call) time.Duration {
	t.Helper()
	return each(t, s, n, func(i int) parts.Call {
		folder.WriteFile(t, filepath.Join(call.Repo, "settings.env"), fmt.Sprintf("N=%d\n", i))
		return call
	})
}

// kustomization is the text of one with some workloads.
func kustomization(workloads int) string {
	var tree strings.Builder
	tree.WriteString("-- kustomization.yaml --\nnamePrefix: prod-\nresources: [all.yaml]\nconfigMapGenerator: [{name: generated, envs: [settings.env]}]\n-- settings.env --\nN=0\n-- all.yaml --\n")
	for i := range workloads {
		fmt.Fprintf(&tree, `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web-%d}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "registry.example.com/web:1", envFrom: [{configMapRef: {name: generated}}]}]
`, i)
	}
	return tree.String()
}

// dependencies compares charts whose dependencies lie in a repository of the network, which is as large as public ones
// are.
func dependencies(t *testing.T, n int) {
	repository := chartRepository(t, 3, 4000)
	tree := chart(".", "info") + "-- Chart.yaml --\napiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n"
	for i := range 3 {
		tree += fmt.Sprintf("- {name: dependency-%d, version: 1.0.0, repository: %q}\n", i, repository)
	}
	call := shop(folder.New(t, tree))
	lock(t, call.Repo, repository)
	// The repository is added once, and what helm keeps between its runs stays in HOME.
	theirs := start(t, shell(`helm repo list >/dev/null 2>&1 || helm repo add e2e `+repository+` >&2; helm dependency build >&2 && helm template "$ARGOCD_APP_NAME" .`))
	ours := start(t, parts.Ours(), "ROLLSTAMP_ALLOW=network")
	each(t, theirs, 1, always(call))
	each(t, ours, 1, always(call))
	ratio(t, "a chart with 3 dependencies, against helm dependency build", each(t, theirs, n, always(call)), each(t, ours, n, always(call)), 10)
}

// lock writes the Chart.lock of a chart, as its author would.
func lock(t *testing.T, dir, repository string) {
	t.Helper()
	home := folder.Empty(t)
	for _, args := range [][]string{{"repo", "add", "e2e", repository}, {"dependency", "update", "."}} {
		cmd := exec.Command(parts.Tool(t, "helm"), args...)
		cmd.Dir, cmd.Env = dir, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("helm %v: %v\n%s", args, err, out)
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, "charts")); err != nil {
		t.Fatal(err)
	}
}

// chartRepository serves some charts, behind an index with many more versions.
func chartRepository(t *testing.T, charts, versions int) string {
	t.Helper()
	dir := folder.Empty(t)
	var index strings.Builder
	index.WriteString("apiVersion: v1\nentries:\n")
	for i := range charts {
		name := fmt.Sprintf("dependency-%d", i)
		source := filepath.Join(folder.Empty(t), name)
		folder.Write(t, source, "-- Chart.yaml --\napiVersion: v2\nname: "+name+"\nversion: 1.0.0\n-- templates/all.yaml --\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: "+name+"}\n")
		if out, err := exec.Command(parts.Tool(t, "helm"), "package", source, "--destination", dir).CombinedOutput(); err != nil {
			t.Fatalf("helm package: %v\n%s", err, out)
		}
		fmt.Fprintf(&index, "  %s:\n  - {apiVersion: v2, name: %[1]s, version: 1.0.0, urls: [%[1]s-1.0.0.tgz]}\n", name)
	}
	for i := range versions / 20 {
		fmt.Fprintf(&index, "  other-%d:\n", i)
		for v := range 20 {
			fmt.Fprintf(&index, "  - apiVersion: v2\n    appVersion: 1.%d.0\n    created: \"2026-01-02T03:04:05.6Z\"\n    description: A chart that nobody asks for, with a description of some length\n    digest: 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n    home: https://charts.example.com\n    keywords: [one, two]\n    maintainers:\n    - {email: team@example.com, name: team}\n    name: other-%[2]d\n    urls: [\"https://charts.example.com/other-%[2]d-1.%[1]d.0.tgz\"]\n    version: 1.%[1]d.0\n", v, i)
		}
	}
	folder.WriteFile(t, filepath.Join(dir, "index.yaml"), index.String())
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	return server.URL
}
