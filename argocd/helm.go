package argocd

import (
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// maxReleaseName is the longest name of a release that Helm accepts.
const maxReleaseName = 53

// NameHint says what a name of an Application, or of a release of Helm, may be.
const NameHint = "Names have lower case letters, digits, - and . only, and begin and end with a letter or digit."

// helm completes the request for a chart, with what Argo CD passes to helm template. The error has all that is refused.
func (b Build) helm(h *Helm, req *render.Request) ([]diag.Finding, error) {
	o := &req.Helm
	o.ReleaseName = b.Name()
	if h.ReleaseName != "" {
		o.ReleaseName = h.ReleaseName
	}
	var errs []error
	if len(o.ReleaseName) > maxReleaseName && !strings.Contains(o.ReleaseName, "{{") {
		errs = append(errs, usage("releaseName",
			"By default it is the application's name; set the option releaseName to a shorter one.",
			"%q is longer than %d characters", o.ReleaseName, maxReleaseName))
	} else if h.ReleaseName != "" && !strings.Contains(h.ReleaseName, "{{") &&
		len(validation.IsDNS1123Subdomain(h.ReleaseName)) > 0 {
		errs = append(errs, usage("releaseName", NameHint+" By default it is the application's name.",
			"Helm refuses the name %q", o.ReleaseName))
	}
	if strings.Contains(o.ReleaseName, "{{") { // Argo CD passes it with --name-template
		o.ReleaseName, o.NameTemplate = "", o.ReleaseName
	}
	if h.Namespace != "" {
		req.Namespace = h.Namespace
	}
	var err error
	o.KubeVersion, o.APIVersions, err = b.cluster(h.KubeVersion, h.APIVersions)
	errs = append(errs, err)
	o.Version = b.helmVersion(h)
	o.IncludeCRDs = !h.SkipCrds
	o.SkipTests = h.SkipTests
	o.SkipSchemaValidation = h.SkipSchemaValidation
	o.SkipSchemaBy = "set skipSchemaValidation in the source's helm"
	o.ValuesFiles, req.Probed, err = b.valueFiles(h)
	errs = append(errs, err)
	if text := inlineValues(h); len(text) > 0 {
		o.Values = []render.Values{{Name: valuesName(h), Text: text}}
	}
	o.Set, o.SetString = b.sets(h)
	o.SetFile, err = b.setFiles(h)
	errs = append(errs, err)
	errs = append(errs, b.checkHelmVersion(h.Version))
	if err := errors.Join(append(errs, checkSets(o))...); err != nil {
		return nil, err
	}
	var found []diag.Finding
	if h.PassCredentials {
		found = append(found, unusedOption("passCredentials", "credentials are the operator's"))
	}
	return found, nil
}

// setFiles returns the file parameters as helm's --set-file expects them.
func (b Build) setFiles(h *Helm) (out []string, err error) {
	var errs []error
	for _, p := range lastByName(h.FileParameters, func(i int) string { return h.FileParameters[i].Name }) {
		path, err := b.valueFile(p.Path)
		switch {
		case err != nil:
			errs = append(errs, usage("fileParameters "+p.Name, hintOf(err), "%w", err))
		case !path.remote && b.isMissing(path.path):
			errs = append(errs, b.noFile(path.path, "fileParameters names it for "+p.Name, pathHint+". "))
		default:
			out = append(out, p.Name+"="+escapeCommas(path.path))
		}
	}
	return out, errors.Join(errs...)
}

// helmVersion returns the version of Helm that renders; 0 is that of the settings. An Application's own field is one
// that Argo CD does not render by; as an option of the plugin it is.
func (b Build) helmVersion(h *Helm) config.HelmVersion {
	if b.HelmVersion != 0 || b.Native {
		return b.HelmVersion
	}
	version, err := config.ParseHelmVersion(h.Version)
	if err != nil {
		return 0
	}
	return version
}

// checkHelmVersion refuses what is no version of Helm, and in an Application's own options what no Argo CD takes.
func (b Build) checkHelmVersion(version string) error {
	switch _, err := config.ParseHelmVersion(version); {
	case version == "":
	case b.Native && version != "v3" && version != "v4":
		return usage("version", "Leave it out: Argo CD takes v3 only, and from v3.5 on v4, and renders with its own Helm.",
			"Argo CD takes no %q there", version)
	case !b.Native && err != nil:
		return usage("version", "Write 3 or 4, or leave the option out.", "%w", err)
	}
	return nil
}

// unusedOption returns the finding for an option that is accepted, as Argo CD accepts it, and changes nothing.
func unusedOption(option, why string) diag.Finding {
	return diag.New(diag.Skipped, "", "option "+option+" has no effect: "+why)
}

// inlineValues returns the values that the source itself contains.
func inlineValues(h *Helm) []byte {
	if len(h.ValuesObject) > 0 {
		return h.ValuesObject
	}
	return []byte(h.Values)
}

func valuesName(h *Helm) string {
	if len(h.ValuesObject) > 0 {
		return "valuesObject"
	}
	return "values"
}

// sets returns the parameters as helm's --set and --set-string expect them. Of several with one name the last one
// counts.
func (b Build) sets(h *Helm) (set, setString []string) {
	name := func(i int) string {
		p := h.Parameters[i]
		if p.ForceString {
			return "s" + p.Name // --set and --set-string do not replace each other
		}
		return "v" + p.Name
	}
	for _, p := range lastByName(h.Parameters, name) {
		text := p.Name + "=" + escapeCommas(b.expand(p.Value))
		if p.ForceString {
			setString = append(setString, text)
		} else {
			set = append(set, text)
		}
	}
	return set, setString
}

// lastByName returns the items without those whose name follows again.
func lastByName[T any](items []T, name func(int) string) []T {
	at := map[string]int{}
	for i := range items {
		at[name(i)] = i
	}
	var out []T
	for i, item := range items {
		if at[name(i)] == i {
			out = append(out, item)
		}
	}
	return out
}

// escapeCommas returns a value in which helm reads commas literally, unless they are escaped already. Text in braces is
// a list for helm.
func escapeCommas(value string) string {
	if strings.HasPrefix(value, "{") && strings.HasSuffix(value, "}") {
		return value
	}
	var out strings.Builder
	before := rune(0)
	for _, r := range value {
		if r == ',' && before != '\\' {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
		before = r
	}
	return out.String()
}
