package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func (b *bench) template(chart string) command {
	return command{argv: []string{b.helm, "template", chart}}
}
func (b *bench) render(path string) command { return command{argv: []string{b.ours, "render", path}} }

// start is the least that a run can cost.
func (b *bench) start(ctx context.Context) error {
	chart := b.path("one")
	if err := writeOneObjectChart(chart); err != nil {
		return err
	}
	theirs, ours := b.template(chart), b.render(chart)
	p, err := b.do(ctx, work{
		name: "start-up + one-object chart, rendered and stamped", against: "helm template", runs: 31,
		theirs: side{theirs}, ours: side{ours}, check: b.sameRender(theirs, ours),
		claims: []claim{cpuClaim(atMost(0.40, 0.25)), memoryClaim(goal{})},
	})
	if len(p.ours) > 0 {
		_, _, b.startRatio = p.medians(cpu)
	}
	return err
}

func (b *bench) syntheticCharts(ctx context.Context) error {
	for _, size := range []struct {
		objects, runs int
		claims        []claim
	}{
		{100, 15, []claim{cpuClaim(atMost(0.30, 0.25))}},
		{1000, 9, []claim{cpuClaim(atMost(0.20, 0.18))}},
		{10000, 5, []claim{cpuClaim(atMost(0.20, 0.15)), memoryClaim(atMost(0.9, 0.75))}},
	} {
		if b.quick && size.objects > 100 {
			continue
		}
		chart := b.path(fmt.Sprintf("chart-%d", size.objects))
		if err := writeChart(chart, size.objects); err != nil {
			return err
		}
		theirs, ours := b.template(chart), b.render(chart)
		_, err := b.do(ctx, work{
			name: fmt.Sprintf("chart of %d objects, rendered and stamped", size.objects), against: "helm template",
			runs:   size.runs,
			theirs: side{theirs}, ours: side{ours}, check: b.sameRender(theirs, ours), claims: size.claims,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// realCharts are those of the globs.
func (b *bench) realCharts(ctx context.Context) error {
	return b.each(ctx, b.charts, func(path string) work {
		theirs, ours := b.template(path), b.render(path)
		return work{
			name: "chart " + filepath.Base(path), against: "helm template", runs: 9,
			theirs: side{theirs}, ours: side{ours}, check: b.sameRender(theirs, ours),
			claims: []claim{cpuClaim(atMost(0.43, 0.33))},
		}
	})
}

// expand returns the absolute paths that match one of several globs, with commas between them.
func expand(globs string) ([]string, error) {
	var paths []string
	for glob := range strings.SplitSeq(globs, ",") {
		found, err := filepath.Glob(glob)
		if err != nil {
			return nil, fmt.Errorf("glob %s: %w", glob, err)
		}
		for _, path := range found {
			if path, err = filepath.Abs(path); err != nil {
				return nil, err
			}
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// each does a row for each path of the globs.
func (b *bench) each(ctx context.Context, globs string, row func(path string) work) error {
	paths, err := expand(globs)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if _, err := b.do(ctx, row(path)); err != nil {
			return err
		}
	}
	return nil
}

// postRender is today's way to get something into the pod templates of a chart.
func (b *bench) postRender(ctx context.Context) error {
	objects := 1000
	if b.quick {
		objects = 100
	}
	chart, folder, ordered := b.path("post-chart"), b.path("post"), b.path("post-ordered")
	if err := writeChart(chart, objects); err != nil {
		return err
	}
	if err := writeKustomization(folder, 0); err != nil {
		return err
	}
	render := b.template(chart)
	render.stdout = filepath.Join(folder, "all.yaml") // instead of the file that the kustomization names
	build := command{argv: []string{b.kustomize, "build", folder}}
	ours := b.render(chart)
	_, err := b.do(ctx, work{
		name:    fmt.Sprintf("chart of %d objects, rendered and stamped", objects),
		against: "helm template, then kustomize build", runs: 5,
		theirs: side{render, build}, ours: side{ours}, claims: []claim{cpuClaim(timesLess(35, 45))},
		check: func(ctx context.Context) (string, error) {
			// kustomize sorts by kind; set not to, it returns the objects in the order in which both got them.
			err := writeFiles(ordered, map[string]func(io.Writer){
				"kustomization.yaml": text("resources: [all.yaml]\nsortOptions: {order: fifo}\n"),
			})
			if err != nil {
				return "", err
			}
			into, passed, stamped := render, command{argv: []string{b.kustomize, "build", ordered},
				stdout: b.path("theirs.yaml")}, ours
			into.stdout, stamped.stdout = filepath.Join(ordered, "all.yaml"), b.path("stamped.yaml")
			if _, err := (side{into, passed, stamped}).run(ctx); err != nil {
				return "", err
			}
			objects, differ, err := b.compare(ctx, passed.stdout, stamped.stdout)
			if differ > 0 {
				err = fmt.Errorf("%d of %d objects differ", differ, objects)
			}
			return fmt.Sprintf("%d equal objects", objects), err
		},
	})
	return err
}

func (b *bench) syntheticKustomizations(ctx context.Context) error {
	for _, size := range []struct{ objects, runs int }{{100, 9}, {1000, 5}} {
		if b.quick && size.objects > 100 {
			continue
		}
		folder := b.path(fmt.Sprintf("kustomization-%d", size.objects))
		if err := writeKustomization(folder, size.objects); err != nil {
			return err
		}
		if _, err := b.do(ctx, b.kustomization(fmt.Sprintf("kustomization of %d objects, stamped", size.objects), folder,
			size.runs)); err != nil {
			return err
		}
	}
	return b.grownKustomizations(ctx)
}

// grownKustomizations are those for which kustomize takes minutes: it builds each once, where it builds it at all.
func (b *bench) grownKustomizations(ctx context.Context) error {
	for _, k := range []struct {
		what    string
		objects int
		more    string // fields of the kustomization
		patched int    // Deployments with a patch of their own
		goal    goal
	}{
		{"", 3000, "", 0, timesLess(8, 20)},
		{" with namespace and labels", 3000, namespaceAndLabels, 0, timesLess(25, 60)},
		{" with a patch for each workload", 900, "", 300, timesLess(8, 20)},
	} {
		if b.quick {
			k.objects, k.patched = k.objects/30, k.patched/30
		}
		folder := b.path(fmt.Sprintf("grown-%d-%d-%d", k.objects, len(k.more), k.patched))
		if err := writeGrownKustomization(folder, k.objects, k.more, k.patched); err != nil {
			return err
		}
		theirs, ours := command{argv: []string{b.kustomize, "build", folder}}, b.renderNatively(folder)
		if _, err := b.do(ctx, work{
			name:    fmt.Sprintf("kustomization of %d objects%s", k.objects, k.what),
			against: "kustomize build", runs: 1,
			theirs: side{theirs}, ours: side{ours}, check: b.sameRender(theirs, b.render(folder)),
			claims: []claim{cpuClaim(k.goal), memoryClaim(goal{})},
		}); err != nil {
			return err
		}
	}
	return b.kustomizationGrowth(ctx)
}

// namespaceAndLabels are fields that change every object, and what selects it.
const namespaceAndLabels = "namespace: shop\nlabels:\n  - pairs: {team: shop}\n    includeSelectors: true\n"

// renderNatively renders a kustomization as fast as we can.
func (b *bench) renderNatively(folder string) command {
	ours := b.render(folder)
	ours.argv = append(ours.argv, "--no-stamp", "--kustomize-engine", "native")
	return ours
}

// kustomizationGrowth measures large kustomizations against the smallest of their kind; the goal is the power 1.1 of
// their number, of the whole with start-up.
func (b *bench) kustomizationGrowth(ctx context.Context) error {
	for _, k := range []struct{ what, more string }{{"", ""}, {" with namespace and labels", namespaceAndLabels}} {
		var smallest command
		for _, size := range []struct {
			objects int
			goal    goal
		}{{900, goal{}}, {3000, atMost(3.8, 3.4)}, {10000, atMost(14.2, 11.2)}, {30000, atMost(47, 34)}} {
			if b.quick {
				size.objects /= 30
			}
			folder := b.path(fmt.Sprintf("growth-%d-%d", size.objects, len(k.more)))
			if err := writeGrownKustomization(folder, size.objects, k.more, 0); err != nil {
				return err
			}
			ours := b.renderNatively(folder)
			if smallest.argv == nil {
				smallest = ours
				continue
			}
			if _, err := b.do(ctx, work{
				name:    fmt.Sprintf("kustomization of %d objects%s", size.objects, k.what),
				against: "ours, of 900", runs: 3,
				theirs: side{smallest}, ours: side{ours}, check: b.hasDocuments(ours, size.objects/kinds*kinds),
				claims: []claim{cpuClaim(size.goal), memoryClaim(goal{})},
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// hasDocuments checks how many documents ours prints.
func (b *bench) hasDocuments(ours command, want int) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		ours.stdout = b.path("documents.yaml")
		if _, err := (side{ours}).run(ctx); err != nil {
			return "", err
		}
		text, err := os.ReadFile(ours.stdout)
		if err != nil {
			return "", err
		}
		if n := bytes.Count(text, []byte("\n---\n")) + 1; n != want {
			return "", fmt.Errorf("it printed %d documents, want %d", n, want)
		}
		return fmt.Sprintf("%d documents", want), nil
	}
}

// realKustomizations are those of the globs.
func (b *bench) realKustomizations(ctx context.Context) error {
	return b.each(ctx, b.overlays, func(path string) work {
		return b.kustomization("kustomization "+label(path), path, 9)
	})
}

// label returns the last folders of a path: those of overlays are called alike.
func label(path string) string {
	parts := strings.Split(filepath.ToSlash(path), "/")
	return strings.Join(parts[max(0, len(parts)-3):], "/")
}

func (b *bench) kustomization(name, path string, runs int) work {
	theirs, ours := command{argv: []string{b.kustomize, "build", path}}, b.render(path)
	return work{
		name: name, against: "kustomize build", runs: runs,
		theirs: side{theirs}, ours: side{ours}, check: b.sameRender(theirs, ours),
		claims: []claim{cpuClaim(atMost(1.0, 0.8))},
	}
}
