package shape

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
)

// nameLabel is the label that the API server sets on every Namespace: its name.
const nameLabel = "kubernetes.io/metadata.name"

// groups are the API groups of the kinds that can be in several namespaces.
var groups = map[string]string{
	"ConfigMap": "", "Secret": "", "ExternalSecret": "external-secrets.io", "SealedSecret": "bitnami.com",
}

// replicate prints objects of a render in other namespaces.
func replicate(ctx context.Context, out *render.Output, s *config.Settings) (*render.Output, error) {
	around := map[string]map[string]string{}
	for _, c := range out.Context {
		if err := addNamespaces(ctx, around, c.Text); err != nil {
			return nil, fmt.Errorf("read the context: %w", render.NewPlaces(c.Text, c.Origins).Move(err))
		}
	}
	return apply(out, func(text []byte) (addition, error) {
		r := &replication{out: out, text: text, settings: s, rules: s.Replicate.Value,
			namespaces: maps.Clone(around), present: map[id]bool{}, made: map[id]id{}}
		if err := r.read(ctx); err != nil {
			return addition{}, err
		}
		return r.write(ctx)
	})
}

func addNamespaces(ctx context.Context, to map[string]map[string]string, text []byte) error {
	return walk(ctx, text, func(o manifest.Object) { addNamespace(to, o) })
}

// addNamespace adds the labels of a Namespace.
func addNamespace(to map[string]map[string]string, o manifest.Object) {
	if o.Kind != "Namespace" || o.Group() != "" {
		return
	}
	labels := map[string]string{nameLabel: o.Name}
	for key, value := range o.Labels() {
		labels[strings.Clone(key)] = strings.Clone(value)
	}
	to[strings.Clone(o.Name)] = labels
}

// id names an object.
type id struct{ kind, namespace, name string }

// String returns the object as marks name it.
func (i id) String() string {
	if i.namespace == "" {
		return i.kind + "/" + i.name
	}
	return i.kind + "/" + i.namespace + "/" + i.name
}

// replication is one text whose objects are printed in other namespaces.
type replication struct {
	out        *render.Output
	text       []byte
	settings   *config.Settings
	rules      []config.ReplicateRule
	namespaces map[string]map[string]string // the labels of those that are known
	present    map[id]bool                  // objects of the kinds of rules
	made       map[id]id                    // copies, with what they are copies of
	used       []bool                       // rules that an object is for
	added      addition
}

// read collects the Namespaces, and the objects that are there.
func (r *replication) read(ctx context.Context) error {
	return walk(ctx, r.text, func(o manifest.Object) {
		addNamespace(r.namespaces, o)
		if group, known := groups[o.Kind]; known && group == o.Group() && !isEarlier(o.Node) {
			r.present[r.idOf(o)] = true
		}
	})
}

func (r *replication) idOf(o manifest.Object) id {
	return id{strings.Clone(o.Kind), strings.Clone(namespaceOf(r.out, r.settings, o)), strings.Clone(o.Name)}
}

// write makes the copies of each object that a rule is for, behind its document or at the end of its List.
func (r *replication) write(ctx context.Context) (addition, error) {
	r.used = make([]bool, len(r.rules))
	err := eachDocument(ctx, r.text, func(d *manifest.Document) error {
		copies, err := r.copies(d)
		if err == nil && len(copies) > 0 {
			err = r.add(d, copies)
		}
		return err
	})
	if err != nil {
		return addition{}, err
	}
	r.reportUnused()
	return r.added, nil
}

// copies returns what is to be printed of the objects of a document.
func (r *replication) copies(d *manifest.Document) (out []copied, err error) {
	for o := range d.Objects() {
		group, known := groups[o.Kind]
		if !known || group != o.Group() || isEarlier(o.Node) {
			continue
		}
		from := r.idOf(o)
		targets, err := r.targets(from, o)
		if err != nil {
			return nil, err
		}
		for _, namespace := range targets {
			out = append(out, copied{o.Node, copyOf(o, namespace, from.String(), app.StampPrefix(r.settings))})
		}
	}
	return out, nil
}

// targets returns the namespaces that an object is copied to, sorted.
func (r *replication) targets(from id, o manifest.Object) (out []string, err error) {
	isOwn := func(name string) bool { return name == from.namespace }
	for i := range r.rules {
		rule := &r.rules[i]
		if string(rule.Kind) != from.kind || string(rule.Name) != from.name ||
			rule.Namespace != "" && string(rule.Namespace) != from.namespace {
			continue
		}
		r.used[i] = true
		reached := rule.To.Known()
		for name, labels := range r.namespaces {
			if rule.To.Matches(name, labels) {
				reached = append(reached, name)
			}
		}
		why := ""
		switch others := len(slices.DeleteFunc(slices.Clone(reached), isOwn)); {
		case len(reached) == 0:
			why = "no Namespace of the render and the context fits replicate[%d].to"
		case others == 0:
			why = "replicate[%d].to fits no namespace but its own"
		}
		if why != "" {
			f := diag.New(diag.ReplicateNowhere, o.String(), fmt.Sprintf(why, i))
			r.added.findings = append(r.added.findings, f.At(lineAt(r.text, o.Node.Offset())))
		}
		out = append(out, reached...)
	}
	slices.Sort(out)
	out = slices.DeleteFunc(slices.Compact(out), isOwn)
	if len(out) > 0 {
		err = r.refuse(from, o, out)
	}
	return out, err
}

// refuse returns an error where an object cannot be copied, or something is in the way of a copy.
func (r *replication) refuse(from id, o manifest.Object, targets []string) error {
	fail := func(err error, hint string) error {
		return &diag.Error{Exit: diag.ExitInput, Object: o.String(), Pos: lineAt(r.text, o.Node.Offset()),
			Err: fmt.Errorf("replicate: %w", err), Hint: hint}
	}
	switch {
	case o.Node.Get("sops").IsMap():
		return fail(errors.New("what SOPS encrypted for one namespace cannot be decrypted in another"),
			"Let a SealedSecret with cluster-wide scope or an ExternalSecret make it, and replicate that.")
	case from.kind == "SealedSecret" && o.Annotation("sealedsecrets.bitnami.com/cluster-wide") != "true":
		return fail(errors.New("only a SealedSecret with cluster-wide scope can be decrypted in other namespaces"),
			"Seal it with kubeseal --scope cluster-wide.")
	}
	for _, namespace := range targets {
		to := id{from.kind, namespace, from.name}
		if r.present[to] {
			return fail(fmt.Errorf("%s is in the render already, and is no copy", to),
				"Delete that object, or leave its namespace out under replicate.")
		}
		if rule := r.ruleFrom(to); rule >= 0 {
			return fail(fmt.Errorf("%s is a copy of it, and replicate[%d] would copy that", to, rule),
				"Copies are not copied: have one rule name the namespaces of both, and take the other one out.")
		}
		if other, exists := r.made[to]; exists && other != from {
			return fail(fmt.Errorf("%s would be a copy of both %s and %s", to, other, from),
				"Name the namespace of the object under replicate.")
		}
		r.made[to] = from
	}
	return nil
}

// ruleFrom returns the rule that is for an object of just that namespace; -1 for none.
func (r *replication) ruleFrom(of id) int {
	return slices.IndexFunc(r.rules, func(rule config.ReplicateRule) bool {
		return id{string(rule.Kind), string(rule.Namespace), string(rule.Name)} == of
	})
}

// reportUnused reports rules whose object is not in the render.
func (r *replication) reportUnused() {
	for i, used := range r.used {
		if used {
			continue
		}
		rule := &r.rules[i]
		name := id{string(rule.Kind), string(rule.Namespace), string(rule.Name)}
		at, _ := r.settings.Where(fmt.Sprintf("replicate[%d]", i))
		text := fmt.Sprintf("replicate[%d]: %s is not in the render", i, name)
		if producer, exists := r.producerOf(name); exists {
			text += fmt.Sprintf(", and %s makes it in the cluster: name that one", producer)
		}
		f := diag.New(diag.ReplicateUnused, "", text)
		r.added.findings = append(r.added.findings, f.At(at))
	}
}

// producerOf returns the object of the render that a controller makes a Secret of that name from.
func (r *replication) producerOf(secret id) (id, bool) {
	if secret.kind != "Secret" {
		return id{}, false
	}
	for _, kind := range []string{"ExternalSecret", "SealedSecret"} {
		for one := range r.present {
			isThere := secret.namespace == "" || secret.namespace == one.namespace
			if one.kind == kind && one.name == secret.name && isThere {
				return id{kind, secret.namespace, one.name}, true
			}
		}
	}
	return id{}, false
}
