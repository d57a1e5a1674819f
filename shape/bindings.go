package shape

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/compat"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/splice"
)

// bind adds ConfigMaps and Secrets to the workloads that bindings choose.
func bind(ctx context.Context, out *render.Output, s *config.Settings) (*render.Output, error) {
	return apply(out, func(text []byte) (addition, error) {
		b := &binder{out: out, text: text, settings: s, table: refs.NewTable(config.MaxLevel, s.Kinds.Value),
			lines: manifest.NewLines(text)}
		err := eachDocument(ctx, text, b.document)
		return b.added, err
	})
}

// binder is one text whose workloads get something.
type binder struct {
	out      *render.Output
	text     []byte
	settings *config.Settings
	table    *refs.Table
	lines    *manifest.Lines
	added    addition
}

// document changes the workloads of a document that a binding chooses.
func (b *binder) document(d *manifest.Document) error {
	var all []*boundWorkload
	in, err := changeObjects(d, func(o manifest.Object) ([]step, error) {
		paths := b.podSpecs(o)
		if len(paths) == 0 {
			return nil, nil
		}
		w := &boundWorkload{binder: b, name: o.String(), at: o.Node.Offset(), immutable: b.isImmutable(o)}
		w.id = manifest.Describe(o.Kind, namespaceOf(b.out, b.settings, o), o.Name)
		rules := b.rulesOf(o, paths)
		if len(rules) > 0 {
			w.had = b.referencesOf(o)
		}
		for _, path := range paths {
			for i := range rules {
				w.insertions = append(w.insertions, rules[i].insertions(o, path)...)
			}
		}
		w.rules = rules
		all = append(all, w)
		return w.steps(), nil
	})
	b.added.take(in)
	for _, w := range all {
		w.recordReferences()
		w.reportConflicts()
		w.reportImmutable()
	}
	return err
}

// isImmutable reports whether the API server takes no change of what an object runs, and nothing replaces the object.
func (b *binder) isImmutable(o manifest.Object) bool {
	return !refs.IsRecreated(o) && slices.ContainsFunc(b.table.Rows(o), func(row *refs.Kind) bool {
		return row.Rollout == refs.ByReplacement || row.Rollout == refs.ByDeletion
	})
}

// podSpecs returns where an object holds pod specs with containers.
func (b *binder) podSpecs(o manifest.Object) (paths [][]string) {
	for _, row := range b.table.Rows(o) {
		if row.Described() != nil {
			continue
		}
		if path := row.PodSpecPath(); o.Node.At(path...).Get("containers").IsSeq() {
			paths = append(paths, path)
		}
	}
	return paths
}

// binding is a rule with the name of the object that a workload gets.
type binding struct {
	*config.BindingRule
	name  string
	index int // in the list
}

// rulesOf returns the bindings for a workload. Where the name of an object depends on the environment of a namespace
// that has none, that is reported.
func (b *binder) rulesOf(o manifest.Object, paths [][]string) (out []binding) {
	namespace := namespaceOf(b.out, b.settings, o)
	for i := range b.settings.Bindings.Value {
		rule := &b.settings.Bindings.Value[i]
		if !rule.Match.Matches(o.Kind, namespace, o.Name, o.Labels()) {
			continue
		}
		if isDetached(o, paths) {
			f := diag.New(diag.BindingSkipped, o.String(), compat.MutationMode+" is "+compat.Detach+": it gets nothing")
			f.Severity, f.Hint = diag.Info, ""
			b.report(f, o.Node.Offset())
			return nil
		}
		name, ok := rule.ObjectName(namespace)
		if ok {
			out = append(out, binding{rule, name, i})
			continue
		}
		b.report(diag.New(diag.BindingSkipped, o.String(),
			fmt.Sprintf("bindings[%d]: namespace %s has no environment", i, diag.Quote(namespace))), o.Node.Offset())
	}
	return out
}

// isDetached reports whether a workload, or its pod template, declines bindings in CommandK's words.
func isDetached(o manifest.Object, podSpecs [][]string) bool {
	if o.Annotation(compat.MutationMode) == compat.Detach {
		return true
	}
	return slices.ContainsFunc(podSpecs, func(path []string) bool {
		template := o.Node.At(path[:len(path)-1]...)
		return template.At("metadata", "annotations", compat.MutationMode).StringValue() == compat.Detach
	})
}

func (b *binder) report(f diag.Finding, offset int) {
	b.added.findings = append(b.added.findings, f.At(diag.Position{Line: b.lines.At(offset)}))
}

// boundWorkload is a workload that gets something.
type boundWorkload struct {
	*binder
	name       string // as messages name it
	at         int
	id         string // the same, with the namespace that it is in
	immutable  bool
	had        []refs.Reference // before anything was added
	rules      []binding
	insertions []*insertion
}

// steps add what bindings say to a workload, and the mark that says what was added.
func (w *boundWorkload) steps() (out []step) {
	for _, i := range w.insertions {
		out = append(out, w.withName(i.edits))
	}
	if out == nil {
		return nil
	}
	return append(out, w.withName(func(o manifest.Object) ([]splice.Edit, error) {
		var marks []mark
		for _, i := range w.insertions {
			if i.added != (mark{}) {
				marks = append(marks, i.added)
			}
		}
		if marks == nil {
			return nil, nil
		}
		return setMark(o.Node, BindingMark, textOf(marks))
	}))
}

// withName adds to the error of a step which workload it is about.
func (w *boundWorkload) withName(s step) step {
	return func(o manifest.Object) ([]splice.Edit, error) {
		edits, err := s(o)
		var known *diag.Error
		if err == nil || errors.As(err, &known) {
			return edits, err
		}
		return nil, &diag.Error{Exit: diag.ExitInput, Object: w.name, Pos: lineAt(w.text, w.at),
			Err: fmt.Errorf("add bindings: %w", err)}
	}
}

// referencesOf returns what an object refers to.
func (b *binder) referencesOf(o manifest.Object) (out []refs.Reference) {
	for _, row := range b.table.Rows(o) {
		for _, t := range b.table.Find(o, row) {
			out = append(out, t.References...)
		}
	}
	return out
}

// recordReferences records the objects and keys that nothing but a binding has the workload read: those of the first
// binding that does.
func (w *boundWorkload) recordReferences() {
	for _, rule := range w.rules {
		hasAdded := func(i *insertion) bool { return i.rule == rule.index && i.added != (mark{}) }
		if !slices.ContainsFunc(w.insertions, hasAdded) {
			continue
		}
		of := func(key string) func(refs.Reference) bool {
			return func(r refs.Reference) bool {
				return r.Kind == string(rule.Kind) && r.Name == rule.name && r.Namespace == "" &&
					(key == "" || slices.Contains(r.Keys, key))
			}
		}
		for _, key := range append([]string{""}, rule.keys()...) {
			if !slices.ContainsFunc(w.had, of(key)) {
				w.added.bind(render.Bound{Workload: w.id, Kind: string(rule.Kind), Name: rule.name, Key: key}, rule.index)
			}
		}
	}
}

// bind records by which binding a workload has a reference, where it has it by none before.
func (a *addition) bind(ref render.Bound, rule int) {
	if a.bound == nil {
		a.bound = map[render.Bound]int{}
	}
	if _, known := a.bound[ref]; !known {
		a.bound[ref] = rule
	}
}

// keys returns the keys that the binding reads by their names.
func (b *binding) keys() (out []string) {
	for _, key := range b.Keys {
		out = append(out, string(key))
	}
	for _, key := range b.Variables {
		out = append(out, string(key))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// reportConflicts reports what could not be added.
func (w *boundWorkload) reportConflicts() {
	for _, i := range w.insertions {
		if i.conflicts {
			w.report(diag.New(diag.BindingSkipped, w.name,
				fmt.Sprintf("bindings[%d]: %s has %s %s already, which is something else",
					i.rule, i.at, i.field, diag.Quote(i.identity))), w.at)
		}
	}
}

// reportImmutable reports what was added to a workload that cannot be changed, by the first binding that did.
func (w *boundWorkload) reportImmutable() {
	for _, i := range w.insertions {
		if w.immutable && i.added != (mark{}) {
			w.report(diag.New(diag.BindingImmutable, w.name, fmt.Sprintf("bindings[%d]: the API server takes no change of it "+
				"once it is in the cluster", i.rule)), w.at)
			return
		}
	}
}

// volumeName returns the name of a binding's volume.
func volumeName(b *binding) string {
	name := "bound-" + strings.ToLower(string(b.Kind)) + "-" + strings.ReplaceAll(b.name, ".", "-")
	const longest = 63
	if len(name) > longest || strings.Contains(b.name, ".") || len(b.Keys) > 0 {
		return shortName(name, longest, fmt.Sprint(b.Kind, b.name, b.Keys))
	}
	return name
}
