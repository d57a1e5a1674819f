package stamp

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/sources"
)

// note adds a finding to a reference and to the plan.
func (w *work) note(wl *workload, r *plan.Reference, offset int, f diag.Finding) {
	r.Findings = append(r.Findings, w.find(f, offset))
}

func (w *work) volumeFindings(wl *workload, r *plan.Reference, g refs.Reference) {
	what := g.Kind + " " + g.Name
	switch g.VolumeIssue {
	case refs.Unmounted:
		w.note(wl, r, g.Offset, diag.New(diag.Unmounted, wl.name(), "no container mounts the volume of "+what))
	case refs.Misses:
		w.note(wl, r, g.Offset, diag.New(diag.SubPathMisses, wl.name(), "no mount's subPath can hit a file of "+what))
	}
}

func (w *work) absent(wl *workload, r *plan.Reference, offset int) {
	what := manifest.Describe(r.Kind, r.Namespace, r.Name)
	switch {
	case r.Source == sources.Ambiguous:
		w.note(wl, r, offset, diag.New(diag.Ambiguous, wl.name(), what+" is in several namespaces"))
	case r.Source != sources.Absent: // a producer will make it
	case r.Optional:
		w.note(wl, r, offset, diag.New(diag.MissingOptional, wl.name(), what+" is not in the input; the reference is optional"))
	default:
		w.note(wl, r, offset, diag.New(diag.MissingObject, wl.name(), what+" is not in the input"))
	}
}

// badSkip reports an annotation that says neither yes nor no.
func (w *work) badSkip(wl *workload, r *plan.Reference, object *sources.Object, reference int) {
	if skip := object.Annotation(SkipAnnotation); skip != "" {
		if _, err := strconv.ParseBool(skip); err != nil {
			at := object.Offset
			if object.Context() {
				at = reference // the object's own place is in another text
			}
			w.note(wl, r, at, diag.New(diag.BadMode, object.String(), SkipAnnotation+" is "+quote(skip)))
		}
	}
}

// fail records an error about content.
func (w *work) fail(err error) {
	if len(w.errs) < maxErrors {
		w.errs = append(w.errs, err)
	}
}

// hint returns the next step that an error has with it.
func hint(err error) string {
	var e *diag.Error
	if errors.As(err, &e) {
		return e.Hint
	}
	return ""
}

// missingKeys reports keys that are asked for and not there.
func (w *work) missingKeys(wl *workload, r *plan.Reference, object *sources.Object, content *sources.Content, group []refs.Reference) {
	if content.Has(sources.Anything) {
		return // nobody can tell
	}
	for _, g := range group {
		if g.All || g.Shared {
			continue
		}
		for _, key := range g.Keys {
			if content.Has(key) || isInvalid(content, key) {
				continue
			}
			code, more := diag.MissingKey, ""
			if g.Optional {
				code, more = diag.MissingOptionalKey, "; the reference is optional"
			}
			w.note(wl, r, g.Offset, diag.New(code, wl.name(), object.String()+" has no key "+quote(key)+more).WithKey(key))
		}
	}
}

func isInvalid(content *sources.Content, key string) bool {
	invalid := content.Invalid
	if len(invalid) > 0 && invalid[0].Key == "" {
		return true
	}
	_, found := slices.BinarySearchFunc(invalid, key, func(v sources.Invalid, key string) int { return strings.Compare(v.Key, key) })
	return found
}

// valid reports whether all that the scope takes is valid. For a stamped workload it is an error if not.
func (w *work) valid(wl *workload, object *sources.Object, content *sources.Content, s scope, stamped bool) bool {
	ok := true
	for _, v := range content.Invalid {
		if v.Key != "" && !s.has(v.Key) {
			continue
		}
		ok = false
		if stamped {
			w.invalid(wl, object.String(), object.Context(), v, "Kubernetes would refuse the object: quote the value, or mend its base64. Where another tool fills it in later, stamp after that, or set rollstamp.dev/ignore: \"true\" on the object.")
		}
	}
	for _, m := range object.Producers() {
		if m.Context {
			continue
		}
		for _, v := range w.problems[m] {
			if v.Tolerated {
				continue
			}
			ok = false
			if stamped {
				w.invalid(wl, m.String(), false, v, refusedHint(object))
			}
		}
	}
	return ok
}

// invalid records what keeps an object from being taken. The place of one in the context is in another text, and not told.
func (w *work) invalid(wl *workload, object string, outside bool, v sources.Invalid, hint string) {
	e := &diag.Error{Exit: diag.ExitInput, Object: object, Err: fmt.Errorf("%s, and %s consumes it", v.Problem, wl.name()), Hint: hint}
	if outside {
		e.Err = fmt.Errorf("in the context: %w", e.Err)
	} else {
		e.Pos = w.places.At(v.Offset)
	}
	w.fail(e)
}

func refusedHint(object *sources.Object) string {
	return "Its operator would refuse it, and " + object.String() + " would stay as it is: correct the manifest, or set rollstamp.dev/ignore: \"true\" on it."
}

// refused tells, before anybody is asked, of what no store is to blame for: the objects that say what to ask would not be taken, or name
// nothing that can be asked.
func (w *work) refused(objects []*sources.Object, consumption map[*sources.Object]*workload) error {
	told := map[*sources.Producer]bool{}
	for _, o := range objects {
		for _, m := range o.Producers() {
			if told[m] {
				continue
			}
			told[m] = true
			found := w.problems[m]
			if m.Context {
				found = m.Problems()
			}
			for _, v := range found {
				if v.BlocksAsking || !m.Context && !v.Tolerated {
					w.invalid(consumption[o], m.String(), m.Context, v, refusedHint(o))
				}
			}
		}
	}
	return errors.Join(w.errs...)
}

// inOrder returns objects as they stand in the input, so that errors are the same every run.
func inOrder(consumption map[*sources.Object]*workload) []*sources.Object {
	return slices.SortedFunc(maps.Keys(consumption), func(a, b *sources.Object) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
}

// newMakers looks at what has been added: what operators would refuse, and where there are stamps. Later its text would have to be fetched
// into the processor's memory once more, which costs more than looking.
func (w *work) newMakers() {
	all := w.index.Producers()
	for _, m := range all[w.makers:] {
		if found := m.Problems(); found != nil {
			if w.problems == nil {
				w.problems = map[*sources.Producer][]sources.Invalid{}
			}
			w.problems[m] = found
		}
		if path := m.Refresh(); path != nil && stamped(m.Node().At(path...)) {
			if w.stamped == nil {
				w.stamped = map[*sources.Producer]bool{}
			}
			w.stamped[m] = true
		}
	}
	w.makers = len(all)
}

// contentFindings reports invalid content, consumed or not. What is an error already is not said twice.
func (w *work) contentFindings() {
	if len(w.errs) > 0 {
		return
	}
	for _, o := range w.index.Objects() {
		for _, v := range o.Invalid() {
			w.find(diag.New(diag.InvalidContent, o.String(), v.Problem).WithKey(v.Key), v.Offset)
		}
	}
	for _, m := range w.index.Producers() {
		for _, v := range w.problems[m] {
			w.find(diag.New(diag.InvalidProducer, m.String(), v.Problem).WithKey(v.Key), v.Offset)
		}
	}
	for c := range w.index.Clashes() {
		w.find(diag.New(diag.MadeTwice, c.Producer.String(), c.String()), c.Producer.Offset)
	}
	w.ruleFindings()
}

// ruleFindings reports of paths in the configuration's rules that lead to nothing. Where another object has what this one has not, it may
// well be left out on purpose.
func (w *work) ruleFindings() {
	if len(w.settings.Producers.Value) == 0 {
		return
	}
	type path struct {
		rule  int
		field string
	}
	type miss struct {
		maker *sources.Producer
		sources.Unmatched
	}
	objects, misses := map[int]int{}, map[path]int{}
	var all []miss
	for _, m := range w.index.Producers() {
		if rule, ok := m.Rule(); ok {
			objects[rule]++
			for _, u := range m.Unmatched() {
				misses[path{u.Rule, u.Field}]++
				all = append(all, miss{m, u})
			}
		}
	}
	for _, u := range all {
		f := diag.New(diag.RuleMatchesNothing, u.maker.String(), fmt.Sprintf("path %q leads to nothing, by the rule for %s%s", u.Path, u.maker.Kind, w.ruleAt(u.Unmatched)))
		if misses[path{u.Rule, u.Field}] < objects[u.Rule] {
			f.Severity = diag.Info
		}
		w.find(f, u.maker.Offset)
	}
}

// ruleAt reports where the configuration has the path, or else its rule.
func (w *work) ruleAt(u sources.Unmatched) string {
	rule := fmt.Sprintf("producers[%d]", u.Rule)
	for _, field := range []string{rule + "." + u.Field, rule} {
		if at, ok := w.settings.Where(field); ok {
			return " in " + at.String()
		}
	}
	return ""
}

// maxErrors bounds how many pieces of invalid content one run names.
const maxErrors = 20
