package rounds

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/flux/values"
	"github.com/rollstamp/rollstamp/render"
)

// beside is what a member has objects looked up in: what others of its cluster apply. Nothing of it is stamped.
type beside struct {
	outputs []*render.Output
	of      []*member // whose outputs they are
	err     error     // why something that may be needed is not known
}

// add adds what of another member can be looked up.
func (b *beside) add(of *member, out *render.Output) {
	b.outputs, b.of = append(b.outputs, out), append(b.of, of)
}

// setNames has the outputs know the names of the applications that they are of.
func (b *beside) setNames() {
	for i, of := range b.of {
		b.outputs[i].App = of.name
	}
}

// providers are the members that apply an object, or have it produced, by the object.
type providers map[values.Ref][]provider

// provider is one of them.
type provider struct {
	*member
	by string // the object of the member: itself, or what produces it
}

// findBeside looks up what the workloads of members need of others. What a Kustomization applies beside a HelmRelease
// is looked up for that in any case: stores and generators lie there.
func (s *Source) findBeside(needs map[*member][]need) {
	var known providers
	if len(needs) > 0 {
		known = s.providers()
	}
	cuts := newCutter(s.members)
	for _, m := range s.members {
		if m.output == nil || m.app.Stamping() == nil {
			continue
		}
		var parent *member
		if m.release != nil && m.parent != nil && m.parent.output != nil && m.kubeConfig() == nil {
			parent = m.parent
			m.beside.add(parent, cuts.all(parent))
		}
		found := map[*member]map[string]bool{}
		for _, n := range needs[m] {
			switch p, ok := s.provider(m, n, known); {
			case !ok:
				m.beside.err = s.failedProvider(m, n, m.beside.err)
			case p.member == parent:
				m.reportPaused(n, parent)
			case p.member == m:
			default:
				if found[p.member] == nil {
					found[p.member] = map[string]bool{}
				}
				found[p.member][p.by] = true
				if s.values.Left(p.destination().String(), p.String(), n.Ref) == "" { // else nothing restarts for it
					s.reportUnordered(m, n, p.member)
				}
				m.reportPaused(n, p.member)
			}
		}
		for _, other := range s.members {
			if len(found) == 0 {
				break
			}
			if found[other] != nil {
				m.beside.add(other, cuts.of(other, found[other]))
			}
		}
		m.unchanged = m.unchanged && s.isBesideSame(m)
	}
}

// providers returns who provides what.
func (s *Source) providers() providers {
	out := providers{}
	for _, m := range s.members {
		if m.output == nil {
			continue
		}
		for _, p := range s.values.Provided(m.destination().String(), m.String()) {
			ref := values.Ref{Kind: p.Kind, Namespace: p.Namespace, Name: p.Name}
			if p.Anywhere {
				ref.Namespace = ""
			}
			out[ref] = append(out[ref], provider{m, withoutNamespace(cmp.Or(p.Producer, p.Kind+" "+p.Name))})
		}
	}
	return out
}

// withoutNamespace returns "Kind name" of an object as messages name it.
func withoutNamespace(object string) string {
	kind, name, _ := strings.Cut(object, " ")
	return kind + " " + name[strings.LastIndex(name, "/")+1:]
}

// provider returns who of the member's cluster provides what it needs, and whether that is one. Where several do, with
// other contents, none is known to count.
func (s *Source) provider(m *member, n need, known providers) (found provider, ok bool) {
	anywhere := n.Ref
	anywhere.Namespace = ""
	for _, p := range slices.Concat(known[n.Ref], known[anywhere]) {
		switch {
		case p.member == m:
			return p, true
		case p.destination().Like(m.destination()) != app.SameCluster, ok && p.member == found.member:
		case ok && s.values.IsSame(m.destination().String(), n.Ref, found.String(), p.String()):
		case ok:
			f := diag.New(diag.DuplicateObject, n.workload, fmt.Sprintf("it reads %s, which %s (%s) and %s (%s) both "+
				"apply: which of the two counts is not known, and no stamp has it",
				n.Ref, found.member, found.Pos, p.member, p.Pos))
			m.findings = append(m.findings, f.WithAbout(n.Ref.String()).At(m.Pos))
			return provider{}, false
		default:
			found, ok = p, true
		}
	}
	return found, ok
}

// failedProvider returns the error of a Kustomization that failed and whose files have the name of what a member needs;
// else the one that is there.
func (s *Source) failedProvider(m *member, n need, before error) error {
	if before != nil {
		return before
	}
	f := s.failedWith(m.destination(), n.Name)
	if f == nil {
		return nil
	}
	m.hindrance = f
	return &diag.Error{Exit: diag.ExitOf(f.err), Object: n.workload, Pos: m.Pos,
		Err:  fmt.Errorf("%s, which it reads, may be applied by %s, and that fails", n.Ref, f),
		Hint: "Mend that first: without its content the workload would lose its stamp."}
}

// reportUnordered reports that nothing has what a workload reads be applied before the workload: its pods may restart
// before it is there.
func (s *Source) reportUnordered(m *member, n need, provider *member) {
	if s.isBefore(provider, m) || s.isBefore(m, provider) {
		return // or reported where it is the wrong way around
	}
	f := diag.New(diag.FluxOrder, n.workload, fmt.Sprintf("it reads %s, which %s applies, and %s does not wait for that",
		n.Ref, provider, m)).WithAbout(n.Ref.String()).At(m.Pos)
	if !slices.ContainsFunc(m.findings, func(have diag.Finding) bool { return have.Identity() == f.Identity() }) {
		m.findings = append(m.findings, f)
	}
}

// isBefore reports whether a member is applied before another one: that, or what applies it, waits for it.
func (s *Source) isBefore(first, then *member) bool {
	seen := map[*member]bool{}
	var leads func(m *member) bool
	leads = func(m *member) bool {
		if m == nil || seen[m] {
			return false
		}
		if seen[m] = true; m == first || leads(m.parent) {
			return true
		}
		return slices.ContainsFunc(m.dependsOn(), func(to objects.Meta) bool { return leads(s.dependency(m, to)) })
	}
	return leads(then)
}

// isBesideSame reports whether what a member has objects looked up in is as in the state of the files that its render
// was taken from.
func (s *Source) isBesideSame(m *member) bool {
	for _, other := range s.before {
		then := other.byKey[m.key()]
		if then != nil && then.output == m.output {
			return m.hindersAsBefore(then) &&
				slices.EqualFunc(m.beside.outputs, then.beside.outputs, func(a, b *render.Output) bool {
					return bytes.Equal(a.Text, b.Text) && bytes.Equal(a.SecondRender, b.SecondRender)
				})
		}
	}
	return false
}

// hindersAsBefore reports whether no failure of another member hinders either of two states of a member, or the same
// one hinders both.
func (m *member) hindersAsBefore(then *member) bool {
	if m.beside.err == nil || then.beside.err == nil {
		return m.beside.err == nil && then.beside.err == nil
	}
	return m.hindrance.unchanged && diag.IsSameFailure(m.beside.err, then.beside.err)
}

// transform adds it to a render.
func (b beside) transform(_ context.Context, out *render.Output) (*render.Output, error) {
	with := *out
	with.Context, with.ContextErr = slices.Concat(out.Context, b.outputs), b.err
	with.Inputs = slices.Clone(out.Inputs)
	for _, one := range b.outputs {
		if one.LookedUp == nil { // else it is the parent, which has read its files itself: a list of its own would be
			with.Inputs = append(with.Inputs, one.Inputs...) // the longest thing of each of its releases
		}
	}
	slices.Sort(with.Inputs)
	with.Inputs = slices.Compact(with.Inputs)
	return &with, nil
}
