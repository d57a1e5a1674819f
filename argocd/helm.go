package argocd

import (
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// maxReleaseName is how long Helm lets the name of a release be.
const maxReleaseName = 53

// helm asks for a chart what Argo CD asks helm template for.
func (b Build) helm(h *Helm, req *render.Request) ([]diag.Finding, error) {
	o := &req.Helm
	o.ReleaseName = b.Name()
	if h.ReleaseName != "" {
		o.ReleaseName = h.ReleaseName
	}
	if len(o.ReleaseName) > maxReleaseName && !strings.Contains(o.ReleaseName, "{{") {
		return nil, usage("releaseName", "By default it is the application's name; set the option releaseName to a shorter one.",
			"%q is longer than %d characters", o.ReleaseName, maxReleaseName)
	}
	if strings.Contains(o.ReleaseName, "{{") { // Argo CD gives it with --name-template
		o.ReleaseName, o.NameTemplate = "", o.ReleaseName
	}
	if h.Namespace != "" {
		req.Namespace = h.Namespace
	}
	var err error
	if o.KubeVersion, o.APIVersions, err = b.cluster(h.KubeVersion, h.APIVersions); err != nil {
		return nil, err
	}
	o.IncludeCRDs = !h.SkipCrds
	o.SkipTests = h.SkipTests
	o.SkipSchemaValidation = h.SkipSchemaValidation
	if o.ValuesFiles, err = b.valueFiles(h); err != nil {
		return nil, err
	}
	if text := inline(h); len(text) > 0 {
		o.Values = []render.Values{{Name: valuesName(h), Text: text}}
	}
	o.Set, o.SetString = b.sets(h)
	for _, p := range last(h.FileParameters, func(i int) string { return h.FileParameters[i].Name }) {
		path, err := b.valueFile(p.Path)
		if err != nil {
			return nil, usage("fileParameters "+p.Name, hintOf(err), "%w", err)
		}
		o.SetFile = append(o.SetFile, p.Name+"="+escaped(path.path))
	}
	var found []diag.Finding
	if h.PassCredentials {
		found = append(found, unused("passCredentials", "credentials are the operator's"))
	}
	return found, nil
}

// unused reports of an option that is taken, as Argo CD takes it, and changes nothing.
func unused(option, why string) diag.Finding {
	return diag.New(diag.Skipped, "", "option "+option+" has no effect: "+why)
}

// inline returns the values that the source itself holds.
func inline(h *Helm) []byte {
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

// sets returns the parameters as helm's --set and --set-string take them. Of those with one name the last counts.
func (b Build) sets(h *Helm) (set, setString []string) {
	name := func(i int) string {
		p := h.Parameters[i]
		if p.ForceString {
			return "s" + p.Name // those of both kinds stand side by side
		}
		return "v" + p.Name
	}
	for _, p := range last(h.Parameters, name) {
		text := p.Name + "=" + escaped(b.expand(p.Value))
		if p.ForceString {
			setString = append(setString, text)
		} else {
			set = append(set, text)
		}
	}
	return set, setString
}

// last returns the items without those whose name comes again.
func last[T any](items []T, name func(int) string) []T {
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

// escaped writes a value so that helm takes a comma in it for a comma, unless one is escaped already. What stands in braces is a
// list of helm's.
func escaped(value string) string {
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
