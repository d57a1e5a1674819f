package stamp

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/compat"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/sources/objects"
	"github.com/rollstamp/rollstamp/splice"
)

// renames are the objects whose names are to carry digests, or did.
type renames struct {
	produced map[*objects.Producer]*suffix // what ExternalSecrets produce, by these
	rendered map[*objects.Object]*suffix   // what is in the render itself
}

// list returns the objects whose names carry digests.
func (r renames) list(in *Input) (out []plan.Rename) {
	if len(r.produced)+len(r.rendered) == 0 {
		return nil
	}
	of := map[*objects.Object]*suffix{}
	for _, s := range r.produced {
		of[s.object] = s
	}
	maps.Copy(of, r.rendered)
	for o := range in.index.All() {
		if s := of[o]; s != nil && s.digest != "" {
			out = append(out, plan.Rename{Kind: o.Kind, Namespace: o.Namespace, Name: o.Name, Written: s.wantedName(),
				Position: in.positions.At(o.Offset)})
		}
	}
	return out
}

// renamer decides which names carry digests.
type renamer struct {
	outcome
	run       *run
	refreshes bool // names of what ExternalSecrets produce are to carry digests; otherwise those that do lose them
	renders   bool // a template is to restart by the names of what is rendered
	names     renames
	all       []*suffix
	replaced  map[int]bool // places of names in references that digests take the place of
}

// decideNames returns the objects whose names are to carry digests, or did, and wants their names.
func decideNames(run *run, r *Resolved, refresher refresher, opts *Options) (renames, outcome, error) {
	n := renamer{outcome: newOutcome(r.in, 0, 0), run: run, refreshes: refresher.renames && !opts.KeepNames,
		renders: !opts.KeepNames && slices.ContainsFunc(r.templates, hasSuffixes), replaced: map[int]bool{}}
	if !n.refreshes && !n.renders && !r.suffixed && len(r.in.kept) == 0 && !mayHoldEarlier(opts.Earlier) {
		return renames{}, n.outcome, nil
	}
	n.names.produced = suffixes(r.in, n.refreshes, run.prefix)
	if n.renders || r.in.index.HasRenamed() {
		n.names.rendered = renderedSuffixes(r)
	}
	n.all = slices.Concat(slices.Collect(maps.Values(n.names.produced)), slices.Collect(maps.Values(n.names.rendered)))
	if len(n.all) == 0 {
		err := n.keepEarlier(opts)
		return renames{}, n.outcome, err
	}
	n.findReferences(r.templates)
	if err := n.blockMentioned(); err != nil {
		return renames{}, n.outcome, err
	}
	for _, m := range r.in.index.Producers() {
		if s := n.names.produced[m]; s != nil {
			n.decide(m, s)
		}
	}
	n.decideRendered()
	err := n.keepEarlier(opts)
	return n.names, n.outcome, err
}

// suffixes returns the Secrets that could be renamed, by their producers; only those that were, unless all are to be.
func suffixes(in *Input, all bool, prefix hashing.Prefix) map[*objects.Producer]*suffix {
	out := map[*objects.Producer]*suffix{}
	for o := range in.index.All() {
		for _, m := range o.Producers() {
			if m.Refresh() == nil || m.Context || !all && m.Written == o.Name || out[m] != nil {
				continue
			}
			s := newSuffix(in.out.Text, manifest.Object{Node: m.Node(), Kind: m.Kind}, m.Written, o.Name,
				prefix)
			s.object, s.why = o, cannotRename(o, m)
			s.blockCloned(in.index)
			out[m] = s
		}
	}
	return out
}

// cannotRename returns why the name of what a producer makes cannot carry a digest, "" where it can.
func cannotRename(o *objects.Object, m *objects.Producer) string {
	at := m.Node().At(target...)
	creation := at.Get("creationPolicy").StringValue()
	name := at.Get("name")
	for k := range at.At("template", "metadata", "annotations").Entries() {
		if isCopying(k.Text()) {
			return "it is copied into other namespaces"
		}
	}
	switch {
	case m.Kind != "ExternalSecret":
		return "a " + m.Kind + " makes it in several namespaces"
	case len(o.Producers()) > 1 || !o.IsProduced():
		return "several objects make it together"
	case creation != "" && creation != "Owner":
		return "target.creationPolicy is " + diag.Quote(creation)
	case at.Get("manifest").Valid() || o.Kind != refs.Secret:
		return "target.manifest makes what is no Secret"
	case name.Valid() && name.StringValue() == "":
		return "target.name is empty"
	case len(o.Name)+1+suffixDigits > maxName:
		return "its name would be too long"
	case strings.Trim(o.Name, "0123456789.e") == "":
		return "YAML could take its name with a digest for a number"
	case !m.Node().Document().Fast():
		return "the document has aliases, merge keys or other YAML that is not simple"
	}
	return ""
}

// findReferences finds the references that name what is to be renamed.
func (n *renamer) findReferences(templates []consumer) {
	byObject, byName := map[*objects.Object][]*suffix{}, map[named][]*suffix{}
	for _, s := range n.all {
		name := named{s.object.Kind, s.object.Name}
		byObject[s.object], byName[name] = append(byObject[s.object], s), append(byName[name], s)
	}
	for i := range templates {
		c := &templates[i]
		for k := range c.consumed {
			consumed := &c.consumed[k]
			for i := range consumed.references {
				ref := &consumed.references[i]
				for _, s := range byObject[consumed.object] {
					n.addReference(s, c, consumed, ref)
				}
				if consumed.source == objects.Ambiguous {
					for _, s := range byName[named{ref.Kind, ref.Name}] {
						s.block(ref.Offset, c.workload.String()+" could mean it or another")
					}
				}
			}
		}
	}
}

// addReference takes a reference that names what is to be renamed.
func (n *renamer) addReference(s *suffix, c *consumer, consumed *consumption, ref *refs.Reference) {
	if isPhantom(ref) && c.isWritten() {
		n.replaced[ref.NameOffset] = true
		return
	}
	s.restarted = s.restarted || c.isWritten() && readByPod(ref) && !policy.Ignores(n.run.settings, s.object) &&
		s.object.Left() == "" && (!s.rendered || hasSuffixes(*c))
	switch {
	case s.rendered && ref.Form == compat.FormNamed: // an annotation for another tool, which stays as it is
	case c.fixed:
		s.fixed = true
		s.block(ref.Offset, c.workload.String()+" names it in YAML that is not simple")
	case !s.isWrittenAt(ref.NameOffset):
		s.fixed = true
		s.block(ref.Offset, c.workload.String()+" names it in a way that cannot be rewritten")
	case !slices.Contains(s.places, ref.NameOffset):
		s.places = append(s.places, ref.NameOffset)
	}
	if len(s.readers) == 0 || s.readers[len(s.readers)-1].consumed != consumed {
		s.readers = append(s.readers, suffixReader{c, consumed})
	}
	switch {
	case !c.isWritten():
		s.block(ref.Offset, c.workload.String()+" reads it and is not stamped")
	case ref.InPath:
		s.block(ref.Offset, c.workload.String()+" has a folder of this name in its pods, which rules and arguments may name")
	case c.workload.live && ref.Live && !s.object.Immutable():
		s.block(ref.Offset, c.workload.String()+" reads it in live volumes, and would restart")
	default:
		s.blockUnwanted(c, consumed, ref)
	}
}

// decide wants one name, where it is not the one that is written.
func (n *renamer) decide(m *objects.Producer, s *suffix) {
	adopted := s.restarted && s.why == "" && n.isAdopted(s)
	if n.refreshes && s.restarted && s.why == "" && len(m.Problems()) == 0 && !adopted {
		n.run.contents.Read(s.object, &n.run.memory)
		value, err := n.run.digester.digest(s.object, &n.run.memory, scope{all: true})
		n.fail(err)
		if value != "" && n.canAnnotate(m) {
			s.value, s.digest = value, digestOf(value)
		} else {
			s.block(m.Offset, "no annotation can be written into it")
		}
	}
	name := s.wantedName()
	if s.digest == "" && n.refreshes && s.restarted && s.why != "" {
		n.add(diag.New(diag.NotRenamed, m.String(), s.object.String()+" keeps its name: "+s.why), cmp.Or(s.offset, m.Offset))
	}
	if name == m.Written {
		return
	}
	slot, ok := s.locate(n.run.claim)
	if !ok || s.fixed {
		n.keepName(m, s, name)
		return
	}
	s.slot, s.made = slot, s.made || s.digest != "" && len(slot.Existing()) == 0
	n.want(plan.Wanted{Place: n.producerPlace(s), Kind: s.object.Kind, Name: s.object.Name,
		Key: "spec.target.name", Value: name, Reason: plan.Refresh})
}

func (n *renamer) canAnnotate(m *objects.Producer) bool {
	_, err := splice.Locate(m.Node(), m.Refresh(), n.run.claim)
	return err == nil && !n.run.in.reencodes(m.Offset)
}

// keepName reports that a name stays as it is. One that carries a digest of earlier content is an error.
func (n *renamer) keepName(m *objects.Producer, s *suffix, name string) {
	if m.Written == s.object.Name {
		s.digest = ""
		n.add(diag.New(diag.NotRenamed, m.String(), "target.name cannot be written into it"), m.Offset)
		return
	}
	n.failRename(m.String(), m.Offset, m.Written, name)
}

// failRename records the error that a name which carries a digest of earlier content cannot be changed.
func (n *renamer) failRename(object string, offset int, written, name string) {
	n.errs.add(&diag.Error{Exit: diag.ExitInput, Object: object, Pos: n.positions.At(offset),
		Err:  fmt.Errorf("write the name %s instead of %s: one of the places is not in simple YAML", name, written),
		Hint: "Take the stamps out with rollstamp unstamp, or write aliases and merge keys out."})
}
