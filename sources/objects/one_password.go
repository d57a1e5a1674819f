package objects

import (
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// onePassword knows the operator of 1Password Connect.
func onePassword() operator {
	return operator{rows: map[string][]row{
		onePasswordItem: {{kind: secret, parts: wholeSpec(shape{}), more: itemVersion}},
	}}
}

const onePasswordItem = "OnePasswordItem"

// itemVersion adds the version of the item, where the user wants it asked for. Which server the operator asks no
// manifest says.
func itemVersion(b *builder, out *canonical.Value) {
	if !b.environment.options().asksFor(onePasswordItem) {
		b.addUnversioned(Unasked)
		return
	}
	store := sources.Store{Kind: sources.OnePassword, Name: "default", Provider: "onepassword"}
	path := b.producer.node.At("spec", "itemPath").StringValue()
	b.addRef(out, "spec", sources.Ref{Store: store, Key: path}, manifest.Node{})
}
