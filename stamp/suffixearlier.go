package stamp

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/sources/objects"
	"github.com/rollstamp/rollstamp/splice"
)

// contentID is what the contents of one ConfigMap or Secret have in common: its name has no digest.
type contentID struct{ kind, namespace, name string }

// keptDocument is an earlier content of an object, in a document of its own.
type keptDocument struct {
	contentID
	written    string // its name
	start, end int    // of the document
	alone      bool   // nothing else is in the document
}

// keptDocument returns an earlier content that is in the input.
func (r *reader) keptDocument(d *manifest.Document, o manifest.Object) keptDocument {
	k := contentOf(o, r.in.index.Namespace())
	k.start, k.end, k.alone = d.Start, d.End, o.Node.SameAs(d.Root())
	return k
}

// contentOf returns what a ConfigMap, Secret or SealedSecret is a content of. One that names no namespace is in home.
func contentOf(o manifest.Object, home string) keptDocument {
	kind := o.Kind
	if kind == objects.SealedSecret {
		kind = refs.Secret
	}
	return keptDocument{contentID: contentID{kind, cmp.Or(o.Namespace, home), BaseName(o)}, written: o.Name}
}

// Keeps returns how many earlier contents of an object are kept beside it. Where no workload of a text can have the
// strategy suffix, that is none, unless the configuration says how many.
func Keeps(s *config.Settings, text []byte) int {
	keep := s.Suffix.Keep
	if keep.Source == config.Default && !maySuffix(s, text) {
		return 0
	}
	return int(keep.Value)
}

// maySuffix reports whether the strategy suffix may be in force for a workload.
func maySuffix(s *config.Settings, text []byte) bool {
	return s.Strategy.Value == config.StrategySuffix ||
		slices.ContainsFunc(s.Workloads.Value,
			func(w config.WorkloadRule) bool { return w.Strategy == config.StrategySuffix }) ||
		bytes.Contains(text, []byte(policy.WayAnnotation))
}

// earlierContent is a content that was rendered before, as a document of its own with the mark.
type earlierContent struct {
	written string
	text    string
	ours    bool // the strategy wrote it: its name carries a digest, or it was kept already
}

// earlierText is what was rendered before.
type earlierText struct {
	order []contentID
	// of are the contents of each object: the one that was in force, and then those that were kept beside it.
	of map[contentID][]earlierContent
}

// mayHoldEarlier reports whether a text that was rendered before may have contents that the strategy wrote.
func mayHoldEarlier(text []byte) bool {
	return bytes.Contains(text, []byte(nameMark)) || bytes.Contains(text, []byte(keptMark))
}

// earlierContents returns the contents of a text that was rendered before.
func earlierContents(text []byte, in *Input) (earlierText, error) {
	out := earlierText{of: map[contentID][]earlierContent{}}
	for reader := manifest.NewReader(text); ; {
		d, err := reader.Next()
		if err != nil || d == nil {
			return out, err
		}
		for o := range d.Objects() {
			if !objects.IsRenamed(o) {
				continue
			}
			marked, ok := withKeptMark(d, o)
			if !ok {
				continue
			}
			k := contentOf(o, in.index.Namespace())
			id := contentID{strings.Clone(k.kind), strings.Clone(k.namespace), strings.Clone(k.name)}
			if len(out.of[id]) == 0 {
				out.order = append(out.order, id)
			}
			out.of[id] = append(out.of[id],
				earlierContent{strings.Clone(k.written), marked, k.written != k.name || IsEarlier(o)})
		}
	}
}

// withKeptMark returns an object's document with the mark, from its first line with content on, without a final line
// break; of an item of a List it is made. It reports false where the mark cannot be written.
func withKeptMark(d *manifest.Document, o manifest.Object) (string, bool) {
	if !o.Node.SameAs(d.Root()) {
		return itemWithKeptMark(o)
	}
	nothing := func(string) splice.Claim { return splice.Foreign }
	slot, err := splice.Locate(o.Node, []string{"metadata", "annotations"}, nothing)
	if err != nil {
		return "", false
	}
	var edits []splice.Edit
	if o.Annotation(keptMark) == "" {
		edits = append(edits, slot.Insert([]splice.Entry{{Key: keptMark, Value: "earlier"}}))
	}
	for i := range edits {
		edits[i].Start, edits[i].End = edits[i].Start-d.Start, edits[i].End-d.Start
	}
	text := splice.Bytes(d.Bytes(), edits)
	if bytes.HasPrefix(text, []byte("---")) {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return string(bytes.TrimRight(text, "\n")), true
}

// itemWithKeptMark returns an item of a List as a document of its own.
func itemWithKeptMark(o manifest.Object) (string, bool) {
	object, _ := o.Node.Decode().(map[string]any)
	metadata, _ := object["metadata"].(map[string]any)
	if metadata == nil {
		return "", false
	}
	annotations, _ := metadata["annotations"].(map[string]any)
	if annotations == nil {
		annotations = map[string]any{}
	}
	if annotations[keptMark] == nil {
		annotations[keptMark] = "earlier"
	}
	metadata["annotations"] = annotations
	object["apiVersion"], object["kind"] = o.APIVersion, o.Kind // items of a ConfigMapList have none
	text, err := yaml.Marshal(object)
	return string(bytes.TrimRight(text, "\n")), err == nil
}

// keepEarlier wants the earlier contents of the objects whose names carry digests, or did: pods of before read them
// until they are gone, whatever became of the object meanwhile.
func (n *renamer) keepEarlier(opts *Options) error {
	in := n.run.in
	before, err := earlierContents(opts.Earlier, in)
	if err != nil {
		return err
	}
	if len(before.of) == 0 && len(in.kept) == 0 {
		return nil
	}
	k := n.newKeeping()
	ids := k.current
	if !opts.EarlierShared {
		ids = append(ids, before.order...)
	}
	for _, d := range in.kept {
		ids = append(ids, d.contentID)
	}
	at, done := n.producerPlace(k), map[contentID]bool{}
	for _, id := range ids {
		if done[id] {
			continue
		}
		done[id] = true
		for _, name := range k.choose(before.of[id], id) {
			n.want(plan.Wanted{Place: at, Kind: id.kind, Namespace: id.namespace, Name: id.name, Key: keptKey(id, name),
				Value: name, Reason: plan.Kept})
		}
	}
	return nil
}

// newKeeping returns the strategy of earlier contents, with the names that objects of the input will have.
func (n *renamer) newKeeping() *keeping {
	in := n.run.in
	k := &keeping{text: in.out.Text, have: in.kept, most: Keeps(n.run.settings, in.out.Text),
		suffixed: map[contentID]bool{}, used: map[contentID]bool{}}
	for o := range in.index.All() {
		id, name := contentID{o.Kind, o.Namespace, o.Name}, in.index.Written(o)
		if s := n.names.rendered[o]; s != nil {
			name = s.wantedName()
			k.suffixed[id] = k.suffixed[id] || s.digest != ""
		}
		k.used[contentID{o.Kind, o.Namespace, name}] = true
		k.current = append(k.current, id)
	}
	return k
}

func keptKey(id contentID, written string) string {
	return id.kind + "/" + id.namespace + "/" + written
}

// keeping is the strategy of earlier contents: documents at the end of the text.
type keeping struct {
	inserting
	text     []byte
	have     []keptDocument
	add      []addition
	most     int                // contents of one object
	current  []contentID        // of the objects of the input
	suffixed map[contentID]bool // those whose names carry digests
	used     map[contentID]bool // the names that objects of the input will have
}

// addition is a document that is not in the text.
type addition struct{ key, text string }

// choose returns the names of the earlier contents of an object that are to be in the text. Of an object whose name
// carries no digest, these are what the strategy wrote.
func (k *keeping) choose(before []earlierContent, id contentID) (names []string) {
	take := func(name string) bool {
		if k.used[contentID{id.kind, id.namespace, name}] || slices.Contains(names, name) || len(names) == k.most {
			return false
		}
		names = append(names, name)
		return true
	}
	has := func(name string) bool {
		return slices.ContainsFunc(k.have, func(d keptDocument) bool { return d.contentID == id && d.written == name })
	}
	for _, b := range before {
		if (b.ours || k.suffixed[id]) && take(b.written) && !has(b.written) {
			k.add = append(k.add, addition{keptKey(id, b.written), b.text})
		}
	}
	for _, d := range k.have {
		if d.contentID == id {
			take(d.written)
		}
	}
	return names
}

func (k *keeping) edits(wanted []plan.Wanted) []splice.Edit {
	out := cutDocuments(k.text, slices.DeleteFunc(slices.Clone(k.have), func(d keptDocument) bool {
		return contains(wanted, keptKey(d.contentID, d.written))
	}))
	var added []byte
	open := len(k.text) > 0 && k.text[len(k.text)-1] != '\n' // so that the text can be restored
	for _, a := range k.add {
		if !contains(wanted, a.key) {
			continue
		}
		if open {
			added = append(added, "\n---\n"+a.text...)
		} else {
			added = append(added, "---\n"+a.text+"\n"...)
		}
	}
	if len(added) > 0 {
		out = append(out, splice.Edit{Start: len(k.text), End: len(k.text), Text: string(added)})
	}
	return out
}

// WithoutEarlier returns the edits of a stamped text but for the one that adds earlier contents.
func WithoutEarlier(text splice.Edited) []splice.Edit {
	last := len(text.Edits) - 1
	if last < 0 || text.Edits[last].Start < len(text.Text) || !strings.Contains(text.Edits[last].Text, keptMark) {
		return text.Edits
	}
	return text.Edits[:last:last]
}

// cutDocuments returns the edits that remove documents. A text that ends without a line break does so afterwards, too.
func cutDocuments(text []byte, documents []keptDocument) (out []splice.Edit) {
	tail, open := len(text), len(text) > 0 && text[len(text)-1] != '\n'
	for _, d := range slices.Backward(documents) {
		if !d.alone {
			continue
		}
		edit := splice.Edit{Start: d.start, End: d.end}
		if open && d.end == tail {
			tail = d.start
			edit.Start = max(d.start-1, 0)
			if len(out) > 0 && out[len(out)-1].Start < d.end {
				edit.End = out[len(out)-1].Start
			}
		}
		out = append(out, edit)
	}
	slices.Reverse(out)
	return out
}
