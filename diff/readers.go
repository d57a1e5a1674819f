package diff

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest/generated"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/refs"
)

// reader is a workload that refers to an object.
type reader struct {
	workload  *object
	reference *plan.Reference
	standing  bool // the workload's stamps are those of the source
	ofCopy    bool // it refers to a copy that a tool makes
}

// cause returns what a restart of the reader by a change has as its cause.
func (r reader) cause(d *delta) (object, via string) {
	if r.ofCopy {
		return r.reference.Kind + " " + r.reference.Name, viaOf(r.reference)
	}
	return d.causeName(), ""
}

// readersOf lists the workloads of a side that refer to its ConfigMaps and Secrets, or to what a tool copies these
// into, by these.
func readersOf(in *inventory) map[*object][]reader {
	out := map[*object][]reader{}
	for _, o := range in.all {
		if o.workload == nil {
			continue
		}
		for i := range o.workload.References {
			r := &o.workload.References[i]
			standing, config := in.standing[o.id()], in.find(r.Kind, r.Namespace, r.Name)
			if config != nil {
				out[config] = append(out[config], reader{o, r, standing, false})
			}
			for _, from := range in.copiedFor(r, config) {
				out[from] = append(out[from], reader{o, r, standing, true})
			}
		}
	}
	return out
}

// copiedFor returns the ConfigMaps and Secrets of the application that a tool copies into what a reference is to,
// besides the one that it finds.
func (in *inventory) copiedFor(r *plan.Reference, found *object) (out []*object) {
	for _, p := range r.Producers {
		if !p.Copied || !isConfigKind(p.Kind) {
			continue
		}
		from := in.find(p.Kind, p.Namespace, p.Name)
		if from != nil && from != found && !slices.Contains(out, from) {
			out = append(out, from)
		}
	}
	return out
}

// restarts is which workloads of an application restart, and for which keys.
type restarts struct {
	all    map[*object]*Restart
	causes map[*object]map[string]map[KeyChange]bool // the keys of each object that is a cause
}

func newRestarts(all map[*object]*Restart) *restarts {
	out := &restarts{all, map[*object]map[string]map[KeyChange]bool{}}
	for workload, r := range all {
		byObject := map[string]map[KeyChange]bool{}
		for _, c := range r.Causes {
			if c.Reason != Config {
				continue
			}
			keys := make(map[KeyChange]bool, len(c.Keys))
			for _, k := range c.Keys {
				keys[k] = true
			}
			byObject[c.Object] = keys
		}
		out.causes[workload] = byObject
	}
	return out
}

// keys returns the changes of keys for which a reader restarts, and whether what it reads is a cause at all.
func (r *restarts) keys(one reader, d *delta) (keys map[KeyChange]bool, is bool) {
	cause, _ := one.cause(d)
	keys, is = r.causes[one.workload][cause]
	return keys, is
}

// causeName is how a cause names the object.
func (d *delta) causeName() string {
	if base, ok := generated.Base(d.now.Name.Name); ok && d.old.Name.Name != d.now.Name.Name {
		return d.now.Kind + " " + base
	}
	return d.now.Kind + " " + d.now.Name.Name
}

// quietOf reports configuration whose change restarts nothing, or not everything that reads it.
func quietOf(d *delta, readers []reader, restarts *restarts, kinds kindTable, compat *config.Compat) []Quiet {
	keys, out := slices.Clone(d.keys), heldQuiet(d, readers, restarts)
	for _, r := range readers {
		if cause, is := restarts.keys(r, d); is {
			keys = slices.DeleteFunc(keys, func(k KeyChange) bool { return cause[k] })
		}
	}
	quiet := func(reason, reader string) Quiet {
		return Quiet{Name: d.now.Name, Keys: keys, Reason: reason, Reader: reader}
	}
	switch {
	case d.encryptedAgain:
		return append(out, Quiet{Name: d.now.Name, Keys: []KeyChange{}, Reason: SameContent})
	case len(keys) == 0:
		return out
	case d.left != "":
		q := quiet(LeftAsIs, "")
		q.Mark = d.left
		return []Quiet{q}
	case len(readers) == 0:
		return []Quiet{quiet(NotConsumed, "")}
	}
	changed := make(map[string]bool, len(keys))
	for _, k := range keys {
		changed[k.Key] = true
	}
	stale := false
	for _, r := range readers {
		if r.reference.Held != "" {
			continue
		}
		reason := whyNot(r, changed, kinds)
		stale = stale || reason == isStale
		if reason == KeysNotRead || reason == isStale {
			continue
		}
		q := quiet(reason, r.workload.Name.String())
		if reason == OptedOut {
			if q.Tool = restarter(r.workload, d.now.Kind, rowsOf(kinds, r.workload), compat); q.Tool != "" {
				q.Reason = ByOtherTool
			}
		}
		out = append(out, q)
	}
	switch {
	case len(out) > 0 || stale:
	case slices.ContainsFunc(readers, func(r reader) bool { return r.reads(changed) && r.restartsByContent() }) &&
		isEncrypted(d.old) && isEncrypted(d.now):
		out = append(out, quiet(SameContent, ""))
	default:
		out = append(out, quiet(KeysNotRead, "").apart(d.random)...)
	}
	return out
}

// apart returns the same with the keys whose values are different in each render by themselves.
func (q Quiet) apart(random map[string]bool) (out []Quiet) {
	if len(random) == 0 {
		return []Quiet{q}
	}
	for _, reason := range []string{q.Reason, IsRandom} {
		one := q
		one.Reason = reason
		one.Keys = slices.DeleteFunc(slices.Clone(q.Keys), func(k KeyChange) bool {
			return random[k.Key] != (reason == IsRandom)
		})
		if len(one.Keys) > 0 {
			out = append(out, one)
		}
	}
	return out
}

// reads reports whether the workload reads one of the keys.
func (r reader) reads(changed map[string]bool) bool {
	keys := r.reference.Keys
	return keys == nil || slices.ContainsFunc(keys, func(key string) bool { return changed[key] })
}

// restartsByContent reports whether other content would restart the workload, by its stamp or by another name of the
// object.
func (r reader) restartsByContent() bool { return r.reference.Digest != "" || r.isNamedByContent() }

// isNamedByContent reports whether a hash of the content is in the name of the object, in place of a stamp.
func (r reader) isNamedByContent() bool {
	return slices.ContainsFunc(r.reference.Findings, func(f diag.Finding) bool { return f.Code == diag.RolledByName })
}

// isEncrypted reports whether a ConfigMap or Secret holds what SOPS encrypted, as it is or in base64.
func isEncrypted(o *object) bool {
	ciphertext := []byte("ENC[AES256_GCM,")
	if bytes.Contains(o.text(), ciphertext) {
		return true
	}
	table, err := o.table()
	if err != nil {
		return false // what reads it has reported that
	}
	for _, v := range at(table, "data") {
		text, err := base64.StdEncoding.DecodeString(fmt.Sprint(v))
		if err == nil && bytes.Contains(text, ciphertext) {
			return true
		}
	}
	return false
}

// heldQuiet reports the changes of keys whose digests people decided not to write, for each workload that reads them
// and does not restart with them.
func heldQuiet(d *delta, readers []reader, restarts *restarts) (out []Quiet) {
	for _, r := range readers {
		if !r.isHeld() {
			continue
		}
		cause, _ := restarts.keys(r, d)
		keys := slices.DeleteFunc(r.changed(d), func(k KeyChange) bool { return cause[k] })
		if len(keys) > 0 {
			out = append(out, Quiet{Name: d.now.Name, Keys: keys, Reason: heldReasons[r.reference.Held],
				Reader: r.workload.Name.String()})
		}
	}
	return out
}

// isStale is the reason of readers that have stamps in their source: they are listed by themselves.
const isStale = "stale"

// whyNot returns why the change of an object does not restart one of its readers.
func whyNot(r reader, changed map[string]bool, kinds kindTable) string {
	ref := r.reference
	has := func(code diag.Code) bool {
		return slices.ContainsFunc(ref.Findings, func(f diag.Finding) bool { return f.Code == code })
	}
	switch {
	case !r.reads(changed):
		return KeysNotRead
	case has(diag.Ignored):
		return OptedOut
	case !r.workload.workload.Stamped && onRequest(rowsOf(kinds, r.workload)):
		return NoRestart
	case !r.workload.workload.Stamped:
		return OptedOut
	case has(diag.PullSecret):
		return KeysNotRead
	case r.isNamedByContent():
		return KeysNotRead
	case ref.Digest == "" && strings.Contains(ref.Source, "/"):
		return Unclear
	case ref.Digest == "":
		return LiveOnly
	case r.standing:
		return isStale
	}
	return KeysNotRead
}

// onRequest reports whether workloads of a kind are stamped only on request.
func onRequest(rows []*refs.Kind) bool {
	return slices.ContainsFunc(rows, func(k *refs.Kind) bool { return k.Stamping != refs.ByDefault })
}
