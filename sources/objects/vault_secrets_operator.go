package objects

import (
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// HashiCorp's Vault Secrets Operator.
var vaultSecretsOperator = operator{
	rows: map[string][]row{
		"VaultStaticSecret":  {vaultStatic()},
		"VaultDynamicSecret": {vaultRow(Made, vaultShape("revoke", "renewalPercent"))},
		"VaultPKISecret":     {vaultRow(Made, vaultPKIShape())},
		"HCPVaultSecretsApp": {vaultRow(Fetched, vaultShape())},
	},
	refersTo: map[string]string{"SecretTransformation": vaultGroup},
}

const vaultGroup = "secrets.hashicorp.com"

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
	s := sources.Store{Kind: "VaultAuth", Namespace: b.known(b.producer.Namespace), Name: "default", Provider: "vault",
		Fields: map[string]string{"path": mount}}
	if named := spec.Get("vaultAuthRef").Text; named != "" {
		s.Name = named
		if namespace, name, both := strings.Cut(named, "/"); both {
			s.Namespace, s.Name = namespace, name
		}
	}
	if version, is := strings.CutPrefix(spec.Get("type").Text, "kv-"); is {
		s.Fields["version"] = version
	}
	if namespace := spec.Get("namespace").Text; namespace != "" {
		s.Fields["namespace"] = namespace
	}
	return sources.Ref{Store: s, Key: mount + "/" + spec.Get("path").Text, Version: spec.Get("version").Text}
}
