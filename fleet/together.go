package fleet

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// HoldsStampsOfOthers reports whether the source of an application has stamps of what the application does not render:
// its files were stamped in one stream with those of others.
func HoldsStampsOfOthers(r *pipeline.Result) bool { return len(stampsOfOthers(r)) > 0 }

// stampsOfOthers returns references to what an application does not render whose stamps its source has.
func stampsOfOthers(r *pipeline.Result) (out []*plan.Reference) {
	if r == nil || r.Plan == nil || r.Output.IsEdited() {
		return nil
	}
	names := sync.OnceValue(func() map[string]bool { return stampsIn(r.Output.Text, r.Plan.Prefix) })
	for i := range r.Plan.Workloads {
		all := r.Plan.Workloads[i].References
		for k := range all {
			one := &all[k]
			if one.Source == objects.Absent && len(names()) > 0 && (names()[r.Plan.Prefix.Combined()] ||
				names()[hashing.CombinedVariable] || names()[r.Plan.Prefix.Annotation("", one.Kind, one.Name)] ||
				names()[hashing.Variable(one.Kind, one.Name)]) {
				out = append(out, one)
			}
		}
	}
	return out
}

// stampsIn returns the names of annotations and variables of ours in a text.
func stampsIn(text []byte, prefix hashing.Prefix) map[string]bool {
	if !prefix.MayBeIn(text) && !hashing.MayHoldVariables(text) {
		return nil
	}
	out := map[string]bool{}
	for word := range bytes.FieldsFuncSeq(text, notInName) {
		if name := string(word); prefix.Has(name) || hashing.IsVariable(name) {
			out[name] = true
		}
	}
	return out
}

// notInName reports whether no name of a stamp has a character.
func notInName(r rune) bool {
	return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./", r)
}

// Rendered is an application of a run with what it comes to.
type Rendered struct {
	App    *app.Application
	Result *pipeline.Result
}

// StampTogether stamps the i-th application with what others of the run render, where its source has stamps of that. It
// returns nil where it has none, or none of the others renders it without doubt. Find returns another one by its index,
// with a nil Result where that is not known.
func (n *Neighbours) StampTogether(
	ctx context.Context, i int, one Rendered, find func(i int) (Rendered, error),
) (*pipeline.Result, error) {
	var with []int
	for _, r := range stampsOfOthers(one.Result) {
		p, ok := n.Provider(i, r.Kind, n.members[i].known(r.Namespace), r.Name)
		if ok && p.Doubtful == "" && !slices.Contains(with, p.Index) {
			with = append(with, p.Index)
		}
	}
	slices.Sort(with)
	var others []Rendered
	for _, k := range with {
		other, err := find(k)
		if err != nil {
			return nil, err
		}
		if other.Result != nil {
			others = append(others, other)
		}
	}
	if len(others) == 0 {
		return nil, nil
	}
	return pipeline.Stamp(ctx, one.App, one.Around(others))
}

// Around returns what the application renders, with what others render to look objects up in.
func (r Rendered) Around(others []Rendered) *render.Output {
	out := *r.Result.Output
	out.Context = slices.Clone(out.Context)
	for _, other := range others {
		around := *other.Result.Output
		around.Namespace = other.App.Request().Namespace
		out.Context = append(out.Context, &around)
	}
	return &out
}
