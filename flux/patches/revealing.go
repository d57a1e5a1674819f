package patches

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
)

// WithoutRevealing returns stamps of a render without what would write the value of a Secret that was decrypted into
// Git: stamps of objects with such a name, and all of a workload that has one, unless it is for the name with
// variables. The findings name the workloads, with lines of the render.
func WithoutRevealing(all []Stamps, out *render.Output) (kept []Stamps, found []diag.Finding) {
	if len(all) == 0 {
		return all, nil
	}
	secret := secretNames(out)
	if len(secret) == 0 {
		return all, nil
	}
	report := func(s *Stamps, message string) {
		object := out.AllSecrets().In(s.Object())
		found = append(found, diag.New(diag.FluxSecretName, object, message).At(diag.Position{Line: s.Line}))
	}
	for _, s := range all {
		names := secret[s.Line]
		is := func(name string) bool { return name != "" && slices.Contains(names, name) }
		if is(s.rendered) && !strings.Contains(s.Name, "${") || is(s.Namespace) {
			report(&s, "its name holds a value of a Secret, which a patch would write: it gets no stamps")
			continue
		}
		if n := s.withoutKeys(names); n > 0 {
			report(&s, fmt.Sprintf("it reads %s with a value of a Secret in the name, which the "+
				"name of the stamp would write: such a stamp is left out", diag.Count(n, "object")))
		}
		if len(s.Places) > 0 {
			kept = append(kept, s)
		}
	}
	return kept, found
}

// withoutKeys takes out the stamps of objects with one of the names, and returns how many these are.
func (s *Stamps) withoutKeys(names []string) (n int) {
	var places []Place
	for _, p := range s.Places {
		set := slices.DeleteFunc(slices.Clone(p.Set), func(a Annotation) bool { return isOfAny(a.Key, names) })
		n += len(p.Set) - len(set)
		if p.Set = set; len(set) > 0 {
			places = append(places, p)
		}
	}
	s.Places = places
	return n
}

// isOfAny reports whether the key of a stamp has one of the names, or the beginning of a long one.
func isOfAny(key string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		const shortened = 24 // of a name that is too long for a key, at least
		return strings.HasSuffix(key, "."+name) || len(name) > shortened && strings.Contains(key, "."+name[:shortened])
	})
}

// secretNames returns the texts in the documents of a render that values of decrypted Secrets made, by the lines of
// the objects.
func secretNames(out *render.Output) map[int][]string {
	hidden := decryptedIn(out)
	if len(hidden) == 0 {
		return nil
	}
	names, lines := map[int][]string{}, manifest.NewLines(out.Text)
	for d, err := range manifest.Documents(out.Text, "") {
		if err != nil {
			return names // which is an error of its own
		}
		var texts []string
		for _, h := range hidden {
			if h.Offset < d.Start || d.End <= h.Offset {
				continue
			}
			for _, p := range h.Places {
				if text := textAt(d.Root(), p.Path); text != "" && !p.Key {
					texts = append(texts, text)
				}
			}
		}
		for o := range d.Objects() {
			if len(texts) > 0 {
				names[lines.At(o.Node.Offset())] = texts
			}
		}
	}
	return names
}

// decryptedIn returns what is hidden of a render because it was decrypted. What a template makes of such a value, as a
// part or a hash of it, takes another render.
func decryptedIn(out *render.Output) []render.Hidden {
	hidden := slices.DeleteFunc(slices.Clone(out.Hidden), func(h render.Hidden) bool { return !h.Decrypted })
	if !slices.ContainsFunc(hidden, func(h render.Hidden) bool { return h.Anywhere }) {
		return hidden
	}
	return out.Derived()
}

// textAt returns the scalar at a path; "" where there is none.
func textAt(n manifest.Node, path []any) string {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			n = n.Get(step)
		case int:
			n = n.Item(step)
		}
	}
	return strings.Clone(n.Text())
}
