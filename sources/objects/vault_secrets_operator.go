package objects

import (
	"cmp"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// vaultSecretsOperator knows HashiCorp's Vault Secrets Operator.
func vaultSecretsOperator() operator {
	return operator{
		rows: map[string][]row{
			"VaultStaticSecret":  {vaultStatic()},
			"VaultDynamicSecret": {vaultRow(Made, vaultShape("revoke", "renewalPercent"))},
			"VaultPKISecret":     {vaultRow(Made, vaultPKIShape())},
			"HCPVaultSecretsApp": {vaultRow(Fetched, vaultShape())},
		},
		refersTo: map[string]string{"SecretTransformation": vaultGroup, vaultAuth: vaultGroup,
			vaultAuthGlobal: vaultGroup, vaultConnection: vaultGroup},
	}
}

const vaultGroup = "secrets.hashicorp.com"

// The kinds that say which Vault is meant, and what the operator takes where none is named.
const (
	vaultAuth       = "VaultAuth"
	vaultAuthGlobal = "VaultAuthGlobal"
	vaultConnection = "VaultConnection"
	vaultDefault    = "default"
)

func vaultRow(versions Versionless, s shape) row {
	return row{
		group: vaultGroup, kind: secret, name: names("spec.destination.name"), parts: wholeSpec(s),
		more: transformations, merge: vaultMerge, copiedBy: fields("spec.destination.annotations"), versionless: versions,
	}
}

func vaultStatic() row {
	s := vaultShape()
	s.defaults = append(s.defaults, canonical.DefaultNumber("version", "0"))
	p := vaultRow("", s)
	p.ref = vaultRef
	return p
}

func vaultPKIShape() shape {
	s := vaultShape("revoke", "clear", "expiryOffset")
	s.defaults = append(s.defaults, canonical.DefaultFalse("excludeCNFromSans"))
	s.sets = []string{"altNames", "ipSans", "uriSans", "otherSans", "userIDs"}
	return s
}

// vaultShape leaves out what no kind takes into the Secret's content, and more.
func vaultShape(more ...string) shape {
	return shape{
		omit: append(more, "destination.name", "destination.create", "destination.overwrite", "destination.labels",
			"destination.annotations", "destination.type", "refreshAfter", "hmacSecretData", "rolloutRestartTargets",
			"syncConfig"),
		defaults: []canonical.Default{canonical.DefaultFalse("destination.transformation.excludeRaw")},
	}
}

// vaultMerge reports that the operator, unless it is to create the Secret itself, waits for one that somebody else
// produces and replaces all of its data. One that exists when it is to create it stops the operator, except with
// overwrite.
func vaultMerge(producer, _ manifest.Object) config.MergeStrategy {
	if d := producer.Node.At("spec", "destination"); d.Get("create").IsTrue() && !d.Get("overwrite").IsTrue() {
		return config.MergeIgnore
	}
	return config.MergeReplace
}

// transformations adds the SecretTransformations that an object of Vault's operator refers to, in order.
func transformations(b *builder, out *canonical.Value) {
	all := canonical.List()
	for _, ref := range out.At("spec.destination.transformation.transformationRefs").Items {
		namespace := b.producer.Namespace
		if other := ref.Get("namespace").Text; other != "" {
			namespace = other
		}
		one := canonical.Value{Shape: canonical.Map}.With("name", ref.Get("name"))
		if n := b.environment.lookup("SecretTransformation", namespace, ref.Get("name").Text); n.Valid() {
			b.out.Beyond = true
			one = one.With("spec", canonical.Read(n.Get("spec")))
		}
		all.Items = append(all.Items, one)
	}
	out.Add("transformations", all)
}

// vaultRef is what a VaultStaticSecret reads.
func vaultRef(b *builder, spec canonical.Value) sources.Ref {
	mount := spec.Get("mount").Text
	s := sources.Store{Kind: vaultAuth, Provider: "vault", Fields: map[string]string{"path": mount}}
	s.Namespace, s.Name = inNamespace(spec.Get("vaultAuthRef").Text, b.producer.Namespace)
	auth := b.environment.lookup(vaultAuth, s.Namespace, s.Name)
	setField(s, "server", b.vaultAddress(auth, s.Namespace))
	setField(s, "namespace", cmp.Or(spec.Get("namespace").Text, auth.At("spec", "namespace").StringValue()))
	if version, is := strings.CutPrefix(spec.Get("type").Text, "kv-"); is {
		s.Fields["version"] = version
	}
	if !strings.Contains(spec.Get("vaultAuthRef").Text, "/") {
		s.Namespace = b.knownNamespace(s.Namespace)
	}
	return sources.Ref{Store: s, Key: mount + "/" + spec.Get("path").Text, Version: spec.Get("version").Text}
}

// vaultAddress returns where the Vault is that a VaultAuth leads to: by its VaultConnection, that of its
// VaultAuthGlobal, or the one that is called default; "" where that is not known.
func (b *builder) vaultAddress(auth manifest.Node, namespace string) string {
	name := auth.At("spec", "vaultConnectionRef").StringValue()
	if ref := auth.At("spec", "vaultAuthGlobalRef"); name == "" && ref.IsMap() {
		in := cmp.Or(ref.Get("namespace").StringValue(), namespace)
		global := b.environment.lookup(vaultAuthGlobal, in, cmp.Or(ref.Get("name").StringValue(), vaultDefault))
		if name = global.At("spec", "vaultConnectionRef").StringValue(); name != "" {
			namespace = in
		}
	}
	if name == "" {
		namespace = "" // that of the operator, which no manifest says
	}
	in, name := inNamespace(name, namespace)
	return b.environment.lookup(vaultConnection, in, name).At("spec", "address").StringValue()
}

// inNamespace returns what a reference of the operator's kinds names, which may have a namespace of its own.
func inNamespace(ref, namespace string) (in, name string) {
	if in, name, both := strings.Cut(ref, "/"); both {
		return in, name
	}
	return namespace, cmp.Or(ref, vaultDefault)
}
