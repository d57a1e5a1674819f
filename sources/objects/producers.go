package objects

import (
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// producer is a row of the table of kinds that make a Secret or ConfigMap in the cluster: what is made, and what of the object shapes
// the content. The latter is a part of the contract in docs/content-v1.md.
type row struct {
	group    string     // the API group, or its end behind a dot; "" for any
	except   string     // a group of any that has a row of its own
	kind     string     // of what is made
	name     [][]string // paths of the name, the first that is there counts; "[]" behind a list; none: the producer's own name
	fallback bool       // where no path is there, the producer's own name
	space    string     // the field beside the name that holds the namespace; "" for the producer's own
	anywhere bool       // it makes copies in several namespaces
	kindAt   []string   // path of the kind that is made, where it is not kind
	policyAt []string   // path of a policy that may say "None": nothing is made then
	level    int        // the level of coverage that added the row; 0 is the first

	// What shapes the content: where content is nil, the spec under "*", less what is omitted and what is at its default.
	content  func(*making)
	omit     []string            // paths below spec
	defaults []canonical.Default // the same
	sets     []string            // lists below spec whose order says nothing
	ref      func(*making, canonical.Value) sources.Ref
	more     func(*making, *canonical.Value)              // adds fields to the content, by what is in its spec
	joins    func(producer, own manifest.Object) strategy // how it joins an object of that name in the input; nil for ignore
	copiedBy []string                                     // path of the annotations that what is made gets
	refresh  []string                                     // path of annotations whose change makes the operator fetch anew; nil where none does
	problems func(*problems, manifest.Node)               // what the operator would refuse; nil where nothing is checked
	// Why nobody can be asked for a version of all that it makes; "" where somebody can, or all of it lies in Git.
	versionless Versionless

	rule   *config.ProducerRule
	ruleAt int // which of the configuration's
}

// strategy is how what is made joins a ConfigMap or Secret of that name in the input.
type strategy uint8

const (
	ignore  strategy = iota // not at all: the one in the input counts
	overlay                 // its keys are laid over those in the input
	fill                    // the same, and what is empty in the input is as if it were not there
	replace                 // its keys take the place of all in the input
)

const (
	secret    = "Secret"
	configMap = "ConfigMap"
)

// at splits paths.
func at(paths ...string) (out [][]string) {
	for _, p := range paths {
		out = append(out, fields(p))
	}
	return out
}

// vaultOmits is what no kind of Vault's operator takes into the Secret's content.
var vaultOmits = []string{"destination.name", "destination.create", "destination.overwrite", "destination.labels", "destination.annotations",
	"destination.type", "refreshAfter", "hmacSecretData", "rolloutRestartTargets", "syncConfig"}

func vault(defaults []canonical.Default, more ...string) row {
	return row{group: "secrets.hashicorp.com", kind: secret, name: at("spec.destination.name"), omit: append(more, vaultOmits...), more: transformations, joins: vaultJoins, copiedBy: fields("spec.destination.annotations"),
		defaults: append(defaults, canonical.DefaultFalse("destination.transformation.excludeRaw"))}
}

// vaultJoins reports that the operator, unless it is to create the Secret itself, waits for one that somebody else makes and replaces all
// of its data. One that is there when it is to create it stops the operator, but with overwrite.
func vaultJoins(producer, _ manifest.Object) strategy {
	if d := producer.Node.At("spec", "destination"); d.Get("create").IsTrue() && !d.Get("overwrite").IsTrue() {
		return ignore
	}
	return replace
}

// without says why what a row makes has no version.
func without(versions Versionless, p row) row {
	p.versionless = versions
	return p
}

func vaultStatic() row {
	p := vault([]canonical.Default{canonical.DefaultNumber("version", "0")})
	p.ref = vaultRef
	return p
}

func vaultPKI() row {
	p := vault([]canonical.Default{canonical.DefaultFalse("excludeCNFromSans")}, "revoke", "clear", "expiryOffset")
	p.sets = []string{"altNames", "ipSans", "uriSans", "otherSans", "userIDs"}
	return p
}

// The groups of operators that call what they have as others do, and mean something else.
const (
	redhatGroup   = "redhatcop.redhat.io"
	lerentisGroup = "lerentis.uploadfilter24.eu"
)

const infisicalMaps = "managedKubeConfigMapReferences[]."

// infisicalOmits is what names the Secret, below the fields that do, and more.
func infisicalOmits(more ...string) []string {
	out := append(more, "resyncInterval")
	for _, at := range []string{"managedSecretReference.", "managedKubeSecretReferences[]."} {
		out = append(out, at+"secretName", at+"secretNamespace", at+"secretType", at+"creationPolicy")
	}
	return out
}

// table holds the rows by kind. Sources: the operators' own API types.
var table = map[string][]row{
	"ExternalSecret": {
		{group: externalGroup, kind: secret, name: at("spec.target.name"), fallback: true, kindAt: fields("spec.target.manifest.kind"),
			policyAt: fields("spec.target.creationPolicy"), content: external("spec"), problems: externalProblems("spec"), joins: mergesInto("spec"), copiedBy: fields("spec.target.template.metadata.annotations"), refresh: []string{"metadata", "annotations"}},
		{group: "kubernetes-client.io", kind: secret, versionless: Fetched},
	},
	"ClusterExternalSecret": {{group: externalGroup, kind: secret, name: at("spec.externalSecretSpec.target.name", "spec.externalSecretName"),
		fallback: true, anywhere: true, kindAt: fields("spec.externalSecretSpec.target.manifest.kind"),
		policyAt: fields("spec.externalSecretSpec.target.creationPolicy"), content: external("spec", "externalSecretSpec"), problems: externalProblems("spec", "externalSecretSpec"), joins: mergesInto("spec.externalSecretSpec"), copiedBy: fields("spec.externalSecretSpec.target.template.metadata.annotations"), refresh: []string{"spec", "externalSecretMetadata", "annotations"}}},
	"SealedSecret":        {{group: "bitnami.com", kind: secret, content: sealed, problems: sealedProblems, joins: sealedJoins, copiedBy: fields("spec.template.metadata.annotations")}},
	sources.ProviderClass: {{kind: secret, name: at("spec.secretObjects[].secretName"), content: classSecret}, {kind: sources.ProviderClass, content: classVolume}},
	"Certificate": {{group: "cert-manager.io", kind: secret, name: at("spec.secretName"), versionless: Made, copiedBy: fields("spec.secretTemplate.annotations"),
		omit: []string{"secretName", "secretTemplate", "renewBefore", "renewBeforePercentage", "renewal", "revisionHistoryLimit", "privateKey.rotationPolicy"},
		defaults: []canonical.Default{canonical.DefaultFalse("isCA"), canonical.DefaultString("duration", "2160h"), canonical.DefaultString("duration", "2160h0m0s"), canonical.DefaultTrue("encodeUsagesInRequest"), canonical.DefaultString("issuerRef.kind", "Issuer"),
			canonical.DefaultString("issuerRef.group", "cert-manager.io"), canonical.DefaultString("privateKey.algorithm", "RSA"), canonical.DefaultString("privateKey.encoding", "PKCS1")},
		sets:  []string{"dnsNames", "ipAddresses", "uris", "emailAddresses", "usages"},
		joins: func(_, _ manifest.Object) strategy { return fill }}},
	"VaultStaticSecret":  {vaultStatic()},
	"VaultDynamicSecret": {without(Made, vault(nil, "revoke", "renewalPercent"))},
	"VaultPKISecret":     {without(Made, vaultPKI())},
	"HCPVaultSecretsApp": {without(Fetched, vault(nil))},
	"VaultSecret": {
		{kind: secret, except: redhatGroup, versionless: Fetched},
		{group: redhatGroup, kind: secret, versionless: Fetched, name: at("spec.output.name")},
	},
	"OnePasswordItem":   {{kind: secret, versionless: Fetched}},
	"KafkaUser":         {{kind: secret, versionless: Made}},
	"ObjectBucketClaim": {{kind: secret, versionless: Made}, {kind: configMap, versionless: Made}},
	"DopplerSecret": {{kind: secret, versionless: Fetched, name: at("spec.managedSecret.name"), space: "namespace", omit: []string{"managedSecret", "resyncSeconds",
		"expirationSeconds", "verifyTLS"}, defaults: []canonical.Default{canonical.DefaultString("host", "https://api.doppler.com")}, sets: []string{"secrets"}}},
	"InfisicalSecret": {
		{kind: secret, versionless: Fetched, name: at("spec.managedSecretReference.secretName"), space: "secretNamespace", omit: infisicalOmits()},
		{kind: secret, versionless: Fetched, name: at("spec.managedKubeSecretReferences[].secretName"), space: "secretNamespace", omit: infisicalOmits()},
		{kind: configMap, versionless: Fetched, name: at("spec.managedKubeConfigMapReferences[].configMapName"), space: "configMapNamespace",
			omit: infisicalOmits(infisicalMaps+"configMapName", infisicalMaps+"configMapNamespace", infisicalMaps+"creationPolicy")},
	},
	"InfisicalDynamicSecret": {{group: "secrets.infisical.com", kind: secret, versionless: Made, name: at("spec.managedSecretReference.secretName"), space: "secretNamespace",
		omit: infisicalOmits("leaseRevocationPolicy", "leaseTTL")}},
	"BitwardenSecret": {
		{kind: secret, except: lerentisGroup, versionless: Fetched, name: at("spec.secretName"), omit: []string{"secretName"},
			defaults: []canonical.Default{canonical.DefaultTrue("onlyMappedSecrets"), canonical.DefaultFalse("useSecretNames")}, sets: []string{"map"}},
		{group: lerentisGroup, kind: secret, versionless: Fetched, name: at("spec.name"), space: "namespace",
			omit: []string{"name", "namespace", "secretType", "labels", "annotations"}, sets: []string{"content"}},
	},
	"SopsSecret": {
		{kind: secret, name: at("spec.secretTemplates[].name"), content: sopsTemplates("secretTemplates")},
		{group: "addons.projectcapsule.dev", kind: secret, name: at("spec.secrets[].name"), content: sopsTemplates("secrets")},
	},
	"Bundle": {
		{group: "trust.cert-manager.io", kind: configMap, anywhere: true, kindAt: fields("spec.target.configMap")},
		{group: "trust.cert-manager.io", kind: secret, anywhere: true, kindAt: fields("spec.target.secret")},
	},
}

// rowsFor returns the rows for a kind: those of the configuration before the built-in ones, which they replace for their group.
func (x *Index) rowsFor(o manifest.Object) []row {
	rows := table[o.Kind]
	if len(x.rules) == 0 {
		return rows
	}
	var out []row
	for i := range x.rules {
		if r := &x.rules[i]; string(r.Kind) == o.Kind && r.Group == o.Group() {
			out = append(out, row{group: r.Group, kind: string(r.Makes), rule: r, ruleAt: i, content: byRule})
		}
	}
	if out != nil {
		return out
	}
	return rows
}

// makes reports whether the object is the row's.
func (p *row) makes(o manifest.Object) bool {
	g := o.Group()
	return p.group == "" && (p.except == "" || g != p.except) || p.group != "" && (g == p.group || strings.HasSuffix(g, "."+p.group))
}

// names calls visit with each object that o makes.
func (p *row) names(o manifest.Object, visit func(kind, name, namespace string)) {
	if p.rule != nil {
		ruleNames(o, p.rule, visit)
		return
	}
	if p.policyAt != nil && o.Node.At(p.policyAt...).StringValue() == "None" {
		return
	}
	kind := p.kind
	if p.kindAt != nil {
		at := o.Node.At(p.kindAt...)
		switch {
		case at.IsMap(): // a Bundle's target
		case at.StringValue() != "":
			kind = at.StringValue()
		case p.name == nil:
			return
		}
	}
	found := false
	for _, steps := range p.name {
		if found {
			break
		}
		last := len(steps) - 1
		follow(o.Node, steps[:last], func(n manifest.Node) {
			if name := n.Get(steps[last]).StringValue(); name != "" {
				found = true
				visit(kind, name, n.Get(p.space).StringValue())
			}
		})
	}
	if !found && (p.name == nil || p.fallback) && o.Node.At("metadata", "name").StringValue() != "" { // what is generated nobody knows
		visit(kind, o.Name, "")
	}
}

// follow calls visit with every place that the path leads to.
func follow(n manifest.Node, path []string, visit func(manifest.Node)) {
	if !n.Valid() {
		return
	}
	if len(path) == 0 {
		visit(n)
		return
	}
	name, list := strings.CutSuffix(path[0], "[]")
	n = n.Get(name)
	if !list {
		follow(n, path[1:], visit)
		return
	}
	for it := range n.Items() {
		follow(it, path[1:], visit)
	}
}
