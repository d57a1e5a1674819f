package objects

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/config"
)

// specs are the fields of spec by API version and kind, a field a word. Braces have the fields of a mapping, or of the
// items of a list; what stands below other fields is not looked at.
var specs = map[string]string{
	KustomizeGroup + "/v1 Kustomization": `buildMetadata components deletionPolicy force ignoreMissingComponents interval
		namePrefix nameSuffix path prune retryInterval serviceAccountName suspend targetNamespace timeout wait
		commonMetadata { annotations labels }
		decryption { provider serviceAccountName secretRef { name } }
		dependsOn { name namespace readyExpr }
		healthCheckExprs { apiVersion kind current failed inProgress }
		healthChecks { apiVersion kind name namespace }
		ignore { paths target ` + selectorFields + ` }
		images { name newName newTag digest }
		kubeConfig { configMapRef { name } secretRef { name key } }
		patches { patch target ` + selectorFields + ` }
		postBuild { substitute substituteStrategy substituteFrom { kind name optional } }
		sourceRef { apiVersion kind name namespace }`,
	HelmGroup + "/v2 HelmRelease": `interval maxHistory persistentClient postRenderStrategy releaseName
		serviceAccountName storageNamespace suspend targetNamespace timeout values
		chart { metadata { annotations labels } spec { chart ignoreMissingValuesFiles interval reconcileStrategy
			valuesFiles version sourceRef { apiVersion kind name namespace } verify { provider secretRef { name } } } }
		chartRef { apiVersion kind name namespace }
		commonMetadata { annotations labels }
		dependsOn { name namespace readyExpr }
		driftDetection { mode ignore { paths target ` + selectorFields + ` } }
		healthCheckExprs { apiVersion kind current failed inProgress }
		install { crds createNamespace replace skipCRDs ` + actionFields + `
			remediation { ignoreTestFailures remediateLastFailure retries } strategy { name retryInterval } }
		kubeConfig { configMapRef { name } secretRef { name key } }
		postRenderers { kustomize { images { name newName newTag digest } patches { patch target ` + selectorFields + ` } } }
		rollback { cleanupOnFail force recreate ` + actionFields + ` }
		test { enable ignoreFailures timeout filters { name exclude } }
		uninstall { deletionPropagation disableHooks disableWait keepHistory timeout }
		upgrade { chartNameChangeStrategy cleanupOnFail crds force preserveValues ` + actionFields + `
			remediation { ignoreTestFailures remediateLastFailure retries strategy } strategy { name retryInterval } }
		valuesFrom { kind name valuesKey targetPath optional literal }
		waitStrategy { name }`,
}

const (
	selectorFields = "{ group version kind name namespace labelSelector annotationSelector }"
	actionFields   = `disableHooks disableOpenAPIValidation disableSchemaValidation disableTakeOwnership disableWait
		disableWaitForJobs serverSideApply timeout`
)

// schema is the fields of a mapping; nil where any may be.
type schema map[string]schema

// schemas are specs, read when first asked for.
var schemas = sync.OnceValue(func() map[string]schema {
	out := map[string]schema{}
	for kind, text := range specs {
		words := strings.Fields(text)
		out[kind] = readSchema(&words)
	}
	return out
})

// readSchema takes the words up to a brace that closes what was opened before.
func readSchema(words *[]string) schema {
	out, last := schema{}, ""
	for len(*words) > 0 {
		word := (*words)[0]
		*words = (*words)[1:]
		switch word {
		case "{":
			out[last] = readSchema(words)
		case "}":
			return out
		default:
			out[word], last = nil, word
		}
	}
	return out
}

// UnknownFields returns the paths of fields in spec that the kind does not have, sorted, each with the field that is
// probably meant behind it. It looks at the current version of the API only.
func (m Meta) UnknownFields() []string {
	version, _ := m.fields["apiVersion"].(string)
	known := schemas()[version+" "+m.Kind]
	if known == nil {
		return nil
	}
	return known.unknown(m.fields["spec"], "spec", nil)
}

// versions are those of the API groups that Flux has or had, the current one first. The controllers of Flux 2.9 serve
// no other.
var versions = map[string][]string{
	KustomizeGroup: {"v1", "v1beta2", "v1beta1"},
	HelmGroup:      {"v2", "v2beta2", "v2beta1"},
	SourceGroup:    {"v1", "v1beta2", "v1beta1"},
}

// OtherVersion returns what is wrong with the apiVersion of an object where it is not the current one; "" else.
func (m Meta) OtherVersion() string {
	is, _ := m.fields["apiVersion"].(string)
	group, short, _ := strings.Cut(is, "/")
	all := versions[group]
	if len(all) == 0 || short == all[0] {
		return ""
	}
	which := "Flux does not have"
	if slices.Contains(all, short) {
		which = "Flux no longer serves (2.9)"
	}
	return fmt.Sprintf("its apiVersion is %s, which %s: a cluster refuses it; the current one is %s/%s",
		is, which, group, all[0])
}

// unknown adds the fields below a value that are not known.
func (s schema) unknown(v any, path string, out []string) []string {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			below, has := s[name]
			switch {
			case !has:
				out = append(out, path+"."+name+s.meant(name))
			case below != nil:
				out = below.unknown(v[name], path+"."+name, out)
			}
		}
	case []any:
		for i, item := range v {
			out = s.unknown(item, fmt.Sprintf("%s[%d]", path, i), out)
		}
	}
	return out
}

// meant returns the field that a name is nearest to, as the end of a sentence; "" where none is near.
func (s schema) meant(name string) string {
	const near = 2 // letters
	best := config.Nearest(name, slices.Sorted(maps.Keys(s)), min(near+1, len(name)))
	if best == "" {
		return ""
	}
	return " in place of " + best
}
