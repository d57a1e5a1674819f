package stamp

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/manifest/generated"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/sources/objects"
	"github.com/rollstamp/rollstamp/splice"
)

// hasSuffixes reports whether a template restarts by the names of what it reads.
func hasSuffixes(c consumer) bool { return c.isWritten() && c.way == config.StrategySuffix }

// renderedSuffixes returns the ConfigMaps and Secrets of a render that could be renamed: those that templates with the
// strategy read, and those that were renamed before.
func renderedSuffixes(r *Resolved) map[*objects.Object]*suffix {
	out := map[*objects.Object]*suffix{}
	add := func(o *objects.Object) {
		if node := ownManifest(o); node.Valid() && out[o] == nil {
			s := &suffix{text: r.in.out.Text, node: node, current: r.in.index.Written(o), object: o, rendered: true}
			s.why = cannotSuffix(r.in, s)
			s.blockCloned(r.in.index)
			out[o] = s
		}
	}
	for i := range r.templates {
		c := &r.templates[i]
		for k := range c.consumed {
			if o := c.consumed[k].object; o != nil && hasSuffixes(*c) && !isRolledByName(o) {
				add(o)
			}
		}
	}
	if r.in.index.HasRenamed() {
		for o := range r.in.index.All() {
			if r.in.index.Written(o) != o.Name {
				add(o)
			}
		}
	}
	blockRepeated(r.in.index, out)
	return out
}

// ownManifest returns the manifest of the input whose name is the object's: its own, or that of a SealedSecret. It is
// not Valid where there is none.
func ownManifest(o *objects.Object) manifest.Node {
	switch producers := o.Producers(); {
	case o.Context() || o.Kind != refs.ConfigMap && o.Kind != refs.Secret:
	case !o.IsProduced():
		return o.Node()
	case len(producers) > 0 && producers[0].Kind == objects.SealedSecret:
		return producers[0].Node()
	}
	return manifest.Node{}
}

// isRolledByName reports whether kustomize has put a hash of the content into the name of an object.
func isRolledByName(o *objects.Object) bool {
	if _, looks := generated.Base(o.Name); !looks || o.IsProduced() {
		return false
	}
	return generated.HasHash(manifest.Object{Node: o.Node(), APIVersion: "v1", Kind: o.Kind, Name: o.Name})
}

// blockRepeated blocks the renaming of what is in the input twice.
func blockRepeated(index *objects.Index, all map[*objects.Object]*suffix) {
	type id struct{ kind, namespace, name string }
	idOf := func(o *objects.Object) id { return id{o.Kind, o.Namespace, o.Name} }
	count := map[id]int{}
	for o := range all {
		count[idOf(o)] = 0
	}
	for _, o := range index.Objects() {
		if n, wanted := count[idOf(o)]; wanted {
			count[idOf(o)] = n + 1
		}
	}
	for o, s := range all {
		if count[idOf(o)] > 1 {
			s.fixed = true
			s.block(o.Offset, "it is in the input twice")
		}
	}
}

// cannotSuffix returns why the name of an object that is rendered cannot carry a digest, "" where it can.
func cannotSuffix(in *Input, s *suffix) string {
	o, own := s.object, manifest.Object{Node: s.node}
	producers := o.Producers()
	switch {
	case o.IsProduced() && len(producers) > 1:
		return "several objects make it together"
	case o.IsProduced():
		if why := sealedStrictly(own); why != "" {
			return why
		}
	case len(producers) > 0:
		return producers[0].String() + " adds to it"
	}
	for _, annotations := range annotationMaps(s.node) {
		for k := range annotations.Entries() {
			if why := pinsName(k.Text()); why != "" {
				return why
			}
		}
		if annotations.Get("sealedsecrets.bitnami.com/patch").StringValue() == "true" {
			return "it is merged into a Secret of this name"
		}
	}
	switch name := s.node.At("metadata", "name"); {
	case s.node.Get("sops").IsMap() && !s.node.At("sops", "mac_only_encrypted").IsTrue():
		return "the checksum that SOPS made covers its name"
	case isKnownByName(s.node.Get("type").StringValue()),
		isKnownByName(s.node.At("spec", "template", "type").StringValue()):
		return "a controller of the cluster knows it by its name"
	case len(o.Name)+1+suffixDigits > maxName:
		return "its name would be too long"
	case strings.Trim(o.Name, "0123456789.e") == "":
		return "YAML could take its name with a digest for a number"
	case !s.node.Document().Fast() || in.reencodes(o.Offset):
		return "the document has aliases, merge keys or other YAML that is not simple"
	case !s.isWrittenAt(name.Offset()):
		return "its name is written in a way that cannot be rewritten"
	}
	return ""
}

// sealedStrictly returns why a SealedSecret cannot be renamed: the ciphertexts of one hold for its name, unless its
// scope is a wider one.
func sealedStrictly(own manifest.Object) string {
	const clusterWide, namespaceWide = "sealedsecrets.bitnami.com/cluster-wide", "sealedsecrets.bitnami.com/namespace-wide"
	if own.Annotation(clusterWide) == "true" || own.Annotation(namespaceWide) == "true" {
		return ""
	}
	return "it is sealed for this name; kubeseal --scope namespace-wide seals for any name of the namespace"
}

// annotationMaps returns the annotations of an object, and those that what it produces gets.
func annotationMaps(n manifest.Node) []manifest.Node {
	return []manifest.Node{n.At("metadata", "annotations"), n.At("spec", "template", "metadata", "annotations")}
}

// pinsName returns why an object with an annotation keeps its name, "" where it need not.
func pinsName(key string) string {
	switch {
	case isCopying(key):
		return "it is copied into other namespaces"
	case key == "helm.sh/hook", key == "argocd.argoproj.io/hook":
		return "it is a hook"
	}
	return ""
}

// isCopying reports whether an annotation has a tool copy an object into other namespaces.
func isCopying(key string) bool {
	return strings.HasPrefix(key, "reflector.") || strings.HasPrefix(key, "replicator.") ||
		key == "kubed.appscode.com/sync"
}

// isKnownByName reports whether Secrets of a type are found, or filled, by their names.
func isKnownByName(secretType string) bool {
	return secretType == "kubernetes.io/service-account-token" || secretType == "bootstrap.kubernetes.io/token" ||
		strings.HasPrefix(secretType, "helm.sh/")
}

// blockUnwanted blocks the renaming of what a workload reads that a new name would restart, and should not.
func (s *suffix) blockUnwanted(c *consumer, consumed *consumption, ref *refs.Reference) {
	switch {
	case consumed.excluded != "":
		s.block(ref.Offset, c.workload.String()+" leaves it out: "+consumed.excluded)
	case s.rendered && !hasSuffixes(*c):
		s.block(ref.Offset, c.workload.String()+" reads it and has another strategy")
	case c.workload.manual:
		s.block(ref.Offset, c.workload.String()+" reads it and restarts only when that is approved")
	}
}

// decideRendered wants the names of what is rendered, in the order of the input.
func (n *renamer) decideRendered() {
	for o := range n.run.in.index.All() {
		if s := n.names.rendered[o]; s != nil {
			n.decideObject(s)
		}
	}
}

// decideObject wants one name, where it is not the one that is written, and the annotation by which it is recognized.
func (n *renamer) decideObject(s *suffix) {
	o := s.object
	slot, err := splice.Locate(s.node, []string{"metadata", "annotations"}, claimMarks(s.node, n.run.claim))
	adopted := s.restarted && s.why == "" && n.isAdopted(s)
	if s.restarted && s.why == "" && !adopted {
		n.run.contents.Read(o, &n.run.memory)
		value, digestErr := n.run.digester.digest(o, &n.run.memory, scope{all: true})
		n.fail(digestErr)
		if value != "" && err == nil {
			s.value, s.digest = value, digestOf(value)
		} else {
			s.block(o.Offset, "no annotation can be written into it")
		}
	}
	if s.digest == "" && s.restarted && s.why != "" {
		n.add(diag.New(diag.NameStays, o.String(), o.String()+" keeps its name: "+s.why), s.place())
	}
	name := s.wantedName()
	if s.digest == "" && s.current == o.Name {
		return
	}
	if err != nil || s.fixed && name != s.current {
		n.failRename(o.String(), o.Offset, s.current, name)
		return
	}
	n.wantMarks(s, slot)
	if name != s.current {
		s.places = append(s.places, s.node.At("metadata", "name").Offset())
		n.want(plan.Wanted{Place: n.producerPlace(s), Kind: o.Kind, Namespace: o.Namespace, Name: o.Name,
			Key: "metadata.name", Value: name, Reason: plan.Renamed})
	}
}

// wantMarks wants the annotations that belong to a name: none where it carries no digest.
func (n *renamer) wantMarks(s *suffix, slot *splice.Slot) {
	at := n.producerPlace(annotations{slot})
	if s.digest == "" {
		return
	}
	w := plan.Wanted{Place: at, Kind: s.object.Kind, Namespace: s.object.Namespace, Name: s.object.Name, Key: nameMark,
		Value: s.object.Name, Reason: plan.Renamed}
	n.want(w)
	var written []string
	for _, p := range prunings[n.run.settings.Suffix.Prune.Value] {
		if have := s.node.At("metadata", "annotations", p.key); have.Valid() && !wrote(s.node, p.engine) {
			n.keepOptions(s, p, have.StringValue())
			continue
		}
		w.Key, w.Value = p.key, p.value
		n.want(w)
		written = append(written, p.engine)
	}
	if len(written) > 0 {
		w.Key, w.Value = pruneMark, strings.Join(written, ".")
		n.want(w)
	}
}

// keepOptions reports options for an engine that an object has already, where they let it be deleted too early.
func (n *renamer) keepOptions(s *suffix, p pruning, have string) {
	for option := range strings.SplitSeq(have, ",") {
		if option = strings.TrimSpace(option); option == p.value || option == "Prune=false" {
			return
		}
	}
	n.add(diag.New(diag.PruneNotWritten, s.object.String(), s.object.String()+" has "+p.key+": "+have+", and "+p.value+
		" is not among it"), s.object.Offset)
}

// pruning is an annotation that keeps an engine from deleting an object too early.
type pruning struct{ engine, key, value string }

// The annotations of Argo CD and Flux.
const (
	argoOptions = "argocd.argoproj.io/sync-options"
	fluxPrune   = "kustomize.toolkit.fluxcd.io/prune"
)

// pruneKeys are the annotations by which engines take instructions.
var pruneKeys = map[string]string{"argocd": argoOptions, "flux": fluxPrune}

// prunings are what is written by setting.
var prunings = map[config.Prune][]pruning{
	config.PruneLast:  {{"argocd", argoOptions, "PruneLast=true"}},
	config.PruneNever: {{"argocd", argoOptions, "Prune=false"}, {"flux", fluxPrune, "disabled"}},
}

// wrote reports whether an object has instructions for an engine that are ours.
func wrote(n manifest.Node, engine string) bool {
	marks := n.At("metadata", "annotations", pruneMark).StringValue()
	return slices.Contains(strings.Split(marks, "."), engine)
}

// claimMarks owns stamps, and what else the strategy writes into the annotations of an object.
func claimMarks(n manifest.Node, stamps claim) claim {
	return func(key string) splice.Claim {
		for engine, of := range pruneKeys {
			if key == of && wrote(n, engine) {
				return splice.Owned
			}
		}
		return stamps(key)
	}
}
