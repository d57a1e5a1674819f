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
		b := &binder{out: out, text: text, settings: s, table: refs.NewTable(config.MaxLevel, s.Kinds.Value)}
		err := b.read(ctx)
		return b.added, err
	})
}

// binder is one text whose workloads get something.
type binder struct {
	out      *render.Output
	text     []byte
	settings *config.Settings
	table    *refs.Table
	added    addition
}

// read goes through the documents, and changes those with workloads that a binding chooses.
func (b *binder) read(ctx context.Context) error {
	var in *draft // the document that is being changed
	flush := func() {
		if in != nil {
			b.added.take(in)
		}
	}
	err := walk(ctx, b.text, func(d *manifest.Document, o manifest.Object, index int) error {
		paths := b.podSpecs(o)
		if len(paths) == 0 {
			return nil
		}
		rules := b.rulesOf(o, paths)
		if len(rules) == 0 {
			return nil
		}
		if in == nil || in.start != d.Start {
			flush()
			in = newDraft(d)
		}
		w := &boundWorkload{binder: b, draft: in, index: index, object: o, name: o.String(), at: o.Node.Offset()}
		return w.bind(paths, rules)
	})
	flush()
	return err
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
	b.added.findings = append(b.added.findings, f.At(lineAt(b.text, offset)))
}

// boundWorkload is a workload that gets something.
type boundWorkload struct {
	*binder
	draft  *draft
	index  int // of the object in its document
	object manifest.Object
	name   string // as messages name it
	at     int
	rule   int // index of the binding that is being added
	marks  []mark
}

// bind adds what bindings say to the containers of a workload, and the mark that says what was added.
func (w *boundWorkload) bind(podSpecs [][]string, rules []binding) error {
	for _, path := range podSpecs {
		for i := range rules {
			w.rule = rules[i].index
			if err := w.bindOne(path, &rules[i]); err != nil {
				return w.fail(err)
			}
		}
	}
	if len(w.marks) == 0 {
		return nil
	}
	return w.fail(w.change(func(o manifest.Node) ([]splice.Edit, error) {
		return setMark(o, BindingMark, textOf(w.marks))
	}))
}

// change makes a step in the workload's document.
func (w *boundWorkload) change(edits func(object manifest.Node) ([]splice.Edit, error)) error {
	return w.draft.change(func(root manifest.Node) ([]splice.Edit, error) { return edits(objectAt(root, w.index).Node) })
}

func (w *boundWorkload) fail(err error) error {
	var known *diag.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &diag.Error{Exit: diag.ExitInput, Object: w.name, Pos: lineAt(w.text, w.at),
		Err: fmt.Errorf("add bindings: %w", err)}
}

// bindOne adds one object to the containers of a pod spec.
func (w *boundWorkload) bindOne(podSpec []string, b *binding) error {
	volume := volumeName(b)
	mounted := false
	for _, list := range []string{"initContainers", "containers"} {
		index := 0
		for container := range w.object.Node.At(podSpec...).Get(list).Items() {
			c := place{podSpec: podSpec, list: list, index: index, name: container.Get("name").StringValue()}
			index++
			if c.name == "" || strings.ContainsAny(c.name, "/= \t\r\n") || !b.BindsContainer(c.name, list == "initContainers") {
				continue // the API server refuses such a name
			}
			mounts, err := w.bindContainer(c, b, volume)
			if err != nil {
				return err
			}
			mounted = mounted || mounts
		}
	}
	if !mounted {
		return nil
	}
	_, err := w.insert(place{podSpec: podSpec}, volumes, volume, volumeOf(b, volume))
	return err
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
