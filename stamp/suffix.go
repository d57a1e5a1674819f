package stamp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/splice"
)

// A Secret whose name carries the digest of all its keys is another one with each new content, so pods wait until the operator has made
// it. The annotation that the ExternalSecret has anyway tells the suffix from a name that only looks alike.

const (
	suffixDigits = 16
	maxName      = 253 // characters that the API server takes
)

// madeName marks an ExternalSecret that had no target.name.
var madeName = splice.Entry{Key: hashing.Prefix + "target-name", Value: "made"}

// target is where the name stands in an ExternalSecret.
var target = []string{"spec", "target"}

// renaming is a Secret whose name is to carry its digest, or did.
type renaming struct {
	node      manifest.Node // of the ExternalSecret
	current   string        // the name as it is written
	object    *sources.Object
	value     string // of the annotation; "" without a digest
	digest    string // what the name is to carry; "" for the name alone
	why       string // it cannot
	offset    int    // where that shows; 0 for the maker's place
	made      bool   // there is no target.name but ours
	places    []int  // where references name it
	fixed     bool   // one of them cannot be written over
	restarted bool   // a stamped workload reads it
}

// withoutSuffix returns the name that what an object makes has without a digest.
func withoutSuffix(o manifest.Object, written string) string {
	i := len(written) - suffixDigits - 1
	if o.Kind != "ExternalSecret" || i < 1 || written[i] != '-' {
		return written
	}
	if _, err := hex.DecodeString(written[i+1:]); err != nil {
		return written
	}
	digest := o.Annotation(hashing.Annotation("", refs.Secret, written[:i]))
	if digest != hashing.PlainPrefix+written[i+1:] && digest != hashing.KeyedPrefix+written[i+1:] {
		return written
	}
	return written[:i]
}

// baseNames returns references to suffixed names the names that digests know.
func (w *work) baseNames() {
	base := map[string]string{}
	for _, m := range w.index.Producers() {
		if m.Refresh() != nil {
			if name := withoutSuffix(manifest.Object{Node: m.Node(), Kind: m.Kind}, m.Written); name != m.Written {
				base[m.Written] = name
			}
		}
	}
	w.suffixed = len(base) > 0
	if !w.suffixed {
		return
	}
	for _, wl := range w.workloads {
		for _, t := range wl.templates {
			for i := range t.references {
				if r := &t.references[i]; r.Kind == refs.Secret {
					r.Name = cmp.Or(base[r.Name], r.Name)
				}
			}
		}
	}
}

// rename finds out which names are to carry digests, and writes the names.
func (w *work) rename(ctx context.Context) error {
	wanted := w.settings.Refresh.Value == config.RefreshSuffix
	if !wanted && !w.suffixed {
		return nil
	}
	w.renamings = map[*sources.Producer]*renaming{}
	for o := range w.index.All() {
		for _, m := range o.Producers() {
			if m.Refresh() == nil || m.Context || !wanted && m.Written == o.Name || w.renamings[m] != nil {
				continue
			}
			w.renamings[m] = newRenaming(manifest.Object{Node: m.Node(), Kind: m.Kind}, m.Written, o.Name)
			w.renamings[m].object, w.renamings[m].why = o, cannotRename(o, m)
		}
	}
	if len(w.renamings) == 0 {
		return nil
	}
	w.consumers()
	if wanted {
		if err := w.mentions(ctx); err != nil {
			return err
		}
	}
	for _, m := range w.index.Producers() {
		if r := w.renamings[m]; r != nil {
			w.writeName(m, r, wanted)
		}
	}
	return nil
}

// newRenaming takes what an ExternalSecret says of a name.
func newRenaming(o manifest.Object, written, base string) *renaming {
	return &renaming{node: o.Node, current: written, made: written != base && o.Annotation(madeName.Key) != ""}
}

// cannotRename reports why the name of what a maker makes cannot carry a digest, "" where it can.
func cannotRename(o *sources.Object, m *sources.Producer) string {
	at := m.Node().At(target...)
	policy := at.Get("creationPolicy").StringValue()
	name := at.Get("name")
	for k := range at.At("template", "metadata", "annotations").Entries() {
		if key := k.Text(); strings.HasPrefix(key, "reflector.") || strings.HasPrefix(key, "replicator.") {
			return "it is copied into other namespaces"
		}
	}
	switch {
	case m.Kind != "ExternalSecret":
		return "a " + m.Kind + " makes it in several namespaces"
	case len(o.Producers()) > 1 || !o.IsProduced():
		return "several objects make it together"
	case policy != "" && policy != "Owner":
		return "target.creationPolicy is " + quote(policy)
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

// consumers finds the places that name what is to be renamed.
func (w *work) consumers() {
	byObject, byName := map[*sources.Object][]*renaming{}, map[string][]*renaming{}
	for _, r := range w.renamings {
		byObject[r.object] = append(byObject[r.object], r)
		byName[r.object.Name] = append(byName[r.object.Name], r)
	}
	for _, wl := range w.workloads {
		namespace := w.home(wl.Namespace)
		for _, t := range wl.templates {
			for _, ref := range t.references {
				o, source := w.index.Find(ref.Kind, namespace, ref.Name)
				for _, r := range byObject[o] {
					w.consumer(r, wl, t, ref)
				}
				if source == sources.Ambiguous && ref.Kind == refs.Secret {
					for _, r := range byName[ref.Name] {
						r.block(ref.Offset, wl.name()+" could mean it or another")
					}
				}
			}
		}
	}
}

func (r *renaming) block(offset int, why string) {
	if r.why == "" {
		r.why, r.offset = why, offset
	}
}

func (w *work) consumer(r *renaming, wl *workload, t template, ref refs.Reference) {
	stamped := w.isStamped(wl, t)
	r.restarted = r.restarted || stamped && ref.Form != refs.FormPull && !w.ignores(r.object)
	switch {
	case t.fixed:
		r.fixed = true
		r.block(ref.Offset, wl.name()+" names it in YAML that is not simple")
	case !r.written(w.plan.text, ref.NameOffset):
		r.fixed = true
		r.block(ref.Offset, wl.name()+" names it in an unusual way")
	case !slices.Contains(r.places, ref.NameOffset):
		r.places = append(r.places, ref.NameOffset)
	}
	switch {
	case !stamped:
		r.block(ref.Offset, wl.name()+" reads it and is not stamped")
	case wl.live && ref.Live && !r.object.Immutable():
		r.block(ref.Offset, wl.name()+" reads it in live volumes, and would restart")
	}
}

// written reports whether the name stands at a place just as it is.
func (r *renaming) written(text []byte, at int) bool {
	if at >= len(text) {
		return false
	}
	if q := text[at]; q == '"' || q == '\'' {
		return bytes.HasPrefix(text[at+1:], []byte(r.current+string(q)))
	}
	rest, ok := bytes.CutPrefix(text[at:], []byte(r.current))
	return ok && (len(rest) == 0 || bytes.IndexByte([]byte(" \t\r\n,]}"), rest[0]) >= 0)
}

// writeName plans the edits for one name.
func (w *work) writeName(m *sources.Producer, r *renaming, wanted bool) {
	if wanted && r.restarted && r.why == "" && len(w.problems[m]) == 0 {
		if digest := w.digest(r.object, r.object.Content(), scope{all: true}); digest != "" && w.canAnnotate(m) {
			r.value, r.digest = digest, digest[strings.IndexByte(digest, '-')+1:]
		} else {
			r.block(m.Offset, "no annotation can be written into it")
		}
	}
	name := r.object.Name
	if r.digest != "" {
		name += "-" + r.digest
	} else if wanted && r.restarted && r.why != "" {
		w.find(diag.New(diag.NotRenamed, m.String(), r.object.String()+" keeps its name: "+r.why), cmp.Or(r.offset, m.Offset))
	}
	if name == m.Written {
		return
	}
	s, ok := r.locate()
	if !ok || r.fixed {
		if m.Written == r.object.Name {
			r.digest = ""
			w.find(diag.New(diag.NotRenamed, m.String(), "target.name cannot be written into it"), m.Offset)
			return
		}
		w.fail(&diag.Error{Exit: diag.ExitInput, Object: m.String(), Pos: w.places.At(m.Offset),
			Err: fmt.Errorf("write the name %s in the place of %s: one of the places is not in simple YAML", name, m.Written), Hint: "Take the stamps out with rollstamp unstamp, or write aliases and merge keys out."})
		return
	}
	if r.digest != "" && len(s.Existing()) == 0 {
		r.made = true
	}
	w.plan.edits = append(w.plan.edits, r.edits(w.plan.text, s, name)...)
}

func (w *work) canAnnotate(m *sources.Producer) bool {
	_, err := splice.Locate(m.Node(), m.Refresh(), claim)
	return err == nil && !w.rewritten(m.Offset)
}

// locate finds target.name, or the place for it.
func (r *renaming) locate() (*splice.Slot, bool) {
	s, err := splice.Locate(r.node, target, claimForeign(func(key string) bool { return key == "name" }))
	return s, err == nil && (len(s.Existing()) == 1 || !r.node.At(target...).Get("name").Valid())
}

// edits writes a name to all places.
func (r *renaming) edits(text []byte, s *splice.Slot, name string) []splice.Edit {
	var out []splice.Edit
	if r.made && r.digest == "" {
		out = s.Edits(nil, nil)
	} else {
		out = s.Edits([]splice.Entry{{Key: "name", Value: name, Quoted: true}}, nil)
	}
	return append(out, r.namePlaces(text, name)...)
}

// namePlaces writes a name where references stand.
func (r *renaming) namePlaces(text []byte, name string) (out []splice.Edit) {
	for _, at := range r.places {
		if text[at] == '"' || text[at] == '\'' {
			at++
		}
		out = append(out, splice.Edit{Start: at, End: at + len(r.current), Text: name})
	}
	return out
}
