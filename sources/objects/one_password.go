package objects

import (
	"regexp"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// onePassword knows the operator of 1Password. It makes a Secret of a Deployment's annotations, too:
// 1Password/onepassword-operator, internal/controller/deployment_controller.go.
func onePassword() operator {
	return operator{rows: map[string][]row{
		onePasswordItem: {{kind: secret, parts: wholeSpec(shape{}), more: func(b *builder, out *canonical.Value) {
			b.addItemVersion(out, "spec", b.producer.node.At("spec", "itemPath").StringValue())
		}}},
		"Deployment": {{
			group: "apps", exact: true, kind: secret, yields: true, bare: true, asked: onePasswordItem,
			same:    func(a, b manifest.Node) bool { return annotatedItem(a).path == annotatedItem(b).path },
			has:     func(o manifest.Object) bool { return annotatedItem(o.Node).isMade() },
			content: annotatedContent,
			namesOf: func(o manifest.Object, visit func(kind, name, namespace string)) {
				visit(secret, validSecretName(annotatedItem(o.Node).name), "")
			},
		}},
	}}
}

// onePasswordItem is the kind that makes Secrets, and the word for all items in a list of what is asked for.
const onePasswordItem = "OnePasswordItem"

// The annotations of a Deployment by which the operator makes a Secret of an item, and how all of its own begin. Two of
// these say only when pods restart.
const (
	itemPathAnnotation    = onePasswordPrefix + "item-path"
	itemNameAnnotation    = onePasswordPrefix + "item-name"
	autoRestartAnnotation = onePasswordPrefix + "auto-restart"
	restartedAnnotation   = onePasswordPrefix + "last-restarted"
	onePasswordPrefix     = "operator.1password.io/"
)

// annotated is an item that annotations name, and what its Secret is called.
type annotated struct{ path, name string }

// isMade reports whether the operator makes a Secret: without a name it does not, and without a path it finds nothing.
func (a annotated) isMade() bool { return a.path != "" && a.name != "" }

// annotatedItem returns the item that a Deployment names: in its own annotations or, where none of these is the
// operator's, in those of its pod template.
func annotatedItem(deployment manifest.Node) annotated {
	annotations := deployment.At("metadata", "annotations")
	if !namesItem(annotations) {
		annotations = deployment.At("spec", "template", "metadata", "annotations")
	}
	return annotated{annotations.Get(itemPathAnnotation).StringValue(), annotations.Get(itemNameAnnotation).StringValue()}
}

// namesItem reports whether annotations have one of the operator's that says something of an item.
func namesItem(annotations manifest.Node) bool {
	for f := annotations.Fields(); f.Next(); {
		if key := f.Key.Text(); strings.HasPrefix(key, onePasswordPrefix) && key != autoRestartAnnotation &&
			key != restartedAnnotation {
			return true
		}
	}
	return false
}

var noSecretName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^a-z0-9-.]+`) })

// validSecretName returns the name that the operator gives a Secret for one that may not be valid.
func validSecretName(name string) string {
	const longest = 253
	name = noSecretName().ReplaceAllString(strings.ToLower(name), "-")
	return strings.Trim(name[:min(len(name), longest)], "-.")
}

// annotatedContent builds what a Deployment's annotations make of an item.
func annotatedContent(b *builder) {
	path := annotatedItem(b.producer.node).path
	b.put(Anything, canonical.ClassSpec, func() canonical.Value {
		out := b.reader.Mapping(3)
		out.Add("producer", canonical.String(b.producer.kindAndGroup()))
		out.Add("itemPath", canonical.String(path))
		b.addItemVersion(&out, "itemPath", path)
		return out
	})
}

// addItemVersion adds the version of the item at a path, where the user wants it asked for. Which server the operator
// asks no manifest says.
func (b *builder) addItemVersion(out *canonical.Value, source, path string) {
	if !b.environment.options().asksFor(onePasswordItem) {
		b.addUnversioned(Unasked)
		return
	}
	store := sources.Store{Kind: sources.OnePassword, Name: "default", Provider: "onepassword"}
	b.addRef(out, source, sources.Ref{Store: store, Key: path}, manifest.Node{})
}
