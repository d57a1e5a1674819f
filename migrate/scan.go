package migrate

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/check"
	"github.com/rollstamp/rollstamp/compat"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
)

// targetsField names workloads in objects of the Vault Secrets Operator.
const targetsField = "rolloutRestartTargets"

// scan finds what an application has of each tool. One whose text has nothing of any is not read.
func (m *migration) scan(ctx context.Context, a *application) error {
	for i := range m.tools {
		a.uses[i].asked = asked{askedWorkloads{}, map[name]string{}}
	}
	if len(a.signs.uses) == 0 {
		return nil
	}
	s := m.scanner(a)
	left := check.NewLeftovers(a.Result, a.App.Settings().Kinds.Value)
	err := a.Result.EachObjectAt(ctx, a.signs.uses, func(o manifest.Object, at diag.Position) {
		s.object(o, at)
		left.Look(o, at)
	})
	if err == nil {
		s.leftovers(left.Found())
	}
	return err
}

// mayHave reports whether a text can have something of a tool.
func mayHave(t *tool, text []byte) bool {
	has := func(word string) bool { return bytes.Contains(text, []byte(word)) }
	return slices.ContainsFunc(t.keys, has) || slices.ContainsFunc(t.markers, has)
}

// scanner looks at the objects of an application.
type scanner struct {
	m     *migration
	app   *application
	kinds *refs.Table
}

func (m *migration) scanner(a *application) *scanner {
	return &scanner{m: m, app: a, kinds: refs.NewTable(config.MaxLevel, a.App.Settings().Kinds.Value)}
}

// object finds what an object has of the tools.
func (s *scanner) object(o manifest.Object, at diag.Position) {
	rows := s.kinds.Rows(o)
	where := OnObject
	if len(rows) > 0 {
		where = OnWorkload
	}
	s.annotations(o, o.Node, where, at)
	for _, row := range rows {
		if len(row.Template) > 0 {
			s.annotations(o, o.Node.At(row.Template...), OnTemplate, at)
			s.checksums(o, o.Node.At(row.Template...), at)
		}
	}
	switch {
	case o.Kind == "HelmRelease" && o.Group() == "helm.toolkit.fluxcd.io",
		isApplication(o):
		s.release(o, at)
	case strings.HasSuffix(o.Group(), "kyverno.io"):
		s.clones(o, at)
		s.protection(o, at)
	case o.Kind == "Config" && o.Group() == externalGroup:
		s.add(s.m.index(external), o, OnObject, "spec.destinationsToWatch", at)
	default:
		s.targets(o, at)
	}
}

// annotations finds annotations of tools, and what they ask for.
func (s *scanner) annotations(o manifest.Object, n manifest.Node, where Where, at diag.Position) {
	for k, v := range n.At("metadata", "annotations").Entries() {
		key := k.Field()
		for i := range s.m.tools {
			if !s.isOf(i, key) || check.IsLeftover(key) {
				continue
			}
			key = strings.Clone(key)
			s.add(i, o, where, key, at)
			if !isSwitch(key) || isUnread(key, where) {
				break
			}
			asked, value := &s.app.uses[i].asked, strings.Clone(v.StringValue())
			id := name{o.Kind, o.Namespace, strings.Clone(o.Name)}
			if where == OnObject {
				asked.objects[id] = value
			} else {
				asked.workloads[id] = value
			}
			break
		}
	}
}

// isUnread reports whether the tool of an annotation does not read it of a part of an object.
func isUnread(key string, where Where) bool {
	return where == OnTemplate && !compat.ReadsTemplates(key)
}

// checksums finds hashes that charts write into a pod template, and that stay there.
func (s *scanner) checksums(o manifest.Object, template manifest.Node, at diag.Position) {
	if s.app.App.Settings().ForeignChecksums.Value == config.ForeignReplace {
		return
	}
	for k := range template.At("metadata", "annotations").Entries() {
		if key := k.Field(); check.IsChecksum(key) && !s.app.Result.Plan.Prefix.Has(key) {
			s.add(s.m.index(checksums), o, OnTemplate, strings.Clone(key), at)
		}
	}
}

// isOf reports whether an annotation is of a tool.
func (s *scanner) isOf(i int, key string) bool { return s.m.tools[i].has(key) }

// add records what an object has of a tool.
func (s *scanner) add(i int, o manifest.Object, where Where, key string, at diag.Position) {
	u, object := &s.app.uses[i], s.app.hide(o.String())
	if n := len(u.found); n > 0 && u.found[n-1].Object == object && u.found[n-1].Where == where {
		if !slices.Contains(u.found[n-1].Keys, key) {
			u.found[n-1].Keys = append(u.found[n-1].Keys, key)
		}
		return
	}
	u.found = append(u.found, Found{App: s.app.name, Object: object, Where: where, Keys: []string{key},
		Unread: isUnread(key, where), Place: s.app.place(at, o.String())})
}

// hide returns a text without values of Secrets.
func (a *application) hide(text string) string { return a.Result.Output.AllSecrets().In(text) }

// targets finds the workloads that an object of the Vault Secrets Operator names.
func (s *scanner) targets(o manifest.Object, at diag.Position) {
	for n := range o.Node.At("spec", targetsField).Items() {
		i := s.m.index(vso)
		s.add(i, o, OnObject, "spec."+targetsField, at)
		kind := strings.TrimPrefix(strings.Clone(n.Get("kind").StringValue()), "argo.")
		s.app.uses[i].asked.workloads[name{kind, o.Namespace, strings.Clone(n.Get("name").StringValue())}] = "true"
	}
}

// index returns where a tool is in the table.
func (m *migration) index(called string) int {
	return slices.IndexFunc(m.tools, func(t tool) bool { return t.name == called })
}

// leftovers adds what tools wrote, and policies that go.
func (s *scanner) leftovers(found []check.Leftover) {
	for _, f := range found {
		i := slices.IndexFunc(s.m.tools, func(t tool) bool { return t.leaves == f.Tool })
		if i >= 0 {
			u := &s.app.uses[i]
			u.leftovers = append(u.leftovers, s.app.trace.Findings([]diag.Finding{f.Finding})...)
		}
	}
}
