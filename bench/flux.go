package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/internal/stock"
)

// fluxEstate is a repository of Flux: Kustomizations with variables, and HelmReleases whose charts lie beside them.
type fluxEstate struct {
	dir                      string
	kustomizations, releases int
	every                    int // the stock commands build each of so many of them
	bare                     int // so many Kustomizations stand below bare and some, without variables and with them
}

// fluxSample is how few of 200 Kustomizations and 100 HelmReleases the stock commands build: 300 processes take longer
// than all else together.
const fluxSample = 20

// fluxVariables is how many of the Kustomizations are built with and without variables.
const fluxVariables = 50

const (
	fluxKustomization = `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: %[1]s, namespace: flux-system}
spec:
  interval: 10m
  path: ./apps/%[1]s
  prune: true
  targetNamespace: %[1]s
  sourceRef: {kind: GitRepository, name: flux-system}
`
	fluxPostBuild = `  postBuild:
    substitute: {NAME: %s, REGION: north, HOST: shop.example.com}
`
	fluxHelmRelease = `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: %[1]s, namespace: default}
spec:
  interval: 10m
  chart:
    spec:
      chart: ./charts/%[1]s
      sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}
  values: {image: {tag: 1.5.0}}
`
	withVariables = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: variables\ndata:\n" +
		"  name: ${NAME}\n  url: https://${NAME}.${REGION}.${HOST:=example.org}/\n"
)

func kustomizationName(i int) string { return fmt.Sprintf("k-%03d", i) }
func releaseName(i int) string       { return fmt.Sprintf("h-%03d", i) }

// writeFluxEstate writes the repository. Below flux lie the objects, below some the first of the Kustomizations again,
// and below bare the same without variables.
func (b *bench) writeFluxEstate(kustomizations, releases, objects int) (*fluxEstate, error) {
	e := &fluxEstate{b.path("flux-estate"), kustomizations, releases, fluxSample, min(fluxVariables, kustomizations)}
	if b.quick {
		e.every = 1
	}
	for i := range kustomizations {
		name := kustomizationName(i)
		object := fmt.Sprintf(fluxKustomization, name)
		files := map[string]func(io.Writer){
			"flux/kustomizations/" + name + ".yaml": text(object + fmt.Sprintf(fluxPostBuild, name)),
			"apps/" + name + "/kustomization.yaml":  text("resources: [all.yaml, variables.yaml]\n"),
			"apps/" + name + "/variables.yaml":      text(withVariables),
			"apps/" + name + "/all.yaml":            func(w io.Writer) { writeApps(w, 0, max(1, objects/kinds), false) },
		}
		if i < e.bare {
			files["bare/"+name+".yaml"] = text(object)
			files["some/"+name+".yaml"] = text(object + fmt.Sprintf(fluxPostBuild, name))
		}
		if err := writeFiles(e.dir, files); err != nil {
			return nil, err
		}
	}
	for i := range releases {
		name := releaseName(i)
		err := errors.Join(
			writeChart(filepath.Join(e.dir, "charts", name), objects),
			writeFiles(e.dir, map[string]func(io.Writer){
				"flux/releases/" + name + ".yaml": text(fmt.Sprintf(fluxHelmRelease, name)),
				"values.yaml":                     text("image: {tag: 1.5.0}\n"),
			}))
		if err != nil {
			return nil, err
		}
	}
	return e, nil
}

// stockOfFlux returns what builds the sample one by one, with Flux's command line and Helm's.
func (b *bench) stockOfFlux(e *fluxEstate, flux string) side {
	var out side
	for i := 0; i < e.kustomizations; i += e.every {
		name := kustomizationName(i)
		out = append(out, command{dir: e.dir, stdout: b.path("flux-stock", name+".yaml"), argv: []string{
			flux, "build", "kustomization", name, "--dry-run", "--in-memory-build", "--path", "apps/" + name,
			"--kustomization-file", "flux/kustomizations/" + name + ".yaml"}})
	}
	for i := 0; i < e.releases; i += e.every {
		name := releaseName(i)
		out = append(out, command{dir: e.dir, stdout: b.path("flux-stock", name+".yaml"), argv: []string{
			b.helm, "template", name, "charts/" + name, "-n", "default", "-f", "values.yaml"}})
	}
	return out
}

// flux measures what is built of Flux's objects, beside Flux's command line and Helm's, which build a sample.
func (b *bench) flux(ctx context.Context) error {
	flux, err := stock.BuildFlux()
	if err != nil {
		fmt.Fprintln(os.Stderr, "no rows about Flux:", err)
		return nil
	}
	kustomizations, releases := 200, 100
	if b.quick {
		kustomizations, releases = 4, 2
	}
	e, err := b.writeFluxEstate(kustomizations, releases, 30)
	if err != nil {
		return err
	}
	if err := errors.Join(os.MkdirAll(b.path("flux-stock"), 0o755), beginRepository(ctx, e.dir)); err != nil {
		return err
	}
	theirs := b.stockOfFlux(e, flux)
	if err := b.fluxBuild(ctx, e, theirs); err != nil {
		return err
	}
	if err := b.fluxSubstitution(ctx, e); err != nil {
		return err
	}
	if err := b.fluxStampCheck(ctx, e, theirs); err != nil {
		return err
	}
	return b.fluxPatches(ctx, flux)
}

// beginRepository makes a folder the top of a repository: spec.path starts from there.
func beginRepository(ctx context.Context, dir string) error {
	cmd := exec.CommandContext(ctx, "git", "init", "-q")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git init: %w\n%s", err, out)
	}
	return nil
}

func (e *fluxEstate) name() string {
	return fmt.Sprintf("%d Kustomizations, %d HelmReleases", e.kustomizations, e.releases)
}

// against says of what the stock commands do that they do it for a sample.
func (e *fluxEstate) against(what string) string {
	if e.every > 1 {
		what += fmt.Sprintf(" (every %dth, counted %d times)", e.every, e.every)
	}
	return what
}

// fluxBuild measures the build of all.
func (b *bench) fluxBuild(ctx context.Context, e *fluxEstate, theirs side) error {
	out := b.path("flux-out")
	ours := command{dir: e.dir, argv: []string{b.ours, "render", "--as", "flux", "flux", "--output-dir", out}, fresh: out}
	_, err := b.do(ctx, work{
		name: "flux build of " + e.name(), against: e.against("flux build kustomization, helm template, one by one"),
		runs: 2, warm: true, sampled: e.every, theirs: theirs, ours: side{ours}, claims: []claim{cpuClaim(timesLess(5, 0))},
		check: func(ctx context.Context) (string, error) {
			if _, err := append(theirs[:len(theirs):len(theirs)], ours).run(ctx); err != nil {
				return "", err
			}
			return b.sameFluxObjects(ctx, e, out)
		},
	})
	return err
}

// sameFluxObjects compares the sample as both built it, less stamps and the labels by which helm-controller knows its
// releases.
func (b *bench) sameFluxObjects(ctx context.Context, e *fluxEstate, out string) (string, error) {
	all, stamps := 0, 0
	for i := 0; i < e.kustomizations+e.releases; i += e.every {
		name, file := kustomizationName(i), "flux-system"
		if i >= e.kustomizations {
			name, file = releaseName(i-e.kustomizations), "default"
		}
		file = filepath.Join(out, file, name+".yaml")
		objects, differ, err := b.compareAs(ctx, "sets", b.path("flux-stock", name+".yaml"), file)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		if differ > 0 {
			return "", fmt.Errorf("%s: %d of %d objects differ", name, differ, objects)
		}
		n, err := countStamps(file)
		if err != nil {
			return "", err
		}
		all, stamps = all+objects, stamps+n
	}
	return fmt.Sprintf("%d equal objects; %d stamps", all, stamps), nil
}

// fluxSubstitution measures what variables add to the build of Kustomizations.
func (b *bench) fluxSubstitution(ctx context.Context, e *fluxEstate) error {
	run := func(objects, out string) command {
		return command{dir: e.dir, fresh: b.path(out),
			argv: []string{b.ours, "render", "--as", "flux", objects, "--output-dir", b.path(out)}}
	}
	without, with := run("bare", "flux-without"), run("some", "flux-with")
	_, err := b.do(ctx, work{
		name: fmt.Sprintf("%d Kustomizations with variables", e.bare), against: "the same without", runs: 7,
		theirs: side{without}, ours: side{with}, claims: []claim{cpuClaim(atMost(1.2, 0))},
		check: func(ctx context.Context) (string, error) {
			if _, err := (side{without, with}).run(ctx); err != nil {
				return "", err
			}
			return b.onlyVariables(e, without.fresh, with.fresh)
		},
	})
	return err
}

// onlyVariables checks that one side has all variables, and the other one none.
func (b *bench) onlyVariables(e *fluxEstate, without, with string) (string, error) {
	for i := range e.bare {
		file := filepath.Join("flux-system", kustomizationName(i)+".yaml")
		for dir, want := range map[string]int{without: 2, with: 0} {
			text, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				return "", err
			}
			if n := strings.Count(string(text), "${NAME}"); n != want {
				return "", fmt.Errorf("%s has %d variables, want %d", filepath.Join(dir, file), n, want)
			}
		}
	}
	return "all variables are substituted on one side, none on the other", nil
}

// fluxStampCheck measures what it takes to find that the stamps of one Kustomization are stale.
func (b *bench) fluxStampCheck(ctx context.Context, e *fluxEstate, theirs side) error {
	write := command{dir: e.dir, argv: []string{b.ours, "flux", "stamp", "flux"}}
	if _, err := write.run(ctx); err != nil {
		return err
	}
	changed := kustomizationName(e.kustomizations / 2)
	file := filepath.Join(e.dir, "apps", changed, "all.yaml")
	before, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	after := strings.Replace(string(before), "server.option.0=", "server.option.0=other", 1)
	if err := os.WriteFile(file, []byte(after), 0o644); err != nil {
		return err
	}
	said := b.path("stale.txt")
	ours := command{dir: e.dir, stdout: said, // which ends with 1 where stamps are stale
		argv: []string{"sh", "-c", `"$0" flux stamp flux --check; test $? = 1`, b.ours}}
	_, err = b.do(ctx, work{
		name: "flux stamp --check of " + e.name() + ", one key changed", against: e.against("the same builds, stamped"),
		runs: 2, warm: true, sampled: e.every, theirs: theirs, ours: side{ours}, claims: []claim{cpuClaim(timesLess(10, 0))},
		check: func(ctx context.Context) (string, error) {
			if _, err := append(theirs[:len(theirs):len(theirs)], ours).run(ctx); err != nil {
				return "", err
			}
			text, err := os.ReadFile(said)
			found := strings.Contains(string(text), "\n1 workload restarts\n") && strings.Contains(string(text), changed)
			if err == nil && !found {
				err = fmt.Errorf("it prints %q", text)
			}
			return "one workload restarts", err
		},
	})
	if err != nil {
		return err
	}
	return b.fluxStampCached(ctx, e, ours)
}

// fluxStampCached measures the same where a cache has what an earlier run rendered.
func (b *bench) fluxStampCached(ctx context.Context, e *fluxEstate, bare command) error {
	cached := bare
	cached.stdout = b.path("stale-cached.txt")
	cached.argv = []string{"sh", "-c", `"$0" flux stamp flux --check --render-cache "$1"; test $? = 1`, b.ours,
		b.path("flux-cache")}
	_, err := b.do(ctx, work{
		name:    "flux stamp --check of " + e.name() + ", with --render-cache",
		against: "the same without", runs: 3, warm: true, theirs: side{bare}, ours: side{cached},
		claims: []claim{cpuClaim(timesLess(2, 0))},
		check: func(ctx context.Context) (string, error) {
			if _, err := (side{bare, cached}).run(ctx); err != nil {
				return "", err
			}
			without, err := os.ReadFile(bare.stdout)
			if err != nil {
				return "", err
			}
			with, err := os.ReadFile(cached.stdout)
			if err == nil && string(with) != string(without) {
				err = fmt.Errorf("it prints %q, and %q without a cache", with, without)
			}
			return "equal reports", err
		},
	})
	return err
}
