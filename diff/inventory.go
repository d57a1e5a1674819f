package diff

import (
	"cmp"
	"maps"
	"sync"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources/objects"
	"github.com/rollstamp/rollstamp/splice"
	"github.com/rollstamp/rollstamp/stamp"
)

// inventory is an application's objects on one side.
type inventory struct {
	all    []*object
	by     map[id]*object
	kinds  func() map[[2]string][]*object // by kind and name; few inputs need it
	space  string                         // namespace of the objects that name none
	lock   string                         // the file that pins versions
	prefix hashing.Prefix                 // of the keys of stamps
	asIs   bool                           // its stamps are those of the text, which another strategy may have written
	// standing are the objects whose stamps are those of the source, on the new side.
	standing map[id]bool
	// takenOut are the objects whose source had stamps on the old side and has none on the new one.
	takenOut map[id]bool
	applier  applier
	context  *lookedUp // what both sides have objects looked up in; nil where that is not the same
}

// take reads an application's objects with their stamps, some as they are written with the stamps of the source; it has
// none where it is not on that side.
func take(a *App, asWritten map[id]bool) (*inventory, error) {
	if a == nil || a.Render == nil {
		return index(nil, ""), nil
	}
	r, text := a.result(), splice.Edited{Text: a.result().Output.Text}
	if !a.AsIs && !a.Unstamped {
		text = splice.Edited{Text: r.Text.Text, Edits: stamp.WithoutEarlier(r.Text)}
	}
	var positions []diag.Position
	if r.Plan != nil {
		positions = inFiles(a, r.Objects.Positions())
	}
	var hidden func() []render.Hidden
	if len(r.Output.Hidden) > 0 {
		hidden = sync.OnceValue(r.Output.AllHidden)
	}
	all, err := read(a.Name, text, asWritten, positions, hidden)
	if err != nil {
		return nil, err
	}
	withWorkloads(all, r)
	withDecrypted(all, r)
	by := applierOf(a)
	for _, o := range all {
		o.applier, o.left = by, a.Leaves.Objects
		if o.workload != nil && a.Unstamped {
			w := *o.workload
			w.Stamped, o.workload = false, &w
		}
	}
	in := index(all, r.Output.Namespace)
	in.lock, in.applier, in.asIs = a.Lock, by, a.AsIs
	if r.Plan != nil {
		in.prefix = r.Plan.Prefix
	}
	return in, nil
}

func union(a, b map[id]bool) map[id]bool {
	if len(b) == 0 {
		return a
	}
	out := maps.Clone(b)
	maps.Copy(out, a)
	return out
}

// inFiles returns positions of an application's objects with that of the object that describes it, where they lie in a
// chart that is in no file.
func inFiles(a *App, all []diag.Position) []diag.Position {
	if a.Fetched == "" {
		return all
	}
	origin := app.Origin{Pos: a.Described, Fetched: true}
	out := make([]diag.Position, len(all))
	for i, pos := range all {
		out[i], _ = origin.InFiles(a.Fetched, pos)
	}
	return out
}

// takeBoth reads an application's objects on both sides, and what of them is another at each render.
func takeBoth(old, now *App) (a, b *inventory, stable stability, err error) {
	standing, err := standing(now)
	if err != nil {
		return nil, nil, stable, err
	}
	takenOut, err := takenOut(old, now, standing)
	if err != nil {
		return nil, nil, stable, err
	}
	asWritten := union(standing, takenOut)
	if a, err = take(old, asWritten); err == nil && isOne(old, now) {
		one := *a
		b, one.lock = &one, now.Lock
	} else if err == nil {
		b, err = take(now, asWritten)
	}
	if err == nil {
		a.standing, a.takenOut, a.context = standing, takenOut, contextOf(old, now)
		b.standing, b.takenOut, b.context = standing, takenOut, a.context
		stable, err = stabilityOf(old, now)
	}
	return a, b, stable, err
}

// withWorkloads notes at the objects that are workloads what they refer to.
func withWorkloads(all []*object, r *pipeline.Result) {
	if r.Plan == nil {
		return
	}
	workloads := map[id]*plan.Workload{}
	for i := range r.Plan.Workloads {
		w := &r.Plan.Workloads[i]
		workloads[id{kind: w.Kind, namespace: w.Namespace, name: w.Name}] = w
	}
	for _, o := range all {
		o.workload = workloads[id{kind: o.Kind, namespace: o.Namespace, name: o.Name.Name}]
		if o.workload == nil {
			o.workload = workloads[id{kind: o.Kind, namespace: r.Output.Namespace, name: o.Name.Name}]
		}
	}
}

// withDecrypted notes at the objects that hold ciphertext what was decrypted of it.
func withDecrypted(all []*object, r *pipeline.Result) {
	plain := map[id]*objects.Decrypted{}
	for i := range r.Decrypted {
		d := &r.Decrypted[i]
		plain[id{kind: d.Kind, namespace: d.Namespace, name: d.Name}] = d
	}
	for _, o := range all {
		if len(plain) > 0 && o.isConfig() {
			o.plain = plain[id{kind: o.Kind, namespace: cmp.Or(o.Namespace, r.Output.Namespace), name: o.Name.Name}]
		}
	}
}

func index(all []*object, space string) *inventory {
	in := &inventory{all: all, by: make(map[id]*object, len(all)), space: space}
	for _, o := range all {
		in.by[o.id()] = o
	}
	in.kinds = sync.OnceValue(func() map[[2]string][]*object { return byKind(all) })
	return in
}

func byKind(all []*object) map[[2]string][]*object {
	out := make(map[[2]string][]*object, len(all))
	for _, o := range all {
		key := [2]string{o.Kind, o.Name.Name}
		out[key] = append(out[key], o)
	}
	return out
}

// named returns the objects as findings name them: with a namespace that they have, too, where they name none.
func (in *inventory) named() map[string]*object {
	out := make(map[string]*object, len(in.all))
	for _, o := range in.all {
		out[o.Name.String()] = o
		if space := in.space; o.Namespace == "" && space != "" {
			name := o.Name
			name.Namespace = space
			out[name.String()] = o
		}
	}
	return out
}

// find returns the ConfigMap or Secret that a reference of a workload means, in its own application: so applications
// can be compared in parts and the parts joined.
func (in *inventory) find(kind, namespace, name string) *object {
	for _, space := range []string{namespace, "", in.space} {
		if o := in.by[id{kind: kind, namespace: space, name: name}]; o != nil {
			return o
		}
	}
	return nil
}

// anyGroup finds an object whose group is not known.
func (in *inventory) anyGroup(kind, namespace, name string) *object {
	for _, o := range in.kinds()[[2]string{kind, name}] {
		if o.Namespace == namespace || o.Namespace == "" || namespace == "" || o.Namespace == in.space {
			return o
		}
	}
	return nil
}
