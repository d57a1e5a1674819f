package lint

import (
	"context"
	"slices"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/render"
)

// Renamed returns a transform that changes nothing, and reports workloads of a chart that have another name at each
// render: the patches of a HelmRelease find none of them. The kinds are those of a level, and of rules.
func Renamed(level int, rules []config.KindRule) render.Transform {
	return func(_ context.Context, out *render.Output) (*render.Output, error) {
		if out.SecondRender == nil {
			return out, nil
		}
		first, err := workloads(out.Text, level, rules)
		if err != nil {
			return nil, err
		}
		second, err := workloads(out.SecondRender, level, rules)
		if err != nil {
			return nil, err
		}
		with := *out
		with.Findings = slices.Concat(out.Findings, renamed(first, second))
		return &with, nil
	}
}

// renamed reports the workloads whose names only one of two renders has. The second may leave out what cannot differ:
// its own ones count, each beside the one of the first whose name begins alike.
func renamed(first, second []workload) (out []diag.Finding) {
	gone := without(first, second)
	for _, is := range without(second, first) {
		best := -1
		for i, was := range gone {
			if was.kind == is.kind && (best < 0 || alike(was.name, is.name) > alike(gone[best].name, is.name)) {
				best = i
			}
		}
		if best < 0 {
			continue
		}
		was := gone[best]
		out = append(out, diag.New(diag.FluxRenamed, was.name,
			"its name is another one at each render: the next one has "+is.name).At(was.at))
		gone = slices.Delete(gone, best, best+1)
	}
	return out
}

// without returns those of one render that the other does not have.
func without(some, other []workload) (out []workload) {
	has := map[string]bool{}
	for _, w := range other {
		has[w.name] = true
	}
	for _, w := range some {
		if !has[w.name] {
			out = append(out, w)
		}
	}
	return out
}

// alike returns how many bytes two names have in common from their beginning.
func alike(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// workload is one of a render.
type workload struct {
	name, kind string // name is "Kind namespace/name"
	at         diag.Position
}

// workloads returns those of a text.
func workloads(text []byte, level int, rules []config.KindRule) (out []workload, err error) {
	table, places := refs.NewTable(level, rules), render.NewPlaces(text, nil)
	for doc, err := range manifest.Documents(text, "") {
		if err != nil {
			return nil, err
		}
		for o := range doc.Objects() {
			if len(table.Rows(o)) > 0 {
				out = append(out, workload{o.String(), o.Kind, places.At(doc.Start)})
			}
		}
	}
	return out, nil
}
