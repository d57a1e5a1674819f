package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
)

// fluxPatch is a patch of one workload as flux stamp writes it.
const fluxPatch = `    - patch: |
        apiVersion: apps/v1
        kind: Deployment
        metadata:
          name: app-%05[1]d
        spec:
          template:
            metadata:
              annotations:
                example.com/stamp: digest-%[1]d
      target:
        group: apps
        kind: Deployment
        name: app-%05[1]d
`

// fluxPatches measures one Kustomization with many workloads and a patch for each of them.
func (b *bench) fluxPatches(ctx context.Context, flux string) error {
	workloads := 300
	if b.quick {
		workloads = 10
	}
	dir, out, stock := b.path("flux-patches"), b.path("flux-patches-out"), b.path("flux-patches.yaml")
	err := writeFiles(dir, map[string]func(io.Writer){
		"flux/k.yaml": func(w io.Writer) {
			fmt.Fprintf(w, fluxKustomization+"  patches:\n", "k")
			for i := range workloads {
				fmt.Fprintf(w, fluxPatch, i)
			}
		},
		"apps/k/all.yaml": func(w io.Writer) { writeApps(w, 0, workloads, false) },
	})
	if err == nil {
		err = beginRepository(ctx, dir)
	}
	if err != nil {
		return err
	}
	theirs := command{dir: dir, stdout: stock, argv: []string{flux, "build", "kustomization", "k", "--dry-run",
		"--in-memory-build", "--path", "apps/k", "--kustomization-file", "flux/k.yaml"}}
	ours := command{dir: dir, argv: []string{b.ours, "render", "--as", "flux", "flux", "--output-dir", out}, fresh: out}
	_, err = b.do(ctx, work{
		name:    fmt.Sprintf("flux build of %d workloads in one Kustomization, a patch for each", workloads),
		against: "flux build kustomization", runs: 1, warm: true, theirs: side{theirs}, ours: side{ours},
		claims: []claim{cpuClaim(timesLess(5, 0))},
		check: func(ctx context.Context) (string, error) {
			if _, err := (side{theirs, ours}).run(ctx); err != nil {
				return "", err
			}
			objects, differ, err := b.compareAs(ctx, "sets", stock, filepath.Join(out, "flux-system", "k.yaml"))
			if err == nil && differ > 0 {
				err = fmt.Errorf("%d of %d objects differ", differ, objects)
			}
			return fmt.Sprintf("%d equal objects", objects), err
		},
	})
	return err
}
