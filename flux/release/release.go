// Package release turns a HelmRelease of Flux into what the Helm engine renders and what changes that render
// afterwards, as helm-controller 1.6 does it.
package release

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
)

// Chart is the chart of a release, with the version and values that source-controller writes into it.
type Chart struct {
	Files   files.System // where Path is read
	Path    string       // its folder or archive
	Version string       // as templates see it, with "+" and a digest where Flux adds that
	// Unknown is what Flux adds to the version and is not known here, as messages name it; "" where there is none.
	Unknown string

	Identity string   // what the chart is besides its files: another chart, version or list of values files has another
	Inputs   []string // the files that were read to amend it, absolute
	Probed   []string // values files that are not there, and need not be, absolute
}

// Values are what one entry of spec.valuesFrom refers to.
type Values struct {
	Index      int            // of the entry
	Text       []byte         // of the ConfigMap's or Secret's key
	TargetPath string         // "" merges Text as YAML
	Literal    bool           // Text is one string, whatever it contains
	Secrecy    redact.Secrecy // of what is never shown, because it comes from a Secret
	From       string         // the object and key, for messages
}

// Release is a HelmRelease, ready to be rendered.
type Release struct {
	Request    render.Request
	Transforms []render.Transform // what helm-controller does with the render
}

// Request returns what the Helm engine renders for a HelmRelease, and what changes its render afterwards. Values has
// the entries of spec.valuesFrom in their order, without optional ones that are not there. Of the base, everything
// counts that a HelmRelease does not say, such as the version of Kubernetes; its IsUpgrade selects spec.upgrade
// instead of spec.install. Patches are applied by the engine for kustomizations.
func Request(
	r *objects.HelmRelease, chart Chart, values []Values, base render.Request, engines render.Engines,
) (*Release, error) {
	req, hidden, err := requestOf(r, chart, values, base)
	if err != nil {
		return nil, err
	}
	after := newPostRenderer(r, engines[render.KindKustomize]).transform
	hider := newHider(hidden, r, values)
	if helm := engines[render.KindHelm]; helm != nil && !hidden.IsEmpty() {
		other, _, err := requestOf(disguisedRelease(r), chart, disguisedAll(values), base)
		if err != nil {
			return nil, err
		}
		hider.disguise = &disguise{helm, other, after}
	}
	return &Release{Request: req, Transforms: []render.Transform{after, hider.transform}}, nil
}

// requestOf returns what the Helm engine renders, and the values that came from Secrets.
func requestOf(
	r *objects.HelmRelease, chart Chart, values []Values, base render.Request,
) (render.Request, *redact.Values, error) {
	if name := Name(r); len(validation.IsDNS1123Subdomain(name)) > 0 {
		return render.Request{}, nil, r.FailAt(fmt.Errorf("Helm refuses the release name %q", name),
			"It has lower-case letters, digits, - and . alone, and a letter or digit at both ends: correct spec.releaseName.",
			"releaseName")
	}
	table, hidden, err := compose(r, values)
	if err != nil {
		return render.Request{}, nil, err
	}
	action := actionOf(r, base.Helm.IsUpgrade)
	req := base
	req.Path, req.Files, req.Probed = chart.Path, chart.Files, slices.Concat(base.Probed, chart.Probed)
	req.Namespace = Namespace(r)
	o := base.Helm
	o.ReleaseName, o.NameTemplate = Name(r), ""
	o.ValuesFiles, o.Values = nil, []render.Values{{Name: r.String() + " spec.values", Table: table, Hidden: hidden}}
	o.Values = append(o.Values, base.Helm.Values...)
	o.IncludeCRDs = !base.Helm.SkipCRDs && action.CRDs != skipCRDs
	o.NoHooks = o.NoHooks || action.DisableHooks
	o.SkipTests = o.SkipTests || r.Spec.Test == nil || !r.Spec.Test.Enable
	o.SkipSchemaValidation = o.SkipSchemaValidation || action.DisableSchemaValidation
	o.SkipSchemaBy = "set spec.install.disableSchemaValidation of the HelmRelease"
	if base.Helm.IsUpgrade {
		o.SkipSchemaBy = "set spec.upgrade.disableSchemaValidation of the HelmRelease"
	}
	o.DropNulls, o.ExactEnds = true, true // helm-controller 1.6 renders with Helm 4
	req.Helm = o
	return req, hidden, nil
}

// longestName is how long the name of a release may be.
const longestName = 53

// Name returns the name of the release: spec.releaseName, else the object's name behind spec.targetNamespace. One that
// is too long is cut, with a digest of the whole at its end.
func Name(r *objects.HelmRelease) string {
	name := r.Name
	if r.Spec.TargetNamespace != "" {
		name = r.Spec.TargetNamespace + "-" + name
	}
	name = cmp.Or(r.Spec.ReleaseName, name)
	if len(name) <= longestName {
		return name
	}
	const digits = 12
	sum := sha256.Sum256([]byte(name))
	return name[:longestName-digits-1] + "-" + hex.EncodeToString(sum[:])[:digits]
}

// Namespace returns where the objects of the release lie that name no namespace.
func Namespace(r *objects.HelmRelease) string { return cmp.Or(r.Spec.TargetNamespace, r.Namespace) }

// StorageNamespace returns where Helm keeps its record of the release.
func StorageNamespace(r *objects.HelmRelease) string {
	return cmp.Or(r.Spec.StorageNamespace, r.Namespace)
}

// actionOf returns what spec says of the action that is taken.
func actionOf(r *objects.HelmRelease, upgrade bool) objects.Action {
	action := r.Spec.Install
	if upgrade {
		action = r.Spec.Upgrade
	}
	if action == nil {
		return objects.Action{}
	}
	return *action
}

// skipCRDs is the policy by which nothing in the chart's crds/ is applied. By default an upgrade, too, adds those that
// are missing, whatever the field's description says.
const skipCRDs = "Skip"
