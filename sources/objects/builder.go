package objects

import (
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// build puts together what the producer's row says.
func (b *builder) build() {
	if b.isDecrypted {
		b.out.Fetched = true
	}
	row := b.producer.row
	if row.versionless != "" {
		b.addUnversioned(row.versionless)
	}
	if row.content != nil {
		row.content(b)
	} else {
		b.byRow(row)
	}
	b.out.dependent = b.out.dependent || b.out.Beyond
	b.out.Beyond = b.out.Beyond || b.isAnswered
}

// byRow builds the content that a row's parts and keys describe.
func (b *builder) byRow(r *row) {
	if b.isDecrypted {
		b.pairs = append(b.pairs, b.plaintext...)
		return
	}
	root := b.producer.node
	if r.keys == nil {
		b.put(Anything, canonical.ClassSpec, func() canonical.Value { return b.whole(r, root) })
		return
	}
	common := canonical.Value{Shape: canonical.Map}.With("producer", canonical.String(b.producer.kindAndGroup())).
		With(r.parts.field, r.parts.atPaths(root))
	each(root, r.keys.path.Steps(), func(item manifest.Node) {
		key := first(item, r.keys.key)
		if key == "" {
			key = Anything
		}
		b.put(key, canonical.ClassSpec,
			func() canonical.Value { return common.With(r.keys.parts.field, r.keys.parts.of(item)) })
	})
}

// whole returns the content of a row without keys.
func (b *builder) whole(r *row, root manifest.Node) canonical.Value {
	content := r.parts.of(root)
	out := b.reader.Mapping(4)
	out.Add("producer", canonical.String(b.producer.kindAndGroup()))
	out.Add(r.parts.field, content)
	if r.more != nil {
		r.more(b, &out)
	}
	if r.ref != nil {
		b.addRef(&out, r.parts.field, r.ref(b, content), manifest.Node{})
	}
	return out
}

// put adds the stand-in of a key; build may raise the class.
func (b *builder) put(key, class string, build func() canonical.Value) {
	if b.skip(key) {
		return
	}
	b.begin(key, class)
	b.end(build())
}

// skip reports whether nobody wants a key's value. The key is there nevertheless.
func (b *builder) skip(key string) bool {
	if b.request.keys == nil || key == Anything || b.request.keys(key) {
		return false
	}
	b.pairs = append(b.pairs, Pair{Key: key, StandIn: true})
	return true
}

// begin and end are put in two steps.
func (b *builder) begin(key, class string) { b.key, b.class = key, class }

func (b *builder) end(v canonical.Value) {
	if b.request.onlyRefs {
		return
	}
	from := len(b.out.buf)
	b.out.buf = canonical.StandIn(b.out.buf, b.class, v)
	b.pairs = append(b.pairs,
		Pair{Key: b.key, Value: redact.New(b.out.buf[from:len(b.out.buf):len(b.out.buf)]), StandIn: true})
}

// addRef records that a part of the content comes from a place in a store. It adds what the lock or a store answers to
// the part, which nobody else has: the version, or the digest of a value. source is the field of the part that pins a
// version.
func (b *builder) addRef(part *canonical.Value, source string, ref sources.Ref, at manifest.Node) {
	answer, pinned := b.answerTo(&ref, at)
	if pinned {
		*part = part.Set(source+".version", canonical.Value{})
	}
	switch {
	case answer.Version == sources.Lease:
	case answer.Version != "":
		part.Add("version", canonical.String(answer.Version))
	case answer.Digest != "":
		part.Add("value", canonical.String(answer.Digest))
	}
}

// answerTo records that the content comes from a place in a store, and returns what the lock or the store answers, or
// the version that the place itself pins. The class of the stand-in follows from it.
func (b *builder) answerTo(ref *sources.Ref, at manifest.Node) (answer sources.Answer, pinned bool) {
	rule, byManifest := b.byManifest(&ref.Store)
	if to := b.request.questions; to != nil {
		if !byManifest && !sources.IsPinned(ref) {
			*to = append(*to, *ref)
		}
		return sources.Answer{}, false
	}
	switch {
	case byManifest:
		answer.ByManifest = true
		if rule >= 0 {
			b.out.addUnversioned(Unversioned{b.producer, Chosen, rule})
		}
	case b.answers != nil:
		if pinned = sources.IsPinned(ref); pinned {
			answer.Version, _ = sources.PinnedVersion(*ref)
		} else {
			answer = b.answers.Of(ref, &b.out.cursor)
		}
		b.isAnswered = b.isAnswered || !answer.ByManifest
		switch {
		case answer.ByManifest:
			b.addUnversioned(NotLocked)
		case answer.Version == sources.Lease:
			b.addUnversioned(Made)
		case answer.Version != "" && b.class == canonical.ClassSpec:
			b.class = canonical.ClassVersion
		case answer.Version == "" && answer.Digest != "":
			b.class = canonical.ClassValue
		}
	}
	if b.request.refs == nil || b.key == Anything || b.request.refs(b.key) {
		b.out.RemoteRefs = append(b.out.RemoteRefs,
			RemoteRef{Producer: b.producer, Key: b.key, Ref: *ref, Answer: answer, Node: at})
	}
	return answer, pinned
}

// byManifest reports whether what comes from a store counts by its manifest, though others are asked for.
func (b *builder) byManifest(store *sources.Store) (rule int, ok bool) {
	if chosen := b.environment.options().ByManifest; chosen != nil {
		return chosen(*store, b.producer) // a copy: a pointer would put each reference on the heap
	}
	return 0, false
}

// addUnversioned records that something which the producer returns has no version, once.
func (b *builder) addUnversioned(why Versionless) {
	u := Unversioned{Producer: b.producer, Why: why}
	if why == Fetched || why == Unasked {
		rule, chosen := b.byManifest(&sources.Store{})
		switch {
		case chosen && rule < 0:
			return // as under the policy spec
		case chosen:
			u.Why, u.Rule = Chosen, rule
		}
	}
	b.out.addUnversioned(u)
}

// knownNamespace returns the namespace of a store, "" where it is none that the render knows.
func (b *builder) knownNamespace(namespace string) string {
	if namespace == b.environment.options().StandIn {
		return ""
	}
	return namespace
}
