package objects

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// lookedUp are the kinds that make nothing, and that what makes something refers to, with their groups.
var lookedUp = map[string]string{
	"SecretTransformation": "secrets.hashicorp.com", "SecretStore": externalGroup, "ClusterSecretStore": externalGroup,
	"ACRAccessToken": generators, "BeyondtrustWorkloadCredentialsDynamicSecret": generators, "ClusterGenerator": generators,
	"CloudsmithAccessToken": generators, "ECRAuthorizationToken": generators, "Fake": generators, "GCRAccessToken": generators,
	"GithubAccessToken": generators, "GitlabDeployToken": generators, "Grafana": generators, "MFA": generators, "Password": generators,
	"QuayAccessToken": generators, "SSHKey": generators, "STSSessionToken": generators, "UUID": generators, "VaultDynamicSecret": generators,
	"Webhook": generators,
}

const generators = "generators.external-secrets.io"

// noteLookedUp remembers an object that others refer to, or a Namespace.
func (x *Index) noteLookedUp(o manifest.Object, namespace string, keep func() *manifest.Document) {
	if group := lookedUp[o.Kind]; group != "" && strings.HasSuffix("."+o.Group(), "."+group) {
		if x.looked == nil {
			x.looked = map[id]manifest.Node{}
		}
		at := id{name{o.Kind, o.Name}, namespace}
		if strings.HasPrefix(o.Kind, "Cluster") {
			at.namespace = ""
		}
		x.looked[at] = o.Node.In(keep())
	}
	if o.Kind == kubeNamespace && o.APIVersion == "v1" {
		if x.shared.namespaces == nil {
			x.shared.namespaces = map[string]manifest.Node{}
		}
		x.shared.namespaces[o.Name] = o.Node.In(keep())
	}
}

// lookup finds a store or generator for something in a namespace. Where that is not known, the only one of that name is
// meant.
func (x *Index) lookup(kind, namespace, object string) manifest.Node {
	if len(x.looked) == 0 && x.context == nil {
		return manifest.Node{}
	}
	n := name{kind, object}
	for _, ns := range []string{namespace, ""} {
		if at, ok := x.looked[id{n, ns}]; ok {
			return at
		}
	}
	if namespace == "" {
		var all []manifest.Node
		for at, node := range x.looked {
			if at.name == n {
				all = append(all, node)
			}
		}
		if len(all) == 1 {
			return all[0]
		}
	}
	if x.context != nil {
		return x.context.lookup(kind, namespace, object)
	}
	return manifest.Node{}
}

// store returns the provider of a store and what its object says of where it is.
func (x *Index) store(s sources.Store) (provider string, said map[string]string) {
	object := x.lookup(s.Kind, s.Namespace, s.Name)
	if !object.Valid() {
		return "", nil
	}
	spec := object.At("spec", "provider")
	for f := spec.Fields(); f.Next(); {
		provider = f.Key.Text()
		said = map[string]string{}
		address(said, "", canonical.Read(f.Value))
	}
	if provider == "aws" {
		switch said["service"] {
		case "ParameterStore":
			provider = "aws-ssm"
		case "CertificateManager":
			provider = "aws-acm"
		default:
			provider = "aws-sm"
		}
	}
	return provider, said
}

// address writes the fields of a store by dotted path, but for how to log in there.
func address(to map[string]string, prefix string, v canonical.Value) {
	for i, field := range v.Names {
		switch item := v.Items[i]; {
		case field == "auth" || field == "caBundle" || field == "caProvider":
		case item.Shape == canonical.Map:
			address(to, prefix+field+".", item)
		default:
			to[prefix+field] = item.JSON()
		}
	}
}

// SetAnswers reports what a lock or stores say of what RemoteRefs lists. From then on contents hold versions.
func (x *Index) SetAnswers(answers *sources.Answers) {
	x.shared.answers = answers
}

// SetOpened returns the decrypted values of what a Producer, or an Object of the input, holds encrypted.
func (x *Index) SetOpened(m *Producer, o *Object, values map[string]redact.Secret) {
	pairs := make([]Pair, 0, len(values))
	for key, v := range values {
		pairs = append(pairs, Pair{Key: key, Value: v})
	}
	pairs = lastOfEach(pairs)
	s := x.shared
	if s.opened == nil {
		s.opened, s.openedObjects = map[*Producer][]Pair{}, map[*Object][]Pair{}
	}
	if m != nil {
		s.opened[m] = pairs
	} else {
		s.openedObjects[o] = pairs
	}
}

// The annotations of tools that keep copies.
const (
	reflects         = "reflector.v1.k8s.emberstack.com/reflects"
	reflectAuto      = "reflector.v1.k8s.emberstack.com/reflection-auto-enabled"
	reflectTo        = "reflector.v1.k8s.emberstack.com/reflection-auto-namespaces"
	reflectChosen    = "reflector.v1.k8s.emberstack.com/reflection-auto-namespaces-selector"
	replicates       = "replicator.v1.mittwald.de/replicate-from"
	replicateTo      = "replicator.v1.mittwald.de/replicate-to"
	replicateMatches = "replicator.v1.mittwald.de/replicate-to-matching"
)

// CopyOf returns the object that a tool copies into this one, or nil.
func (o *Object) CopyOf() *Object {
	if !o.copies {
		return nil
	}
	annotations := o.node.At("metadata", "annotations")
	for _, key := range []string{reflects, replicates} {
		if from := annotations.Get(key).StringValue(); from != "" {
			namespace, object, both := strings.Cut(from, "/")
			if !both {
				namespace, object = o.Namespace, from
			}
			if source, _ := o.index.Find(o.Kind, namespace, object); source != o {
				return source
			}
		}
	}
	return nil
}

// spread is an object that a tool copies into other namespaces, with the annotations that say so.
type spread struct {
	object *Object
	notes  manifest.Node
}

// noteCopies remembers an object that a tool copies into other namespaces, or others into, by the annotations that it
// has or will have.
func (x *Index) noteCopies(o *Object, notes manifest.Node) {
	if !notes.Valid() {
		return
	}
	if o.node.Valid() {
		o.copies = notes.Get(reflects).StringValue() != "" || notes.Get(replicates).StringValue() != ""
	}
	if notes.Get(reflectAuto).StringValue() == "true" || notes.Get(replicateTo).StringValue() != "" || notes.Get(replicateMatches).StringValue() != "" {
		x.copies = append(x.copies, spread{o, notes})
	}
}

// copyFor returns the object whose copy of that name a tool makes in a namespace, or nil.
func (x *Index) copyFor(kind, namespace, object string) *Object {
	for _, s := range x.copies {
		o := s.object
		if o.Kind == kind && o.Name == object && namespace != "" && o.Namespace != namespace && x.reaches(s, namespace) {
			if !o.node.Valid() {
				o = x.stored(kind, o.Namespace, object) // others may add to it
			}
			return o
		}
	}
	return nil
}

// reaches reports whether one of the lists of namespaces, names or regular expressions, has one, or a label selector
// chooses it. Reflector takes an empty list without a selector for all. What labels a namespace has that is neither in
// the input nor the context nobody knows.
func (x *Index) reaches(s spread, namespace string) bool {
	lists, selectors := []string{s.notes.Get(replicateTo).StringValue()}, []string{s.notes.Get(replicateMatches).StringValue()}
	if s.notes.Get(reflectAuto).StringValue() == "true" {
		to, chosen := s.notes.Get(reflectTo).StringValue(), s.notes.Get(reflectChosen).StringValue()
		if to == "" && chosen == "" {
			return true
		}
		lists, selectors = append(lists, to), append(selectors, chosen)
	}
	at, known := x.shared.namespaces[namespace]
	for _, selector := range selectors {
		if selector != "" && (!known || fits(selector, labelOf(namespace, at.At("metadata", "labels")))) {
			return true
		}
	}
	for _, list := range lists {
		for pattern := range strings.SplitSeq(list, ",") {
			pattern = strings.TrimSpace(pattern)
			if re, err := regexp.Compile("^(?:" + pattern + ")$"); pattern != "" && err == nil && re.MatchString(namespace) {
				return true
			}
		}
	}
	return false
}

// Encrypted reports whether Open would open something.
func (o *Object) Encrypted() bool {
	return o.node.Get("sops").IsMap() || slices.ContainsFunc(o.producers, func(m *Producer) bool { return m.Kind == "SealedSecret" })
}

// Decrypt hands each encrypted manifest behind the object to a Decrypter. What it returns replaces the
// ciphertext; nothing changes where it returns nil. An error is an *DecryptError.
func (o *Object) Decrypt(ctx context.Context, with sources.Decrypter) error {
	if o.node.Valid() && o.node.Get("sops").IsMap() {
		values, err := with.Decrypt(ctx, o.Namespace, textOf(o.node))
		if err != nil {
			return &DecryptError{err, o.Offset, o.Context()}
		}
		if values != nil {
			o.index.SetOpened(nil, o, values)
		}
	}
	for _, m := range o.Producers() {
		if m.Kind != "SealedSecret" {
			continue
		}
		values, err := with.Decrypt(ctx, m.Namespace, textOf(m.node))
		if err != nil {
			return &DecryptError{err, m.Offset, m.Context}
		}
		if values != nil {
			o.index.SetOpened(m, nil, values)
		}
	}
	return nil
}

// DecryptError is the error of a Decrypter, with the position of the document that it was called with.
type DecryptError struct {
	Err     error
	Offset  int  // of the object, in its text
	Context bool // that text is one of the context's, not the input
}

func (u *DecryptError) Error() string { return u.Err.Error() }

func (u *DecryptError) Unwrap() error { return u.Err }

// Context reports whether the object lies in the context, not in the input.
func (o *Object) Context() bool { return o.index.outside }

// textOf returns the document of an object, or, of one in a List, the object as JSON.
func textOf(n manifest.Node) []byte {
	if d := n.Document(); n.SameAs(d.Root()) {
		return d.Body()
	}
	return []byte(canonical.Read(n).JSON())
}
