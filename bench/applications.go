package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// address is where Applications find the repository, as they write it.
const address = "https://git.example.com/team/estate.git"

// source is spec.project, source and destination of the Applications of a folder.
const source = `  project: default
  source:
    repoURL: ` + address + `
    path: %s
    targetRevision: HEAD
    helm: {valueFiles: [/` + sharedValues + `]}
  destination: {server: https://kubernetes.default.svc, namespace: default}
`

// writeApplications writes an Application for each application of the repository into argocd, and into sets an
// ApplicationSet for each tenth, which makes two of it.
func (e *estate) writeApplications() error {
	files := map[string]func(io.Writer){}
	for i, app := range e.apps {
		name, spec := filepath.Base(app), fmt.Sprintf(source, app)
		if i%2 == 1 {
			spec = strings.Replace(spec, "    helm: {valueFiles: [/"+sharedValues+"]}\n", "", 1)
		}
		const head = "apiVersion: argoproj.io/v1alpha1\nkind: %s\nmetadata: {name: %s, namespace: argocd}\nspec:\n"
		files["argocd/"+name+".yaml"] = text(fmt.Sprintf(head, "Application", name) + spec)
		if i%10 == 0 {
			files["sets/"+name+".yaml"] = text(fmt.Sprintf(head, "ApplicationSet", name) +
				"  generators:\n  - list: {elements: [{env: dev}, {env: prod}]}\n  template:\n    metadata: {name: '" +
				name + "-{{env}}'}\n    spec:\n    " + strings.ReplaceAll(strings.TrimSuffix(spec, "\n"), "\n", "\n    ") + "\n")
		}
	}
	return writeFiles(e.dir, files)
}

// applications measures what it costs that Applications describe what is rendered.
func (b *bench) applications(ctx context.Context) error {
	count := 500
	if b.quick {
		count = 10
	}
	e, err := b.writeEstate(ctx, "described", count, kinds)
	if err != nil {
		return err
	}
	run := func(out string, args ...string) command {
		argv := append([]string{b.ours}, args...)
		return command{argv: append(argv, "--repo", address+"=."), dir: e.dir, stdout: b.path(out)}
	}
	byPath := command{argv: []string{b.ours, "render", "apps/*", "-n", "default"}, dir: e.dir,
		stdout: b.path("by-path.yaml")}
	described := run("described.yaml", "render", "--as", "argocd", "argocd")
	_, err = b.do(ctx, work{
		name: fmt.Sprintf("render --as argocd of %d Applications", count), against: "the same renders by path", runs: 5,
		theirs: side{byPath}, ours: side{described}, claims: []claim{cpuClaim(atMost(1.1, 0))},
		check: func(ctx context.Context) (string, error) { return sameObjects(ctx, byPath, described) },
	})
	if err != nil {
		return err
	}
	listed := run("listed", "apps", "--as", "argocd", "argocd", "sets")
	_, err = b.do(ctx, work{
		name:    fmt.Sprintf("apps of %d Applications and %d ApplicationSets", count, count/10),
		against: "render --as argocd of them", runs: 5,
		theirs: side{run("both.yaml", "render", "--as", "argocd", "argocd", "sets")}, ours: side{listed},
		claims: []claim{cpuClaim(goal{})},
		check: func(ctx context.Context) (string, error) {
			if _, err := (side{listed}).run(ctx); err != nil {
				return "", err
			}
			text, err := os.ReadFile(listed.stdout)
			if n := bytes.Count(text, []byte("\n")) - 1; err == nil && n != count+count/10*2 {
				err = fmt.Errorf("%d are listed", n)
			}
			return "all are listed", err
		},
	})
	return err
}

// sameObjects checks that two runs print as many objects.
func sameObjects(ctx context.Context, a, b command) (string, error) {
	if _, err := (side{a, b}).run(ctx); err != nil {
		return "", err
	}
	x, err := os.ReadFile(a.stdout)
	if err != nil {
		return "", err
	}
	y, err := os.ReadFile(b.stdout)
	if err != nil {
		return "", err
	}
	kind := []byte("\nkind: ")
	if n, m := bytes.Count(x, kind), bytes.Count(y, kind); n != m || n == 0 {
		return "", errors.New(fmt.Sprint(n, " objects and ", m))
	}
	return "as many objects", nil
}
