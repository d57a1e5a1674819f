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

// fluxPatches measures one Kustomization with many workloads and a patch for each of them, and with what power of their
// number both sides grow: the stock command's time would be minutes with some hundreds of them.
func (b *bench) fluxPatches(ctx context.Context, flux string) error {
	sizes := []int{40, 80, 120}
	if b.quick {
		sizes = []int{5, 10, 15}
	}
	var theirs, ours []command
	var rendered string
	for _, workloads := range sizes {
		dir, out, err := b.writeFluxPatches(ctx, workloads)
		if err != nil {
			return err
		}
		theirs = append(theirs, command{dir: dir, stdout: out + ".yaml", argv: []string{flux, "build", "kustomization", "k",
			"--dry-run", "--in-memory-build", "--path", "apps/k", "--kustomization-file", "flux/k.yaml"}})
		ours = append(ours, command{dir: dir, fresh: out,
			argv: []string{b.ours, "render", "--as", "flux", "flux", "--output-dir", out}})
		rendered = filepath.Join(out, "flux-system", "k.yaml")
	}
	last := len(sizes) - 1
	_, err := b.do(ctx, work{
		name:    fmt.Sprintf("flux build of %d workloads in one Kustomization, a patch for each", sizes[last]),
		against: "flux build kustomization", runs: 1, warm: true, theirs: side{theirs[last]}, ours: side{ours[last]},
		claims: []claim{cpuClaim(timesLess(2, 0))},
		check: func(ctx context.Context) (string, error) {
			powerOfTheirs, err := fit(ctx, sizes, theirs)
			if err != nil {
				return "", err
			}
			powerOfOurs, err := fit(ctx, sizes, ours)
			if err != nil {
				return "", err
			}
			objects, differ, err := b.compareAs(ctx, "sets", theirs[last].stdout, rendered)
			if err == nil && differ > 0 {
				err = fmt.Errorf("%d of %d objects differ", differ, objects)
			}
			return fmt.Sprintf("%d equal objects; the power %.2f of the workloads, and ours %.2f", objects, powerOfTheirs,
				powerOfOurs), err
		},
	})
	return err
}

// writeFluxPatches writes the repository for so many workloads, and returns it and a folder for what is rendered.
func (b *bench) writeFluxPatches(ctx context.Context, workloads int) (dir, out string, err error) {
	dir = b.path(fmt.Sprintf("flux-patches-%d", workloads))
	err = writeFiles(dir, map[string]func(io.Writer){
		"flux/k.yaml": func(w io.Writer) {
			fmt.Fprintf(w, fluxKustomization+"  patches:\n", "k")
			for i := range workloads {
				fmt.Fprintf(w, fluxPatch, i)
			}
		},
		"apps/k/all.yaml": func(w io.Writer) { writeApps(w, 0, workloads, false) },
	})
	if err != nil {
		return "", "", err
	}
	return dir, dir + "-out", beginRepository(ctx, dir)
}
