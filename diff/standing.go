package diff

import (
	"maps"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/stamp"
)

// Stale is a workload with stamps in its source that are not those of its configuration any more: what is applied has
// them as they are.
type Stale struct {
	Name
	Causes []Cause `json:"causes"` // for which it restarts when it is stamped again
}

// standing returns the objects that have stamps in the source of an application that is applied as it is.
func standing(a *App) (map[id]bool, error) {
	if a == nil || !a.KeepsStamps {
		return nil, nil
	}
	return inSource(a)
}

// inSource returns the objects that have stamps in the source of an application.
func inSource(a *App) (map[id]bool, error) {
	if a.AsIs || a.Unstamped || a.Render == nil || a.result().Plan == nil {
		return nil, nil
	}
	prefix, text := a.result().Plan.Prefix, a.result().Output.Text
	mayHold := func(text []byte) bool { return prefix.MayBeIn(text) || hashing.MayHoldVariables(text) }
	if !mayHold(text) {
		return nil, nil
	}
	out := map[id]bool{}
	for reader := manifest.NewReader(text); ; {
		d, err := reader.Next()
		if err != nil || d == nil {
			return out, err
		}
		if !mayHold(d.Bytes()) {
			continue
		}
		for o := range d.Objects() {
			if holdsStamp(o.Node, prefix) {
				out[idOf(o)] = true
			}
		}
	}
}

// takenOut returns the objects that had stamps in the source of an application and have none there any more. What is
// rendered in another way now, or with other names of stamps, may be stamped while it is rendered from now on.
func takenOut(old, now *App, standing map[id]bool) (map[id]bool, error) {
	if old == nil || now == nil || !now.KeepsStamps || old.Render == now.Render || now.AsIs || now.Unstamped {
		return nil, nil
	}
	had, err := inSource(old)
	if len(had) == 0 || err != nil || now.Render == nil || now.result().Plan == nil ||
		old.result().Output.Kind != now.result().Output.Kind || old.result().Plan.Prefix != now.result().Plan.Prefix {
		return nil, err
	}
	maps.DeleteFunc(had, func(o id, _ bool) bool { return standing[o] })
	return had, nil
}

func idOf(o manifest.Object) id {
	group, name := strings.Clone(o.Group()), strings.Clone(stamp.BaseName(o))
	return id{group, strings.Clone(o.Kind), strings.Clone(o.Namespace), name}
}

// holdsStamp reports whether a node holds a digest in an annotation or variable of ours.
func holdsStamp(n manifest.Node, prefix hashing.Prefix) bool {
	switch {
	case n.IsMap():
		for k, v := range n.Entries() {
			if prefix.Has(k.Field()) && hashing.IsDigest(v.StringValue()) || holdsStamp(v, prefix) {
				return true
			}
		}
	case n.IsSeq():
		for v := range n.Items() {
			name, value := v.Get("name").StringValue(), v.Get("value").StringValue()
			if hashing.IsVariable(name) && hashing.IsDigest(value) || holdsStamp(v, prefix) {
				return true
			}
		}
	}
	return false
}

// isAnyOf reports whether one of the objects of a document is among these.
func isAnyOf(d *manifest.Document, these map[id]bool) bool {
	if len(these) == 0 {
		return false
	}
	for o := range d.Objects() {
		if these[idOf(o)] {
			return true
		}
	}
	return false
}

// stale returns the workloads that restart for configuration only when they are stamped again. b is the new side as it
// is applied, and restarts is what that restarts.
func (c comparer) stale(old, now *App, b *inventory, restarts []Restart, n neighbours) ([]Stale, error) {
	if len(b.standing) == 0 {
		return nil, nil
	}
	before, again := stampedTogether(old), stampedTogether(now)
	again.KeepsStamps = false
	from, to, stable, err := takeBoth(before, again)
	if err != nil {
		return nil, err
	}
	stamped := &Comparison{}
	if _, err := c.objects(stamped, stamped.match(from, to, moveOf(old, now), stable), from, to, stable, n); err != nil {
		return nil, err
	}
	have := map[Name][]Cause{}
	for _, r := range restarts {
		have[r.Name] = r.Causes
	}
	var out []Stale
	for _, r := range stamped.Restarts {
		i := id{r.Group, r.Kind, r.Namespace, r.Name.Name}
		if r.Rollout.Effect == Nothing {
			continue
		}
		if is := b.by[i]; is == nil || !b.standing[i] || same(is, to.by[i]) {
			continue
		}
		causes := slices.DeleteFunc(slices.Clone(r.Causes), func(c Cause) bool {
			return !c.isOfStamp() || slices.ContainsFunc(have[r.Name], func(o Cause) bool {
				return o.isOfStamp() && o.Object == c.Object
			})
		})
		if len(causes) > 0 {
			out = append(out, Stale{r.Name, causes})
		}
	}
	return out, nil
}

// stampedTogether returns an application as it is when its files are stamped with those of others.
func stampedTogether(a *App) *App {
	if a == nil {
		return nil
	}
	out := *a
	if a.Together != nil {
		out.Render = pipeline.NewRendered(a.Together)
	}
	return &out
}

// isOfStamp reports whether a stamp is what a cause is about.
func (c Cause) isOfStamp() bool {
	return c.Reason == Config || c.Reason == First || c.Reason == Uncounted
}

// noStamp is why the stamps go of a workload that had them in its source.
const noStamp = "its source has no stamp any more"

// restamped is what a stamp that changes in the source by itself is said to be.
const restamped = "its stamp changes, and what is read of it does not"
