package objects

import (
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
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

// SetAnswers sets what a lock or stores say of what RemoteRefs lists. From then on contents hold versions.
func (x *Index) SetAnswers(answers *sources.Answers) {
	x.shared.answers = answers
}
