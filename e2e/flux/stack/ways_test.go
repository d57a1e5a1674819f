package stack

import (
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/cluster"
	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
	"github.com/rollstamp/rollstamp/e2e/flux/parts"
)

// way is how stamps get to the cluster.
type way struct {
	name string
	// stamp writes into the work tree what a hook writes before a commit; nil where nothing is.
	stamp func(*testing.T, *stack)
	// install creates what Flux starts from, once something was published; publish makes of the work tree what Flux reads.
	install, publish func(*testing.T, *stack)
}

var ways = []way{
	{name: "patches in Git", stamp: stampPatches, install: installPatches, publish: publishPatches},
	{name: "an artifact", install: installArtifact, publish: publishArtifact},
	{name: "a rendered branch", install: installBranch, publish: publishBranch},
}

func stampPatches(t *testing.T, s *stack) {
	s.command(t, process.Rollstamp(t), []int{0}, "flux", "stamp", "clusters/prod")
}

func publishPatches(t *testing.T, s *stack) {
	stampPatches(t, s)
	s.command(t, process.Rollstamp(t), []int{0}, "flux", "stamp", "clusters/prod", "--check")
	s.repo.Commit(t, "a change, and its stamps")
}

func installPatches(t *testing.T, s *stack) {
	root := s.kustomization("cluster", "./clusters/prod", "GitRepository", "flux-system", "")
	s.begin(t, s.gitRepository(t, "flux-system", s.repo), root)
	s.reads = append(s.reads, flux("Kustomization", "platform"), flux("Kustomization", "apps"))
}

func publishArtifact(t *testing.T, s *stack) {
	s.repo.Commit(t, "a change")
	artifact := s.command(t, process.Rollstamp(t), []int{0},
		"flux", "push", "oci://"+s.Registry.Host+"/shop", "clusters/prod", "--as", "flux")
	s.sign(t, strings.TrimSpace(string(artifact)))
}

func installArtifact(t *testing.T, s *stack) {
	verify := ""
	if s.signer != nil {
		s.Create(t, s.signer.secret(t))
		verify = "verify: {provider: cosign, secretRef: {name: " + signerName + "}}, "
		s.refusesUnsigned(t, verify)
	}
	s.begin(t, s.gitRepository(t, "flux-system", s.repo), s.ociRepository("shop", "shop", verify),
		s.kustomization("shop", "./", "OCIRepository", "shop", "decryption: {provider: sops, secretRef: {name: sops-age}},"))
}

// ociRepository is an artifact in the registry.
func (s *stack) ociRepository(name, repository, more string) string {
	return `{apiVersion: source.toolkit.fluxcd.io/v1, kind: OCIRepository, metadata: {name: ` + name + `, namespace: flux-system},
spec: {interval: 1h, insecure: true, ` + more + `url: "oci://` + s.Registry.Host + "/" + repository + `"}}`
}

func publishBranch(t *testing.T, s *stack) {
	s.repo.Commit(t, "a change")
	if s.rendered.Dir == "" {
		s.rendered.Dir = folder.Empty(t)
	}
	s.command(t, process.Rollstamp(t), []int{0}, "render", "--as", "flux", "clusters/prod", "--output-dir", s.rendered.Dir, "--prune")
	s.rendered.Commit(t, "rendered")
}

func installBranch(t *testing.T, s *stack) {
	s.begin(t, s.gitRepository(t, "flux-system", s.repo), s.gitRepository(t, "rendered", s.rendered),
		s.kustomization("shop", "./", "GitRepository", "rendered", "decryption: {provider: sops, secretRef: {name: sops-age}},"))
}

// begin creates objects, in order, each when the one before is ready; they are reconciled after each commit, too.
func (s *stack) begin(t *testing.T, manifests ...string) {
	t.Helper()
	for _, manifest := range manifests {
		o := cluster.Parse(t, []byte(manifest))[0]
		s.CreateObject(t, o)
		s.AwaitReady(t, o)
		s.reads = append(s.reads, o)
	}
}

func (s *stack) gitRepository(t *testing.T, name string, repo folder.Repository) string {
	t.Helper()
	return `{apiVersion: source.toolkit.fluxcd.io/v1, kind: GitRepository, metadata: {name: ` + name + `, namespace: flux-system},
spec: {interval: 1h, url: "` + s.Git.Serve(t, name, repo) + `", ref: {branch: main}}}`
}

func (s *stack) kustomization(name, path, kind, source, more string) string {
	return `{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: ` + name + `, namespace: flux-system},
spec: {interval: 1h, retryInterval: 1s, prune: true, path: ` + path + `, ` + more + ` sourceRef: {kind: ` + kind + `, name: ` + source + `}}}`
}

// flux is an object of Flux's in its namespace.
func flux(kind, name string) cluster.Object {
	return cluster.Object{
		"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": kind, "metadata": map[string]any{"name": name, "namespace": parts.System},
	}
}

// release is a HelmRelease of the shop.
func release(name string) cluster.Object {
	return cluster.Object{
		"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "metadata": map[string]any{"name": name, "namespace": "shop"},
	}
}
