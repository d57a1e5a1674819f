package stamp

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/splice"
)

// home returns the namespace that an object lies in: its own, else the render's, else "".
func (w *work) home(namespace string) string {
	if namespace != "" {
		return namespace
	}
	return w.index.Namespace()
}

// join brings each workload's references together with what stands behind them, and plans the edits.
func (w *work) join() {
	for _, wl := range w.workloads {
		wl.Namespace = w.home(wl.Namespace)
		for _, t := range wl.templates {
			if t.forUser && !w.followed[[3]string{wl.Kind, wl.Namespace, wl.Name}] {
				w.notStamped(wl.name(), wl.Kind+" is not stamped unless asked", t.offset, len(t.references) > 0)
				t.slot, wl.Stamped = nil, false
			}
			wanted, kept := w.template(wl, t)
			if t.slot == nil {
				continue
			}
			edits := t.slot.Edits(wanted, func(key string) bool { return kept[key] || w.foreignStays(key, len(wanted) > 0) })
			w.foreignGone(wl, t, len(wanted) > 0)
			if t.document >= 0 {
				w.documents[t.document].edits = append(w.documents[t.document].edits, edits...)
				continue
			}
			w.plan.edits = append(w.plan.edits, edits...)
			if len(wanted) > 0 && !t.slot.InsertsOnly() {
				w.find(diag.New(diag.Reencoded, wl.name(), "a null was replaced by the annotation"), t.slot.Offset())
			}
		}
		slices.SortFunc(wl.References, func(a, b plan.Reference) int {
			return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
		})
	}
}

// foreignStays reports whether an annotation of others stays, where the template gets a stamp or not.
func (w *work) foreignStays(key string, stamped bool) bool {
	return !strings.HasPrefix(key, hashing.Prefix) && w.settings.ForeignChecksums.Value == config.ForeignReplace && !stamped
}

// foreignGone reports which annotations of others are taken out.
func (w *work) foreignGone(wl *workload, t template, stamped bool) {
	for _, e := range t.slot.Existing() {
		if e.Claim == splice.Removable && !w.foreignStays(e.Key, stamped) {
			w.find(diag.New(diag.ForeignDropped, wl.name(), "annotation "+e.Key+" is taken out"), t.offset)
		}
	}
}

func (wl *workload) name() string { return manifest.Describe(wl.Kind, wl.Namespace, wl.Name) }

// template resolves the references of one pod template: the stamps that are wanted, and those that stay as they are because
// what they stand for is still referred to and its content is not known.
func (w *work) template(wl *workload, t template) (wanted []splice.Entry, kept map[string]bool) {
	earlier := len(wl.References)
	groups := w.byObject(t.references)
	wl.References = slices.Grow(wl.References, len(groups))
	for _, group := range groups {
		r, held := w.reference(wl, group, t.slot != nil)
		if r.Digest != "" && t.slot != nil {
			wanted = append(wanted, splice.Entry{Key: r.Annotation, Value: r.Digest})
		} else if held {
			if kept == nil {
				kept = map[string]bool{}
			}
			kept[hashing.Annotation(groupOf(r.Kind), r.Kind, r.Name)] = true
		}
		wl.add(r, earlier)
	}
	if len(t.named) > 0 && t.slot != nil {
		r := w.namedInPod(wl, t)
		w.leases(wl, &r, t)
		if r.Digest != "" {
			wanted = append(wanted, splice.Entry{Key: r.Annotation, Value: r.Digest})
		}
		wl.add(r, earlier)
	}
	slices.SortFunc(wanted, func(a, b splice.Entry) int { return cmp.Compare(a.Key, b.Key) })
	return wanted, kept
}

// add takes a reference, and joins it with the one to the same object among the first few, which are those of earlier templates.
func (wl *workload) add(r plan.Reference, earlier int) {
	for i := range earlier {
		old := &wl.References[i]
		if old.Kind != r.Kind || old.Name != r.Name {
			continue
		}
		if old.Keys == nil || r.Keys == nil {
			old.Keys = nil
		} else {
			old.Keys = union(old.Keys, r.Keys)
		}
		old.Forms = union(old.Forms, r.Forms)
		old.Optional = old.Optional && r.Optional
		if old.Digest == "" {
			old.Digest, old.Annotation = r.Digest, r.Annotation
		}
		old.Findings = diag.Sort(append(old.Findings, r.Findings...))
		return
	}
	wl.References = append(wl.References, r)
}

func union(a, b []string) []string {
	out := append(slices.Clone(a), b...)
	slices.Sort(out)
	return slices.Compact(out)
}

// byObject groups references by what they point to, in the order of the first of each. The groups are good until the next call.
func (w *work) byObject(rs []refs.Reference) [][]refs.Reference {
	out := w.groups[:0]
	place := grouper(len(rs))
	for _, r := range rs {
		i := place(out, r)
		switch {
		case i < len(out):
			out[i] = append(out[i], r)
			continue
		case len(out) < cap(out):
			out = out[:i+1]
		default:
			out = append(out, nil)
		}
		out[i] = append(out[i][:0], r)
	}
	w.groups = out
	return out
}

// grouper returns a function that finds a reference's group, or the number of groups where it begins a new one. Nearly always there are
// few, and looking through them costs less than a map.
func grouper(n int) func(groups [][]refs.Reference, r refs.Reference) int {
	const few = 64
	if n <= few {
		return func(groups [][]refs.Reference, r refs.Reference) int {
			for i, g := range groups {
				if g[0].Name == r.Name && g[0].Kind == r.Kind {
					return i
				}
			}
			return len(groups)
		}
	}
	known := make(map[[2]string]int, n)
	return func(groups [][]refs.Reference, r refs.Reference) int {
		id := [2]string{r.Kind, r.Name}
		i, ok := known[id]
		if !ok {
			i = len(groups)
			known[id] = i
		}
		return i
	}
}

// groupOf returns the API group of a kind that is referred to.
func groupOf(kind string) string {
	if kind == refs.SecretProviderClass {
		return "secrets-store.csi.x-k8s.io"
	}
	return ""
}

// scope is what a workload consumes of one object.
type scope struct {
	all  bool
	keys []string
}

// scopeOf is the union over the references that take says count.
func scopeOf(group []refs.Reference, take func(refs.Reference) bool) (s scope) {
	for _, r := range group {
		if !take(r) {
			continue
		}
		s.all = s.all || r.All
		s.keys = append(s.keys, r.Keys...)
	}
	slices.Sort(s.keys)
	s.keys = slices.Compact(s.keys)
	return s
}

func (s scope) has(key string) bool {
	if s.all {
		return true
	}
	_, ok := slices.BinarySearch(s.keys, key)
	return ok
}

func (s scope) empty() bool { return !s.all && len(s.keys) == 0 }

// reference resolves what a workload consumes of one object. held tells, where there is no digest, that a stamp which is there stays.
func (w *work) reference(wl *workload, group []refs.Reference, stamped bool) (r plan.Reference, held bool) {
	first := group[0]
	notPull := func(r refs.Reference) bool { return r.Form != refs.FormPull }
	consumed := scopeOf(group, notPull)
	r = plan.Reference{Kind: first.Kind, Namespace: wl.Namespace, Name: first.Name, Optional: true}
	for _, g := range group {
		r.Forms = append(r.Forms, string(g.Form))
		r.Optional = r.Optional && g.Optional
		w.volumeFindings(wl, &r, g)
	}
	slices.Sort(r.Forms)
	r.Forms = slices.Compact(r.Forms)
	if !consumed.all && !consumed.empty() {
		r.Keys = consumed.keys
	}
	object, source := w.index.Find(first.Kind, wl.Namespace, first.Name)
	r.Source = source
	if object != nil && object.Namespace != "" {
		r.Namespace = object.Namespace
	}
	if consumed.empty() {
		w.note(wl, &r, first.Offset, diag.New(diag.PullSecret, wl.name(), "Secret "+first.Name+" is read when an image is pulled"))
		return r, true
	}
	if object == nil {
		w.absent(wl, &r, first.Offset)
		return r, true
	}
	w.badSkip(wl, &r, object, first.Offset)
	if w.ignores(object) {
		w.note(wl, &r, first.Offset, diag.New(diag.Ignored, wl.name(), object.String()+" is to be ignored"))
		return r, true
	}
	content := object.Select(consumed.has)
	w.missingKeys(wl, &r, object, content, group)
	if wl.live && !object.Immutable() {
		if consumed = scopeOf(group, func(r refs.Reference) bool { return notPull(r) && !r.Live }); consumed.empty() {
			return r, false
		}
	}
	if !w.valid(wl, object, content, consumed, stamped) {
		return r, true
	}
	if len(object.Producers()) > 0 {
		w.made(wl, &r, object, content, consumed, stamped)
	}
	w.chain(&r, object, content, consumed)
	if w.opts.Resolver != nil && !stamped && unanswered(content) {
		return r, true // nobody was asked
	}
	if w.opts.Resolver != nil && stamped {
		w.unversioned(wl, &r, first.Offset, object, content)
		w.emptySearches(wl, &r, first.Offset, content)
	}
	if r.Digest = w.digest(object, content, consumed); r.Digest != "" {
		r.Annotation = hashing.Annotation(groupOf(object.Kind), object.Kind, object.Name)
	}
	return r, true
}

// ignores reports whether the object is to restart nothing.
func (w *work) ignores(object *sources.Object) bool {
	skip := object.Annotation(SkipAnnotation)
	if skip == "" && len(w.settings.Ignore.Value) == 0 {
		return false
	}
	on, _ := strconv.ParseBool(skip)
	return on || w.settings.Ignores(object.Kind, object.Namespace, object.Name, object.Labels())
}

// unanswered reports whether something of the content was not asked for.
func unanswered(content *sources.Content) bool {
	return slices.ContainsFunc(content.RemoteRefs, func(a sources.RemoteRef) bool { return a.Answer.Version == "" && a.Answer.Digest == "" })
}

// digest hashes what a scope takes of an object. It returns "" with an error recorded.
func (w *work) digest(object *sources.Object, content *sources.Content, s scope) string {
	unstable := w.unstable[object]
	pairs, plain := w.pairs[:0], content.Plain
	for _, p := range content.Pairs {
		if (s.has(p.Key) || p.Key == sources.Anything && s.beyond(content)) && !unstable[p.Key] {
			pairs = append(pairs, hashing.Pair{Key: p.Key, Value: p.Value})
			plain = plain || !p.StandIn
		}
	}
	w.pairs = pairs
	from := hashing.Written
	if content.Fetched {
		from = hashing.Fetched
	}
	key, err := hashing.Keyed(object.Kind, from, w.opts.Key)
	if err != nil {
		e := &diag.Error{Exit: diag.ExitUsage, Object: object.String(), Err: err, Hint: hint(err)}
		if !object.Context() {
			e.Pos = w.places.At(object.Offset)
		}
		w.fail(e)
		return ""
	}
	if key == nil && object.Kind == refs.Secret && plain {
		w.unkeyed++
	}
	return w.hasher.Value(object.Kind, object.Name, pairs, key)
}

// beyond reports whether the scope asks for a key that is not named.
func (s scope) beyond(c *sources.Content) bool {
	return s.all || slices.ContainsFunc(s.keys, func(key string) bool { return !c.Has(key) })
}
