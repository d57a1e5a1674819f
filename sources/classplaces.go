package sources

import (
	"cmp"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/manifest"
)

// ProviderClass is the kind of the CSI driver's classes, and of the stores that they name places in.
const ProviderClass = "SecretProviderClass"

// classPlaces returns the place in a store that an object of a class stands for, by the class's provider; or why there is none. The places
// are a part of the contract in docs/content-v1.md. Sources: the providers' own types.
var classPlaces = map[string]func(s Store, parameters, object value) (Ref, Versionless){
	"vault": vaultPlace, "openbao": vaultPlace, "aws": awsPlace, "azure": azurePlace, "gcp": gcpPlace,
}

// placed adds to what stands for a key the versions of the places in stores that objects of the class name, in their order, where the
// user wants them asked for.
func (k *making) placed(v value, parameters, objects value) value {
	place := classPlaces[k.producer.node.At("spec", "provider").StringValue()]
	switch {
	case place == nil || len(objects.items) == 0:
		k.unversioned(Fetched)
		return v
	case !k.index.shared.ask[ProviderClass]:
		k.unversioned(Unasked)
		return v
	}
	versions := list()
	for _, o := range objects.items {
		ref, why := place(Store{Kind: ProviderClass, Namespace: k.producer.Namespace, Name: k.producer.Name, Fields: map[string]string{}}, parameters, o)
		if why != "" {
			k.unversioned(why)
			continue
		}
		named := value{shape: mapping}.with("key", text(ref.Key)).with("property", text(ref.Property))
		asked := len(named.names)
		if k.answered(&named, "", ref, manifest.Node{}); len(named.names) > asked {
			versions.items = append(versions.items, named)
		}
	}
	return v.with("versions", versions)
}

// vaultPlace takes what the provider sends: a path of Vault's API. Nothing says what is mounted there.
func vaultPlace(s Store, parameters, object value) (Ref, Versionless) {
	s.Provider, s.Fields["version"] = "vault", "v2"
	s.note("server", cmp.Or(parameters.get("vaultAddress").text, parameters.get("baoAddress").text))
	s.note("namespace", parameters.get("vaultNamespace").text)
	if method := object.get("method").text; method != "" && !strings.EqualFold(method, "GET") {
		return Ref{}, Made // a certificate, or the like
	}
	path, query, _ := strings.Cut(object.get("secretPath").text, "?")
	path = strings.TrimPrefix(strings.TrimPrefix(path, "/"), "v1/")
	asked, err := url.ParseQuery(query)
	version := asked.Get("version")
	if delete(asked, "version"); err != nil || len(asked) > 0 || path == "" || !object.get("secretArgs").void() {
		return Ref{}, Fetched
	}
	return Ref{Store: s, Key: path, Property: object.get("secretKey").text, Version: version}, ""
}

// awsPlace takes names and ARNs of two services.
func awsPlace(s Store, parameters, object value) (Ref, Versionless) {
	s.note("region", parameters.get("region").text)
	name, kind := object.get("objectName").text, object.get("objectType").text
	if parts := strings.Split(name, ":"); kind == "" && parts[0] == "arn" && len(parts) > 5 {
		kind = parts[2]
	}
	version, label := object.get("objectVersion").text, object.get("objectVersionLabel").text
	switch {
	case name == "":
		return Ref{}, Fetched
	case kind == "secretsmanager":
		s.Provider = "aws-sm"
		if version != "" {
			version = "uuid/" + version
		}
	case kind == "ssmparameter" || kind == "ssm":
		s.Provider, kind = "aws-ssm", "ssmparameter"
	default:
		return Ref{}, Fetched
	}
	return Ref{Store: s, Key: kind + "/" + name, Version: cmp.Or(version, label)}, ""
}

// azureDomains are those of Key Vault by the name of the cloud, in lower case.
var azureDomains = map[string]string{
	"": "vault.azure.net", "azurepubliccloud": "vault.azure.net", "azurecloud": "vault.azure.net", "azurechinacloud": "vault.azure.cn",
	"azureusgovernment": "vault.usgovcloudapi.net", "azureusgovernmentcloud": "vault.usgovcloudapi.net",
}

var azureName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9-]+$`) })

func azurePlace(s Store, parameters, object value) (Ref, Versionless) {
	s.Provider = "azurekv"
	vault, domain := strings.TrimSpace(parameters.get("keyvaultName").text), azureDomains[strings.ToLower(strings.TrimSpace(parameters.get("cloudName").text))]
	if domain != "" && azureName().MatchString(vault) {
		s.note("vaultUrl", "https://"+vault+"."+domain)
	}
	name, kind, version := object.get("objectName").text, object.get("objectType").text, object.get("objectVersion").text
	if version == "latest" {
		version = ""
	}
	switch kind {
	case "secret", "key", "cert":
		return Ref{Store: s, Key: kind + "/" + name, Version: version}, ""
	}
	return Ref{}, Fetched
}

var gcpName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(projects/([^/]+)/(?:locations/([^/]+)/)?secrets/[^/]+)/versions/([^/]+)$`)
})

func gcpPlace(s Store, _, object value) (Ref, Versionless) {
	m := gcpName().FindStringSubmatch(object.get("resourceName").text)
	if m == nil {
		return Ref{}, Fetched // a parameter of another service
	}
	s.Provider = "gcpsm"
	s.note("projectID", m[2])
	s.note("location", m[3])
	version := m[4]
	if version == "latest" {
		version = ""
	}
	return Ref{Store: s, Key: m[1], Version: version}, ""
}

// note sets a field that says something.
func (s Store) note(field, said string) {
	if said != "" {
		s.Fields[field] = said
	}
}
