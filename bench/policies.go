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

	"github.com/rollstamp/rollstamp/sources/lock"
)

// policies measures what the features cost by which people decide about restarts: over plain stamping of the same
// stream, over kustomize's generators, and over rendering.
func (b *bench) policies(ctx context.Context) error {
	objects := 10000
	if b.quick {
		objects = 300
	}
	for _, measure := range []func(context.Context, int) error{b.settings, b.adopted, b.generators, b.wholeRepository} {
		if err := measure(ctx, objects); err != nil {
			return err
		}
	}
	return nil
}

// policyDir writes a folder with a stream and a configuration.
func (b *bench) policyDir(name string, objects int, configuration string) (dir string, err error) {
	dir = b.path("policies", name)
	return dir, writeFiles(dir, map[string]func(io.Writer){
		".rollstamp.yaml": text(configuration),
		"all.yaml":        func(w io.Writer) { writeApps(w, 0, max(1, objects/kinds), false) },
	})
}

func (b *bench) stampIn(dir string) command {
	return command{argv: []string{b.ours, "stamp"}, dir: dir, stdin: filepath.Join(dir, "all.yaml")}
}

// settings measures a stream under configurations, against the same one without.
func (b *bench) settings(ctx context.Context, objects int) error {
	plain, err := b.policyDir("plain", objects, "")
	if err != nil {
		return err
	}
	const off = "strategy: annotation\nreload: auto\ncombined: false\ncompat: {reloader: off, wave: off, kapp: off}\n"
	for _, row := range []struct {
		name, configuration string
		most                float64
	}{
		{"all of it off", off, 1.02},
		{"compat: {reloader: honour}", "compat: {reloader: honour}\n", 1.15},
		{"strategy: env", "strategy: env\n", 1.15},
		{"waves: argocd", "order: [{name: \"*-00001\"}, {kind: Deployment}]\nwaves: argocd\n", 0},
	} {
		dir, err := b.policyDir(strings.NewReplacer(" ", "-", ":", "").Replace(row.name), objects, row.configuration)
		if err != nil {
			return err
		}
		theirs, ours := b.stampIn(plain), b.stampIn(dir)
		_, err = b.do(ctx, work{
			name: fmt.Sprintf("stamping %d objects, %s", objects, row.name), against: "the same without a configuration",
			runs: 15, theirs: side{theirs}, ours: side{ours}, claims: []claim{cpuClaim(atMost(row.most, 0))},
			check: func(ctx context.Context) (string, error) { return b.takenOut(ctx, ours, "v1-") },
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// takenOut checks that a stamped stream is what came in once its stamps are taken out, and counts what is written.
func (b *bench) takenOut(ctx context.Context, stamp command, mark string) (string, error) {
	stamp.stdout = b.path("policies", "stamped.yaml")
	bare := command{argv: []string{b.ours, "unstamp"}, dir: stamp.dir, stdin: stamp.stdout,
		stdout: b.path("policies", "bare.yaml")}
	if _, err := (side{stamp, bare}).run(ctx); err != nil {
		return "", err
	}
	if err := equalFiles(stamp.stdin, bare.stdout); err != nil {
		return "", err
	}
	written, err := os.ReadFile(stamp.stdout)
	n := bytes.Count(written, []byte(mark))
	if err == nil && n == 0 {
		err = errors.New("nothing is written")
	}
	return fmt.Sprintf("the input without %d stamps", n), err
}

// adopted measures a lock whose lines hold all stamps, and others of another application, 10,000 in all.
func (b *bench) adopted(ctx context.Context, objects int) error {
	plain := b.path("policies", "plain")
	dir, err := b.policyDir("adopted", objects, "")
	if err != nil {
		return err
	}
	adopt := command{argv: []string{b.ours, "adopt", "."}, dir: dir}
	if _, err := adopt.run(ctx); err != nil {
		return err
	}
	path := filepath.Join(dir, "rollstamp.lock")
	held, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var others strings.Builder
	for i := range objects - bytes.Count(held, []byte(" adopted ")) {
		fmt.Fprintf(&others, "path/other Deployment//app-%05d#ConfigMap/app-%05d adopted v1-0123456789abcdef\n", i, i)
	}
	if err := os.WriteFile(path, append(held, others.String()...), 0o600); err != nil {
		return err
	}
	theirs, ours := b.stampIn(plain), b.stampIn(dir)
	_, err = b.do(ctx, work{
		name:    fmt.Sprintf("stamping %d objects, a lock of %d adopted lines", objects, objects),
		against: "the same without a lock", runs: 15,
		theirs: side{theirs}, ours: side{ours}, claims: []claim{cpuClaim(atMost(1.15, 0))},
		check: func(ctx context.Context) (string, error) {
			stamped := ours
			stamped.stdout = b.path("policies", "stamped.yaml")
			if _, err := stamped.run(ctx); err != nil {
				return "", err
			}
			return "no stamp, as every one is adopted", equalFiles(ours.stdin, stamped.stdout)
		},
	})
	return err
}

// generators measures names with digests against kustomize's generators, which need a multiple of the time for twice
// as much: fewer objects are enough to show it.
func (b *bench) generators(ctx context.Context, objects int) error {
	objects /= 5
	dir, err := b.policyDir("suffix", objects, "strategy: suffix\nsuffix: {keep: 0}\n")
	if err != nil {
		return err
	}
	folder := b.path("policies", "generators")
	if err := writeGenerators(folder, objects/kinds); err != nil {
		return err
	}
	theirs, ours := command{argv: []string{b.kustomize, "build", folder}}, b.stampIn(dir)
	_, err = b.do(ctx, work{
		name: fmt.Sprintf("stamping %d objects, strategy: suffix", objects), against: "kustomize build with generators",
		runs: 3, theirs: side{theirs}, ours: side{ours}, claims: []claim{cpuClaim(timesLess(10, 0))},
		check: func(ctx context.Context) (string, error) {
			built := theirs
			built.stdout = b.path("policies", "built.yaml")
			if _, err := built.run(ctx); err != nil {
				return "", err
			}
			return b.sameNames(ctx, built.stdout, ours)
		},
	})
	return err
}

// writeGenerators writes a kustomization that generates the ConfigMaps and Secrets that writeApps writes.
func writeGenerators(dir string, apps int) error {
	files := map[string]func(io.Writer){
		"kustomization.yaml": func(w io.Writer) {
			fmt.Fprint(w, "resources: [all.yaml]\nconfigMapGenerator:\n")
			for i := range apps {
				fmt.Fprintf(w, "- {name: app-%05d, envs: [%05d.env]}\n", i, i)
			}
			fmt.Fprint(w, "secretGenerator:\n")
			for i := range apps {
				fmt.Fprintf(w, "- {name: app-%05d, envs: [%05d.env]}\n", i, i)
			}
		},
		"all.yaml": func(w io.Writer) {
			for i := range apps {
				fmt.Fprint(w, "---\n", strings.NewReplacer("NAME", fmt.Sprintf("app-%05d", i), "IMAGE", "x").Replace(deployment))
			}
		},
	}
	for i := range apps {
		files[fmt.Sprintf("%05d.env", i)] = func(w io.Writer) {
			for k := range 16 {
				fmt.Fprintf(w, "SETTING_%02d=%s\n", k, filler(i, k, 48))
			}
		}
	}
	return writeFiles(dir, files)
}

// sameNames checks that ours lets as many names carry digests as the generators, and that the input is back without.
func (b *bench) sameNames(ctx context.Context, built string, ours command) (string, error) {
	said, err := b.takenOut(ctx, ours, "checksum.rollstamp.dev/name: ")
	if err != nil {
		return "", err
	}
	theirs, err := os.ReadFile(built)
	if err != nil {
		return "", err
	}
	n := bytes.Count(theirs, []byte("kind: ConfigMap\n")) + bytes.Count(theirs, []byte("kind: Secret\n"))
	if want := fmt.Sprintf("the input without %d stamps", n); said != want {
		return "", fmt.Errorf("%s, and kustomize generates %d", said, n)
	}
	return fmt.Sprintf("%d names each", n), nil
}

// wholeRepository measures what reads a whole repository, against rendering it.
func (b *bench) wholeRepository(ctx context.Context, _ int) error {
	count := 200
	if b.quick {
		count = 6
	}
	e, err := b.writeEstate(ctx, "decided", count, 30)
	if err != nil {
		return err
	}
	render := command{argv: []string{b.ours, "render", "apps/*"}, dir: e.dir}
	if err := e.addReloaded(); err != nil {
		return err
	}
	empty := filepath.Join(e.dir, "empty.lock")
	if err := os.WriteFile(empty, fmt.Appendf(nil, "schema %d\n", lock.Schema), 0o600); err != nil {
		return err
	}
	reset := command{argv: []string{"cp", empty, filepath.Join(e.dir, lock.FileName)}}
	migrate := side{{argv: []string{b.ours, "migrate", "-o", "json", "apps/*"}, dir: e.dir,
		stdout: b.path("policies", "migrate")}}
	for _, row := range []struct {
		name, mark string
		ours       side
		out        string // the file with what was found
		prepare    func() error
	}{
		{"migrate", `"object": "Deployment reloaded"`, migrate, b.path("policies", "migrate"), nil},
		{"adopt", " adopted ", side{reset, {argv: []string{b.ours, "adopt", "apps/*"}, dir: e.dir}},
			filepath.Join(e.dir, lock.FileName), nil},
		{"migrate, every workload annotated,", `"where": "workload"`, migrate, b.path("policies", "migrate"), e.reloadAll},
	} {
		if row.prepare != nil {
			if err := row.prepare(); err != nil {
				return err
			}
		}
		_, err := b.do(ctx, work{
			name: fmt.Sprintf("%s of %d applications of 30 objects", row.name, count), against: "render of them", runs: 5,
			theirs: side{render}, ours: row.ours, claims: []claim{cpuClaim(atMost(1.3, 0))},
			check: func(ctx context.Context) (string, error) {
				if _, err := row.ours.run(ctx); err != nil {
					return "", err
				}
				found, err := os.ReadFile(row.out)
				n := bytes.Count(found, []byte(row.mark))
				if err == nil && n < count {
					err = fmt.Errorf("%d times %q", n, row.mark)
				}
				return fmt.Sprintf("%d times %q", n, row.mark), err
			},
		})
		if err != nil {
			return err
		}
	}
	return nil
}
