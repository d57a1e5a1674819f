package objects

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// secretsStoreDriver knows the CSI driver for secret stores: what a SecretProviderClass mounts, and the Secrets that it
// produces with it.
func secretsStoreDriver() operator {
	return operator{rows: map[string][]row{
		sources.ProviderClass: {
			{kind: secret, name: names("spec.secretObjects[*].secretName"), content: classSecret},
			{kind: sources.ProviderClass, content: classVolume},
		},
	}}
}

// classVolume builds what a volume of the class holds: files that are not known.
func classVolume(b *builder) {
	b.put(Anything, canonical.ClassSpec, func() canonical.Value {
		spec := b.producer.node.Get("spec")
		p := b.parameters()
		v := canonical.Value{Shape: canonical.Map}.With("provider", canonical.Read(spec.Get("provider"))).
			With("parameters", p)
		return b.withVersions(v, p, objectsOf(p))
	})
}

// parameters are the class's, with their lists of objects, which are texts of YAML, as lists.
func (b *builder) parameters() canonical.Value {
	p := new(canonical.Reader).Read(b.producer.node.At("spec", "parameters"), canonical.UserKeys, nil)
	for _, name := range []string{"objects", "secrets"} {
		p = p.Set(name, canonical.ParseEmbedded(p.Get(name)))
	}
	return p
}

// classSecret builds the keys of the secretObjects of the name that is produced.
func classSecret(b *builder) {
	spec := b.producer.node.Get("spec")
	for object := range spec.Get("secretObjects").Items() {
		if object.Get("secretName").StringValue() != b.target.name {
			continue
		}
		for d := range object.Get("data").Items() {
			objectName := d.Get("objectName").StringValue()
			b.put(d.Get("key").StringValue(), canonical.ClassSpec, func() canonical.Value {
				p := b.parameters()
				objects := itemsByName(objectsOf(p), objectName)
				p = p.Set("objects", canonical.Value{}).Set("secrets", canonical.Value{})
				v := canonical.Value{Shape: canonical.Map}.With("provider", canonical.Read(spec.Get("provider"))).
					With("objectName", canonical.String(objectName)).With("parameters", p).With("objects", objects)
				return b.withVersions(v, p, objects)
			})
		}
	}
}

// objectsOf returns the list of objects, which providers keep in different places.
func objectsOf(parameters canonical.Value) canonical.Value {
	for _, path := range []string{"objects", "objects.array", "secrets"} {
		if at := parameters.At(path); at.Shape == canonical.Sequence {
			return at
		}
	}
	return canonical.Value{}
}

// nameFields are the fields of an object that a name can mean.
var nameFields = []string{"objectName", "objectAlias", "fileName", "path"}

// itemsByName returns the items that an object's name can mean, or all where there is none.
func itemsByName(objects canonical.Value, name string) canonical.Value {
	hits := canonical.List()
	for _, item := range objects.Items {
		if slices.ContainsFunc(nameFields, func(field string) bool { return item.Get(field).Text == name }) {
			hits.Items = append(hits.Items, item)
		}
	}
	if len(hits.Items) == 0 {
		return objects
	}
	return hits
}

// classPlaces returns the place in a store that an object of a class names, by the class's provider; or why there
// is none. The places are a part of the contract in docs/content-v1.md. Sources: the providers' own types.
var classPlaces = map[string]func(s sources.Store, parameters, object canonical.Value) (sources.Ref, Versionless){
	"vault": vaultPlace, "openbao": vaultPlace, "aws": awsPlace, "azure": azurePlace, "gcp": gcpPlace,
}

// withVersions adds to the stand-in of a key the versions of the places in stores that objects of the class name, in
// their order, where the user wants them asked for.
func (b *builder) withVersions(v canonical.Value, parameters, objects canonical.Value) canonical.Value {
	place := classPlaces[b.producer.node.At("spec", "provider").StringValue()]
	switch {
	case place == nil || len(objects.Items) == 0:
		b.addUnversioned(Fetched)
		return v
	case !b.environment.options().asksFor(sources.ProviderClass):
		b.addUnversioned(Unasked)
		return v
	}
	versions := canonical.List()
	for _, o := range objects.Items {
		store := sources.Store{
			Kind:      sources.ProviderClass,
			Namespace: b.knownNamespace(b.producer.Namespace),
			Name:      b.producer.Name,
			Fields:    map[string]string{},
		}
		ref, why := place(store, parameters, o)
		if why != "" {
			b.addUnversioned(why)
			continue
		}
		named := canonical.Value{Shape: canonical.Map}.With("key", canonical.String(ref.Key)).
			With("property", canonical.String(ref.Property))
		fields := len(named.Names)
		if b.addRef(&named, "", ref, manifest.Node{}); len(named.Names) > fields {
			versions.Items = append(versions.Items, named)
		}
	}
	return v.With("versions", versions)
}

// vaultPlace takes what the provider sends: a path of Vault's API. Nothing says what is mounted there.
func vaultPlace(s sources.Store, parameters, object canonical.Value) (sources.Ref, Versionless) {
	s.Provider, s.Fields["version"] = "vault", "v2"
	setField(s, "server", cmp.Or(parameters.Get("vaultAddress").Text, parameters.Get("baoAddress").Text))
	setField(s, "namespace", parameters.Get("vaultNamespace").Text)
	if method := object.Get("method").Text; method != "" && !strings.EqualFold(method, "GET") {
		return sources.Ref{}, Made // a certificate, or the like
	}
	path, query, _ := strings.Cut(object.Get("secretPath").Text, "?")
	path = strings.TrimPrefix(strings.TrimPrefix(path, "/"), "v1/")
	asked, err := url.ParseQuery(query)
	version := asked.Get("version")
	if delete(asked, "version"); err != nil || len(asked) > 0 || path == "" || !object.Get("secretArgs").IsVoid() {
		return sources.Ref{}, Fetched
	}
	return sources.Ref{Store: s, Key: path, Property: object.Get("secretKey").Text, Version: version}, ""
}

// awsPlace takes names and ARNs of two services.
func awsPlace(s sources.Store, parameters, object canonical.Value) (sources.Ref, Versionless) {
	setField(s, "region", parameters.Get("region").Text)
	name, kind := object.Get("objectName").Text, object.Get("objectType").Text
	if parts := strings.Split(name, ":"); kind == "" && parts[0] == "arn" && len(parts) > 5 {
		kind = parts[2]
	}
	version, label := object.Get("objectVersion").Text, object.Get("objectVersionLabel").Text
	switch {
	case name == "":
		return sources.Ref{}, Fetched
	case kind == "secretsmanager":
		s.Provider = "aws-sm"
		if version != "" {
			version = "uuid/" + version
		}
	case kind == "ssmparameter" || kind == "ssm":
		s.Provider, kind = "aws-ssm", "ssmparameter"
	default:
		return sources.Ref{}, Fetched
	}
	return sources.Ref{Store: s, Key: kind + "/" + name, Version: cmp.Or(version, label)}, ""
}

// azureDomains are those of Key Vault by the name of the cloud, in lower case.
var azureDomains = map[string]string{
	"": "vault.azure.net", "azurepubliccloud": "vault.azure.net", "azurecloud": "vault.azure.net",
	"azurechinacloud":   "vault.azure.cn",
	"azureusgovernment": "vault.usgovcloudapi.net", "azureusgovernmentcloud": "vault.usgovcloudapi.net",
}

var azureName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9-]+$`) })

func azurePlace(s sources.Store, parameters, object canonical.Value) (sources.Ref, Versionless) {
	s.Provider = "azurekv"
	vault := strings.TrimSpace(parameters.Get("keyvaultName").Text)
	domain := azureDomains[strings.ToLower(strings.TrimSpace(parameters.Get("cloudName").Text))]
	if domain != "" && azureName().MatchString(vault) {
		setField(s, "vaultUrl", "https://"+vault+"."+domain)
	}
	name, kind := object.Get("objectName").Text, object.Get("objectType").Text
	version := object.Get("objectVersion").Text
	if version == "latest" {
		version = ""
	}
	switch kind {
	case "secret", "key", "cert":
		return sources.Ref{Store: s, Key: kind + "/" + name, Version: version}, ""
	}
	return sources.Ref{}, Fetched
}

var gcpName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(projects/([^/]+)/(?:locations/([^/]+)/)?secrets/[^/]+)/versions/([^/]+)$`)
})

func gcpPlace(s sources.Store, _, object canonical.Value) (sources.Ref, Versionless) {
	m := gcpName().FindStringSubmatch(object.Get("resourceName").Text)
	if m == nil {
		return sources.Ref{}, Fetched // a parameter of another service
	}
	s.Provider = "gcpsm"
	setField(s, "projectID", m[2])
	setField(s, "location", m[3])
	version := m[4]
	if version == "latest" {
		version = ""
	}
	return sources.Ref{Store: s, Key: m[1], Version: version}, ""
}

// setField sets a field of a store that has a value.
func setField(s sources.Store, field, value string) {
	if value != "" {
		s.Fields[field] = value
	}
}
