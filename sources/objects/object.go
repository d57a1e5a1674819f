package objects

import (
	"slices"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
)

// Object is a ConfigMap or Secret of the input or the context, or one that something there produces.
type Object struct {
	Kind      string
	Namespace string // "" where it is not known
	Name      string
	Offset    int // where in the text

	node      manifest.Node // not Valid where it is only produced
	embedded  *redact.Embedded
	left      string // why a change of its own manifest changes nothing in the cluster
	producers []*Producer
	number    int32 // among the objects of its text
	isCopy    bool  // a tool copies another object into it
	inContext bool
}

// String returns "Kind namespace/name".
func (o *Object) String() string { return manifest.Describe(o.Kind, o.Namespace, o.Name) }

// Immutable reports whether the object says that it never changes: the kubelet does not watch it then.
func (o *Object) Immutable() bool { return o.node.Get("immutable").IsTrue() }

// IsBinary reports whether a ConfigMap of the input has a key in binaryData only, of which no variable takes a value.
func (o *Object) IsBinary(key string) bool {
	return o.Kind == configMap && o.node.Get("binaryData").Get(key).Valid() && !o.node.Get("data").Get(key).Valid()
}

// Node returns the object's own manifest; it is not Valid where the object is only produced.
func (o *Object) Node() manifest.Node { return o.node }

// Context reports whether the object lies in the context, not in the input.
func (o *Object) Context() bool { return o.inContext }

// IsProduced reports whether nothing but its producers makes the object.
func (o *Object) IsProduced() bool { return !o.node.Valid() }

// Number returns the object's place in Index.Objects. One that is only produced has none.
func (o *Object) Number() int { return int(o.number) }

// Labels returns the object's labels; of one that is only produced, those of its first producer.
func (o *Object) Labels() map[string]string { return manifest.Object{Node: o.ownNode()}.Labels() }

// Annotation returns a value of the object's annotations; of one that is only produced, those of its first producer.
func (o *Object) Annotation(key string) string {
	return manifest.Object{Node: o.ownNode()}.Annotation(key)
}

// HasAnnotation reports whether the object, or the first producer of one that is only produced, has an annotation,
// whatever its value.
func (o *Object) HasAnnotation(key string) bool {
	return o.ownNode().At("metadata", "annotations").Get(key).Valid()
}

func (o *Object) ownNode() manifest.Node {
	if o.node.Valid() || len(o.producers) == 0 || o.producers[0].row.bare {
		return o.node
	}
	return o.producers[0].node
}

// IsEncrypted reports whether a decrypter could decrypt it.
func (o *Object) IsEncrypted() bool {
	return isSOPS(o.node) || slices.ContainsFunc(o.producers, func(p *Producer) bool { return p.row.encrypted })
}

// Left returns why a change of the manifests that make the object changes nothing in the cluster; "" where it does.
func (o *Object) Left() string {
	left := o.left
	if o.isCopy {
		return "" // what is copied into it may change
	}
	for _, p := range o.Producers() {
		if left = p.left; left == "" {
			return ""
		}
	}
	return left
}

// Producers returns what produces the object, or adds to it, in the order of the input.
func (o *Object) Producers() []*Producer {
	if !o.node.Valid() {
		return slices.Clip(o.producers)
	}
	var out []*Producer
	for _, p := range o.producers {
		if o.isShapedBy(p) {
			out = append(out, p)
		}
	}
	return out
}

// addProducers adds what produces the object, too. One that yields counts only where there is no other; replaced
// reports whether what counted until now has yielded.
func (o *Object) addProducers(more []*Producer) (replaced bool) {
	yields := func(p *Producer) bool { return p.row.yields }
	before := slices.ContainsFunc(o.producers, yields)
	for _, p := range more {
		if !slices.ContainsFunc(o.producers, p.repeats) || !yields(p) {
			o.producers = append(o.producers, p)
		}
	}
	if slices.IndexFunc(o.producers, func(p *Producer) bool { return !yields(p) }) < 0 {
		return false
	}
	o.producers = slices.DeleteFunc(o.producers, yields)
	return before && !o.node.Valid()
}

// Places returns how many places in stores are known already that the content comes from.
func (o *Object) Places() (n int) {
	for _, p := range o.producers {
		n += len(p.keys)
	}
	return n
}

// isShapedBy reports whether a producer shapes the object: one that is in the input itself says what it holds, but for
// what joins it.
func (o *Object) isShapedBy(p *Producer) bool {
	return !o.node.Valid() || o.mergeOf(p) != config.MergeIgnore
}

// mergeOf returns how what a producer makes joins what the object holds itself.
func (o *Object) mergeOf(p *Producer) config.MergeStrategy {
	if p.row.merge == nil {
		return config.MergeIgnore
	}
	return p.row.merge(manifest.Object{Node: p.node}, manifest.Object{Node: o.node})
}
