package stamp

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
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
			if !slices.ContainsFunc(r.in.table.Rows(o), replacesPods) {
				continue
			}
			if clone == nil {
				clone = d.Clone()
			}
			r.second[idOf(o).clone()] = o.Node.In(clone)
		}
	}
}

func replacesPods(row *refs.Kind) bool { return row.Rollout.ReplacesPods() }

// unstablePaths returns the places of a workload's pod template that the second render has other values for.
func (r *reader) unstablePaths(o manifest.Object, row *refs.Kind, template manifest.Node) []string {
	if len(r.second) == 0 || !replacesPods(row) {
		return nil
	}
	second := r.second[idOf(o)].At(row.Template...)
	if !second.Valid() {
		return nil
	}
	return differingPaths(nil, "", template, second)
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
			out = differingPaths(out, itemPath(path, i, item), item, items[i])
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

// itemPath adds an item to a path: its name, or its number where it has none.
func itemPath(path string, i int, item manifest.Node) string {
	if name := item.Get("name").StringValue(); name != "" {
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
		paths := slices.DeleteFunc(slices.Clone(c.unstable), func(path string) bool {
			return slices.ContainsFunc(removed, func(key string) bool {
				return path == fieldPath("metadata.annotations", key)
			})
		})
		if len(paths) == 0 {
			continue
		}
		w := &t.workloads[c.index]
		w.Unstable = append(w.Unstable, paths...)
		t.addAt(diag.New(diag.UnstableTemplate, c.workload.String(), "its pod template differs from one render to the "+
			"next, so that it restarts at each: "+brief(paths)), c.workload.position)
	}
}

// brief joins the first few of some paths.
func brief(paths []string) string {
	const most = 4
	if len(paths) <= most {
		return strings.Join(paths, ", ")
	}
	return strings.Join(paths[:most], ", ") + " and " + strconv.Itoa(len(paths)-most) + " more"
}
