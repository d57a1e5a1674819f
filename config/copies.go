package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// CopyRule writes the value of a key of a ConfigMap or Secret into a field of a custom resource.
type CopyRule struct {
	// Kind of the object that has the value. A Secret whose value is not in the manifests in plain needs the permission
	// copy-secrets.
	Kind ContentKind `yaml:"kind" json:"kind" schema:"required"`
	// Name of the object, which lies in the namespace of the resource.
	Name NonEmpty `yaml:"name,omitempty" json:"name,omitempty"`
	// Field of the resource that has the name, instead of name. A resource without it is left alone.
	NameFrom Path `yaml:"nameFrom,omitempty" json:"nameFrom,omitzero"`
	// Key of the object.
	Key NonEmpty `yaml:"key" json:"key" schema:"required"`
	// Field that gets the value. A resource without the mapping that the field is in is left alone.
	To Path `yaml:"to" json:"to" schema:"required"`
}

func (c *CopyRule) check() error {
	if (c.Name == "") == c.NameFrom.IsZero() {
		return errors.New("a copy needs either name or nameFrom")
	}
	for _, p := range [...]Path{c.To, c.NameFrom} {
		if slices.ContainsFunc(p.steps, func(s Step) bool { return s.Each != Field }) {
			return fmt.Errorf("%s leads to several places; a copy takes the path of one field, without [*] and *", p)
		}
	}
	if c.To.IsZero() {
		return errors.New("to is empty: it is the path of the field that gets the value")
	}
	switch first := c.To.steps[0].Field; first {
	case "apiVersion", "kind", "metadata", "status":
		return fmt.Errorf("to: no value is copied into %s", first)
	}
	for _, name := range c.To.Fields() {
		if strings.ContainsAny(name, "/= ") {
			return fmt.Errorf("to: no value is copied into the field %q", name)
		}
		if isMetadata(name) {
			return fmt.Errorf("to: no value is copied into %s: that is where digests are written, and everybody reads it", name)
		}
	}
	return nil
}

// isMetadata reports whether a field holds metadata, whatever it is of: podMetadata and serviceAnnotations, too.
func isMetadata(field string) bool {
	field = strings.ToLower(field)
	for _, end := range [...]string{"metadata", "annotations", "labels"} {
		if strings.HasSuffix(field, end) {
			return true
		}
	}
	return false
}

// overlaps reports whether one of two paths leads to a place in what the other leads to.
func (p Path) overlaps(q Path) bool {
	n := min(len(p.steps), len(q.steps))
	return n > 0 && slices.Equal(p.steps[:n], q.steps[:n])
}

// checkCopies refuses copies into one field, and such into what is read to make copies, stamps or references.
func (k *KindRule) checkCopies() error {
	for i := range k.Copies {
		to := k.Copies[i].To
		for j := range k.Copies {
			switch other := &k.Copies[j]; {
			case i < j && to.overlaps(other.To):
				return fmt.Errorf("copies[%d] and copies[%d] write into one field, %s", i, j, to)
			case to.overlaps(other.NameFrom):
				return fmt.Errorf("copies[%d] writes into %s, where copies[%d] reads a name", i, to, j)
			}
		}
		if to.overlaps(k.Annotations) {
			return fmt.Errorf("copies[%d] writes into %s, where digests are written", i, to)
		}
		for j := range k.References {
			if r := &k.References[j]; to.overlaps(r.Path.join(r.Name)) {
				return fmt.Errorf("copies[%d] writes into %s, which references[%d] reads", i, to, j)
			}
		}
	}
	return nil
}

// Fields returns the names of the fields that the path goes through, which has no other steps.
func (p Path) Fields() []string {
	out := make([]string, len(p.steps))
	for i, s := range p.steps {
		out[i] = s.Field
	}
	return out
}

// join returns the path of a place below p.
func (p Path) join(below Path) Path {
	return Path{p.text + "." + below.text, slices.Concat(p.steps, below.steps)}
}

// DescribesConsumers reports whether the rule says where objects of the kind refer to ConfigMaps and Secrets; else it
// is about copies alone.
func (k *KindRule) DescribesConsumers() bool {
	return !k.Template.IsZero() || !k.PodSpec.IsZero() || len(k.References) > 0
}

// HasCopies reports whether values are copied into fields.
func (s *Settings) HasCopies() bool {
	return slices.ContainsFunc(s.Kinds.Value, func(k KindRule) bool { return len(k.Copies) > 0 })
}

// WithoutCopies returns settings by which no value is copied into a field.
func (s *Settings) WithoutCopies() *Settings {
	if !s.HasCopies() {
		return s
	}
	out := s.Clone()
	out.Kinds.Value = slices.Clone(s.Kinds.Value)
	for i := range out.Kinds.Value {
		out.Kinds.Value[i].Copies = nil
	}
	return out
}
