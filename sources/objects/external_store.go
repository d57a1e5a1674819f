package objects

import (
	"maps"
	"slices"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/canonical"
)

// storeOf returns a store of External Secrets as it counts, and with what its object says, where that is known.
func (b *builder) storeOf(ref manifest.Node) (canonical.Value, sources.Store) {
	s := sources.Store{Kind: "SecretStore", Name: ref.Get("name").StringValue()}
	if kind := ref.Get("kind").StringValue(); kind != "" {
		s.Kind = kind
	}
	out := b.reader.Mapping(2)
	if s.Kind == "SecretStore" {
		s.Namespace = b.producer.Namespace
	} else {
		out.Add("kind", canonical.String(s.Kind))
	}
	out.Add("name", canonical.String(s.Name))
	s.Provider, s.Fields = describeStore(b.environment.lookup(s.Kind, s.Namespace, s.Name))
	s.Namespace = b.knownNamespace(s.Namespace)
	if b.environment.options().CountAddresses && len(s.Fields) > 0 {
		where := canonical.Value{Shape: canonical.Map}
		for _, field := range slices.Sorted(maps.Keys(s.Fields)) {
			where = where.With(field, canonical.String(s.Fields[field]))
		}
		out = out.With("address", where)
	}
	return out.Encode(), s
}

// describeStore returns the provider of a store and what its object says of where it is.
func describeStore(object manifest.Node) (provider string, fields map[string]string) {
	if !object.Valid() {
		return "", nil
	}
	spec := object.At("spec", "provider")
	for f := spec.Fields(); f.Next(); {
		provider = f.Key.Text()
		fields = map[string]string{}
		addAddress(fields, "", canonical.Read(f.Value))
	}
	if provider == "aws" {
		switch fields["service"] {
		case "ParameterStore":
			provider = "aws-ssm"
		case "CertificateManager":
			provider = "aws-acm"
		default:
			provider = "aws-sm"
		}
	}
	return provider, fields
}

// addAddress adds the fields of a store by dotted path, but for how to log in there.
func addAddress(to map[string]string, prefix string, v canonical.Value) {
	for i, field := range v.Names {
		switch item := v.Items[i]; {
		case field == "auth" || field == "caBundle" || field == "caProvider":
		case item.Shape == canonical.Map:
			addAddress(to, prefix+field+".", item)
		default:
			to[prefix+field] = item.JSON()
		}
	}
}
