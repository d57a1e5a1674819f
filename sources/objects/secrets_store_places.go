package objects

import (
	"cmp"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// classPlaces returns the place in a store that an object of a class names, by the class's provider; or why there
// is none. The places are a part of the contract in docs/content-v1.md. Sources: the providers' own types.
var classPlaces = map[string]func(s sources.Store, parameters, object canonical.Value) (sources.Ref, Versionless){
	"vault": vaultPlace, "openbao": vaultPlace, "aws": awsPlace, "azure": azurePlace, "gcp": gcpPlace,
}

// placed adds to the stand-in of a key the versions of the places in stores that objects of the class name, in their
// order, where the user wants them asked for.
func (k *making) placed(v canonical.Value, parameters, objects canonical.Value) canonical.Value {
	place := classPlaces[k.producer.node.At("spec", "provider").StringValue()]
	switch {
	case place == nil || len(objects.Items) == 0:
		k.unversioned(Fetched)
		return v
	case !k.index.shared.ask[sources.ProviderClass]:
		k.unversioned(Unasked)
		return v
	}
	versions := canonical.List()
	for _, o := range objects.Items {
		ref, why := place(sources.Store{Kind: sources.ProviderClass, Namespace: k.producer.Namespace, Name: k.producer.Name, Fields: map[string]string{}}, parameters, o)
		if why != "" {
			k.unversioned(why)
			continue
		}
		named := canonical.Value{Shape: canonical.Map}.With("key", canonical.String(ref.Key)).With("property", canonical.String(ref.Property))
		asked := len(named.Names)
		if k.answered(&named, "", ref, manifest.Node{}); len(named.Names) > asked {
			versions.Items = append(versions.Items, named)
		}
	}
	return v.With("versions", versions)
}

// vaultPlace takes what the provider sends: a path of Vault's API. Nothing says what is mounted there.
func vaultPlace(s sources.Store, parameters, object canonical.Value) (sources.Ref, Versionless) {
	s.Provider, s.Fields["version"] = "vault", "v2"
	note(s, "server", cmp.Or(parameters.Get("vaultAddress").Text, parameters.Get("baoAddress").Text))
	note(s, "namespace", parameters.Get("vaultNamespace").Text)
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
	note(s, "region", parameters.Get("region").Text)
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
	"": "vault.azure.net", "azurepubliccloud": "vault.azure.net", "azurecloud": "vault.azure.net", "azurechinacloud": "vault.azure.cn",
	"azureusgovernment": "vault.usgovcloudapi.net", "azureusgovernmentcloud": "vault.usgovcloudapi.net",
}

var azureName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9-]+$`) })

func azurePlace(s sources.Store, parameters, object canonical.Value) (sources.Ref, Versionless) {
	s.Provider = "azurekv"
	vault, domain := strings.TrimSpace(parameters.Get("keyvaultName").Text), azureDomains[strings.ToLower(strings.TrimSpace(parameters.Get("cloudName").Text))]
	if domain != "" && azureName().MatchString(vault) {
		note(s, "vaultUrl", "https://"+vault+"."+domain)
	}
	name, kind, version := object.Get("objectName").Text, object.Get("objectType").Text, object.Get("objectVersion").Text
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
	note(s, "projectID", m[2])
	note(s, "location", m[3])
	version := m[4]
	if version == "latest" {
		version = ""
	}
	return sources.Ref{Store: s, Key: m[1], Version: version}, ""
}

// note sets a field that says something.
func note(s sources.Store, field, said string) {
	if said != "" {
		s.Fields[field] = said
	}
}
