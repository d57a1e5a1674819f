package objects

import (
	"time"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
)

// externalSecrets knows the External Secrets Operator.
func externalSecrets() operator {
	return operator{
		rows: map[string][]row{
			"ExternalSecret": {{
				group: externalGroup, kind: secret, name: names("spec.target.name"), ownName: true,
				kindAt: fields("spec.target.manifest.kind"), policyAt: fields("spec.target.creationPolicy"),
				content: external("spec"), read: readExternal("spec"), merge: mergesInto("spec"),
				copiedBy: fields("spec.target.template.metadata.annotations"), refresh: fields("metadata.annotations"),
				stale: externalStale("spec"),
			}},
			"ClusterExternalSecret": {{
				group: externalGroup, kind: secret, ownName: true, anywhere: true,
				name:     names("spec.externalSecretSpec.target.name", "spec.externalSecretName"),
				kindAt:   fields("spec.externalSecretSpec.target.manifest.kind"),
				policyAt: fields("spec.externalSecretSpec.target.creationPolicy"),
				content:  external("spec", "externalSecretSpec"), read: readExternal("spec", "externalSecretSpec"),
				merge:    mergesInto("spec.externalSecretSpec"),
				copiedBy: fields("spec.externalSecretSpec.target.template.metadata.annotations"),
				refresh:  fields("spec.externalSecretMetadata.annotations"),
				stale:    externalStale("spec", "externalSecretSpec"), chooses: choosesNamespace,
			}},
		},
		refersTo: map[string]string{
			"SecretStore": externalGroup, "ClusterSecretStore": externalGroup,
			"ACRAccessToken": generators, "BeyondtrustWorkloadCredentialsDynamicSecret": generators,
			"ClusterGenerator": generators, "CloudsmithAccessToken": generators, "ECRAuthorizationToken": generators,
			"Fake": generators, "GCRAccessToken": generators, "GithubAccessToken": generators,
			"GitlabDeployToken": generators, "Grafana": generators, "MFA": generators, "Password": generators,
			"QuayAccessToken": generators, "SSHKey": generators, "STSSessionToken": generators, "UUID": generators,
			"VaultDynamicSecret": generators, "Webhook": generators,
		},
		secrets: []secretPlaces{
			{groups: externalGroup, kinds: []string{"Fake"}, places: []redact.Place{fakeData("spec", "data")}},
			{groups: externalGroup, kinds: []string{"Webhook"}, places: []redact.Place{webhookLiterals("spec")}},
			{groups: externalGroup, places: append(
				literalsAt("spec.target.template", "spec.template", "spec.externalSecretSpec.target.template"),
				fakeData("spec.provider.fake.data.*", "value", "valueMap"), webhookLiterals("spec.provider.webhook"),
				fakeData("spec.generator.fakeSpec", "data"), webhookLiterals("spec.generator.webhookSpec"), // of a ClusterGenerator
				templateLiterals("spec.target.template"), templateLiterals("spec.template"),
				templateLiterals("spec.externalSecretSpec.target.template"),
			)},
		},
	}
}

// fakeData is the place of what a fake store or generator returns.
func fakeData(at string, names ...string) redact.Place {
	return redact.Place{At: fields(at), Fields: names}
}

// templateLiterals is the place of templates that are written where they are used.
func templateLiterals(template string) redact.Place {
	return redact.Place{At: fields(template + ".templateFrom.*"), Fields: []string{"literal"}, Literals: true}
}

// webhookLiterals is the place of what a webhook is sent.
func webhookLiterals(at string) redact.Place {
	return redact.Place{At: fields(at), Fields: []string{"headers", "body"}, Literals: true}
}

// What an ExternalSecret, or the one in a ClusterExternalSecret, says of each key. The types are those of
// its API v1; v1beta1 differs in nothing that counts here.
const (
	externalGroup = "external-secrets.io"
	generators    = "generators.external-secrets.io"
)

// mergesInto reports whether the object lays its keys over what is there.
func mergesInto(path string) merge {
	return func(producer, _ manifest.Object) config.MergeStrategy {
		switch producer.Node.At(fields(path)...).At("target", "creationPolicy").StringValue() {
		case "Merge", "CreateOrMerge":
			return config.MergeOverlay
		}
		return config.MergeIgnore
	}
}

// externalStale returns why the operator does not fetch again what the spec at path says.
func externalStale(path ...string) func(manifest.Node) string {
	return func(root manifest.Node) string {
		spec := root.At(path...)
		interval, err := time.ParseDuration(spec.Get("refreshInterval").StringValue())
		switch policy := spec.Get("refreshPolicy").StringValue(); {
		case spec.At("target", "immutable").IsTrue():
			return "target.immutable is set: what has been fetched once never changes"
		case policy == "CreatedOnce":
			return "refreshPolicy is CreatedOnce: nothing is fetched a second time"
		case policy != "OnChange" && err == nil && interval <= 0:
			return "refreshInterval is 0: nothing is fetched a second time"
		}
		return ""
	}
}

// choosesNamespace reports whether a ClusterExternalSecret names the namespace or has a selector for it; without either
// it says nothing.
func choosesNamespace(root manifest.Node, _ target, namespace string, labels labelSet) bool {
	spec := root.Get("spec")
	named, one, several := spec.Get("namespaces"), spec.Get("namespaceSelector"), spec.Get("namespaceSelectors")
	if named.Len() == 0 && !one.IsMap() && several.Len() == 0 {
		return true
	}
	for n := range named.Items() {
		if n.StringValue() == namespace {
			return true
		}
	}
	for s := range several.Items() {
		if selects(s, labels) {
			return true
		}
	}
	return one.IsMap() && selects(one, labels)
}
