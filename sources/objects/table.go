package objects

import (
	"maps"
	"slices"
	"sync"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
)

// table is what is known of all operators. A new operator is a file and its line here. Sources: the operators' own API
// types.
var table = sync.OnceValue(func() operator {
	return join(
		externalSecrets(),
		kubernetesExternalSecrets(),
		sealedSecrets(),
		sopsOperators(),
		secretsStoreDriver(),
		certManager(),
		vaultSecretsOperator(),
		vaultOperators(),
		onePassword(),
		strimzi(),
		objectBuckets(),
		doppler(),
		infisical(),
		bitwarden(),
		azureKeyVault(),
		mittwald(),
		cloudNativePG(),
		crunchy(),
		zalando(),
		rabbitMQ(),
		elastic(),
		crossplane(),
		openShift(),
		pushSecrets(),
		kyverno())
})

// join returns the rows of all operators by kind, and what these refer to.
func join(operators ...operator) operator {
	out := operator{rows: map[string][]row{}, refersTo: map[string]string{}}
	for _, o := range operators {
		for kind, rows := range o.rows {
			out.rows[kind] = slices.Concat(out.rows[kind], rows)
		}
		maps.Copy(out.refersTo, o.refersTo)
		out.secrets = append(out.secrets, o.secrets...)
	}
	return out
}

// Refresh returns the path, from an object that is in no index, of annotations whose change makes its operator fetch
// again; nil where there are none.
func Refresh(o manifest.Object) []string {
	rows := table().rows[o.Kind]
	for i := range rows {
		if r := &rows[i]; r.refresh != nil && r.fits(o) {
			return r.refresh
		}
	}
	return nil
}

// SecretPlaces returns where an object of a kind holds values that are secrets in its own manifest.
func SecretPlaces(group, kind string) []redact.Place {
	for i := range table().secrets {
		if p := &table().secrets[i]; p.of(group, kind) {
			return p.places
		}
	}
	return nil
}

// builtInRows returns the built-in rows for an object: those for its kind, else those for any.
func builtInRows(o manifest.Object) []row {
	rows, known := table().rows[o.Kind]
	if !known {
		rows = table().rows[anyKind]
	}
	for i := range rows {
		if has := rows[i].has; has == nil || has(o) {
			return rows
		}
	}
	return nil
}
