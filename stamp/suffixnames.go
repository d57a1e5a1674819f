package stamp

import (
	"encoding/hex"
	"strings"

	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// The annotations by which what the strategy suffix wrote is recognized.
const (
	// nameMark is on an object whose name carries a digest; its value is the name without it.
	nameMark = hashing.DefaultPrefix + "name"
	// keptMark is on an earlier content that is printed beside the one in force.
	keptMark = hashing.KeptMark
	// pruneMark is on an object that has instructions of ours for engines; its value names these.
	pruneMark = hashing.DefaultPrefix + "prune"
)

// BaseName returns the name of a ConfigMap, Secret or SealedSecret without the digest that the strategy suffix let it
// carry.
func BaseName(o manifest.Object) string {
	if !objects.IsRenamed(o) {
		return o.Name
	}
	return withoutSuffix(o, o.Name, hashing.Prefix{})
}

// IsEarlier reports whether an object is an earlier content of another one, which the strategy suffix printed.
func IsEarlier(o manifest.Object) bool { return objects.IsRenamed(o) && o.Annotation(keptMark) != "" }

// WithoutSuffix takes out of decoded metadata what the strategy suffix wrote: the digest in the name, and the
// annotations that belong to it.
func WithoutSuffix(metadata map[string]any) {
	notes, _ := metadata["annotations"].(map[string]any)
	base, _ := notes[nameMark].(string)
	name, _ := metadata["name"].(string)
	if base == "" || len(name) != len(base)+1+suffixDigits || !strings.HasPrefix(name, base+"-") {
		return
	}
	metadata["name"] = base
	engines, _ := notes[pruneMark].(string)
	for _, engine := range strings.Split(engines, ".") {
		delete(notes, pruneKeys[engine])
	}
	delete(notes, nameMark)
	delete(notes, pruneMark)
}

// withoutSuffix returns the name without a digest of an object, or of what it produces.
func withoutSuffix(o manifest.Object, written string, prefix hashing.Prefix) string {
	i := len(written) - suffixDigits - 1
	if i < 1 || written[i] != '-' {
		return written
	}
	if _, err := hex.DecodeString(written[i+1:]); err != nil || !isMarked(o, written[:i], written[i+1:], prefix) {
		return written
	}
	return written[:i]
}

// isMarked reports whether an object says that its name, or that of what it produces, is a base with a digest.
func isMarked(o manifest.Object, base, digest string, prefix hashing.Prefix) bool {
	if o.Kind != "ExternalSecret" {
		return objects.IsRenamed(o) && o.Annotation(nameMark) == base
	}
	mark := o.Annotation(prefix.Annotation("", refs.Secret, base))
	return mark == hashing.PlainPrefix+digest || mark == hashing.KeyedPrefix+digest
}

// baseName returns what returns names without digests.
func baseName(prefix hashing.Prefix) func(o manifest.Object, written string) string {
	return func(o manifest.Object, written string) string { return withoutSuffix(o, written, prefix) }
}

// named is a ConfigMap or Secret in whatever namespace.
type named struct{ kind, name string }

// baseNames returns the names in an input that carry digests, with those that digests know.
func baseNames(index *objects.Index, prefix hashing.Prefix) map[named]string {
	base := map[named]string{}
	for _, m := range index.Producers() {
		if m.Refresh() != nil {
			if name := withoutSuffix(manifest.Object{Node: m.Node(), Kind: m.Kind}, m.Written, prefix); name != m.Written {
				base[named{refs.Secret, m.Written}] = name
			}
		}
	}
	if index.HasRenamed() {
		for o := range index.All() {
			if written := index.Written(o); written != o.Name {
				base[named{o.Kind, written}] = o.Name
			}
		}
	}
	return base
}
