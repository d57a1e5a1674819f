package stamp

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/refs"
)

// objectID identifies an object of a render.
type objectID struct{ group, kind, namespace, name string }

func idOf(o manifest.Object) objectID { return objectID{o.Group(), o.Kind, o.Namespace, o.Name} }

// clone returns a copy that outlives the document of the object.
func (id objectID) clone() objectID {
	return objectID{strings.Clone(id.group), strings.Clone(id.kind), strings.Clone(id.namespace), strings.Clone(id.name)}
}

// readSecondTemplates reads the workloads of the second render, if there is one. It may hold no more than what can
// differ from the first.
func (r *reader) readSecondTemplates(ctx context.Context) error {
	if r.in.out.SecondRender == nil {
		return nil
	}
	r.second = map[objectID]manifest.Node{}
	text := manifest.NewReader(r.in.out.SecondRender)
	for {
		d, err := text.Next()
		if err != nil {
			return errors.Join(errors.New("read the second render"), err)
		}
		if d == nil {
			return ctx.Err()
		}
		var clone *manifest.Document
		for o := range d.Objects() {
			if !slices.ContainsFunc(r.in.table.Rows(o), mayRepeat) {
				continue
			}
			if clone == nil {
				clone = d.Clone()
			}
			r.second[idOf(o).clone()] = o.Node.In(clone)
		}
	}
}

// unstable is what of a pod template differs in each render.
type unstable struct {
	paths       []string
	isImmutable bool // it is a Job's
}

// mayRepeat reports whether workloads of a kind restart, or are refused, at each render that has another template.
func mayRepeat(row *refs.Kind) bool {
	return row.Rollout.ReplacesPods() || row.Rollout == refs.ByReplacement
}

// unstablePaths returns the places of a workload's pod template that the second render has other values for. A hook is
// made again by each upgrade, whatever it holds.
func (r *reader) unstablePaths(w *policy.Workload, row *refs.Kind, template manifest.Node) (out unstable) {
	o := w.Object
	if len(r.second) == 0 || !mayRepeat(row) || w.RunsAsHook() {
		return out
	}
	workload := r.second[idOf(o)]
	if !workload.Valid() && row.Rollout.ReplacesPods() {
		r.unpaired = append(r.unpaired, unpaired{idOf(o).clone(), len(r.in.workloads)})
		return out
	}
	out.isImmutable = row.Rollout == refs.ByReplacement
	second := workload.At(row.Template...)
	if !second.Valid() || out.isImmutable && isReplaced(o) {
		return out
	}
	out.paths = differingPaths(nil, "", template, second)
	return out
}

// isReplaced reports whether a Job is removed, by its engine or when it has finished, before the next one is applied.
func isReplaced(o manifest.Object) bool {
	return refs.IsRecreated(o) || o.Node.At("spec", "ttlSecondsAfterFinished").Valid()
}

// unpaired is a workload that a second render does not have by its name.
type unpaired struct {
	id    objectID
	index int // of the workload
}

// namePath is where a workload has its name.
const namePath = "metadata.name"

// markRandomNames marks the workloads that have another name in the second render: there is one of their kind and
// namespace that the first has not.
func (r *reader) markRandomNames() {
	if len(r.unpaired) == 0 {
		return
	}
	for _, w := range r.in.workloads {
		maps.DeleteFunc(r.second, func(id objectID, _ manifest.Node) bool {
			return id.kind == w.kind && id.name == w.name
		})
	}
	isNew := map[objectID]int{}
	for id := range r.second {
		id.name = ""
		isNew[id]++
	}
	for _, u := range r.unpaired {
		id := u.id
		id.name = ""
		w := r.in.workloads[u.index]
		if isNew[id] == 0 || len(w.templates) == 0 {
			continue
		}
		isNew[id]--
		w.templates[0].unstable.paths = []string{namePath}
	}
}

// differingPaths appends the places below a path at which two nodes differ. Either node may be absent.
func differingPaths(out []string, path string, a, b manifest.Node) []string {
	switch {
	case a.IsMap() && b.IsMap():
		for k, v := range a.Entries() {
			out = differingPaths(out, fieldPath(path, k.Text()), v, b.Get(k.Text()))
		}
		for k := range b.Entries() {
			if !a.Get(k.Text()).Valid() {
				out = append(out, fieldPath(path, k.Text()))
			}
		}
		return out
	case a.IsSeq() && b.IsSeq() && a.Len() == b.Len():
		items, i := slices.Collect(b.Items()), 0
		for item := range a.Items() {
			out = differingPaths(out, itemPath(path, i, item, items[i]), item, items[i])
			i++
		}
		return out
	case a.IsScalar() && b.IsScalar() && a.Type() == b.Type() && a.Text() == b.Text():
		return out
	}
	return append(out, path)
}

// fieldPath adds a key to a path, in quotes where a dot in it would mislead.
func fieldPath(path, key string) string {
	if strings.ContainsAny(key, "./[] ") || key == "" {
		return path + "[" + strconv.Quote(key) + "]"
	}
	return strings.TrimPrefix(path+"."+key, ".")
}

// itemPath adds an item of two renders to a path: its name, or its number where it has none or another one in each.
func itemPath(path string, i int, item, second manifest.Node) string {
	if name := item.Get("name").StringValue(); name != "" && name == second.Get("name").StringValue() {
		return path + "[" + name + "]"
	}
	return path + "[" + strconv.Itoa(i) + "]"
}

// reportUnstable records what of the pod templates of workloads differs in each render, but for the annotations of
// other tools that are removed.
func (t *templateOutcome) reportUnstable(templates []consumer) {
	for i := range templates {
		c := &templates[i]
		var removed []string
		if c.isStamped() {
			removed = c.strategy.foreign()
		}
		paths := slices.DeleteFunc(slices.Clone(c.unstable.paths), func(path string) bool {
			return slices.ContainsFunc(removed, func(key string) bool {
				return path == fieldPath("metadata.annotations", key)
			})
		})
		if len(paths) == 0 {
			continue
		}
		w := &t.workloads[c.index]
		w.Unstable = append(w.Unstable, paths...)
		t.addAt(diag.New(diag.UnstableTemplate, c.workload.String(), unstableText(paths, c.unstable.isImmutable)),
			c.workload.position)
	}
}

// unstableText returns what a workload comes to of which these places differ in each render.
func unstableText(paths []string, isImmutable bool) string {
	const template = "its pod template differs from one render to the next, "
	switch {
	case paths[0] == namePath:
		return "its name differs from one render to the next, so that each brings new pods"
	case isImmutable:
		return template + "and a Job's is immutable, so that the API server refuses each but the first: " + brief(paths)
	}
	return template + "so that it restarts at each: " + brief(paths)
}

// brief joins the first few of some paths.
func brief(paths []string) string {
	const most = 4
	if len(paths) <= most {
		return strings.Join(paths, ", ")
	}
	return strings.Join(paths[:most], ", ") + " and " + strconv.Itoa(len(paths)-most) + " more"
}
