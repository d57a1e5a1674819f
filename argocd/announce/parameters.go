package announce

import (
	"cmp"
	"strings"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
)

// Parameters lists the parameters of the application, the options of its kind first. It returns parameters in any
// case, because Argo CD shows none at all if its plugin fails here: what cannot be read is a finding, and missing in
// the result.
func Parameters(app App) ([]Parameter, []diag.Finding) {
	app.Files = files.OrDisk(app.Files)
	kind, err := argocd.Detect(app.Files, app.Dir)
	if err != nil {
		return options(app, ""), []diag.Finding{unreadFinding(app.Dir, err)}
	}
	all := options(app, kind)
	switch kind {
	case render.KindHelm:
		values, findings := chart(app)
		return append(all, values...), findings
	case render.KindKustomize:
		workloads := app.workloads()
		return append(addImages(workloads, all), replicas(workloads)...), nil
	}
	return all, nil
}

// options announces the options of a kind of source, or all of them if the kind is not known.
func options(app App, kind render.Kind) []Parameter {
	prefix := map[render.Kind]string{render.KindHelm: "helm.", render.KindKustomize: "kustomize.",
		render.KindPlain: "directory.", "": ""}[kind]
	var out []Parameter
	for _, o := range argocd.Options() {
		if !o.Own && !takes(o, prefix) {
			continue
		}
		p := Parameter{Name: o.Name, Tooltip: o.Meaning, CollectionType: string(o.Collection),
			ItemType: string(cmp.Or(o.Item, argocd.Text))}
		switch {
		case o.Item == argocd.YAML:
			p.ItemType = string(argocd.Text)
		case o.Item == argocd.Boolean && o.Collection == argocd.String:
			p.String = "false"
		case o.Name == "releaseName":
			_, name, found := strings.Cut(app.Name, "_")
			if p.String = app.Name; found {
				p.String = name
			}
		}
		out = append(out, p)
	}
	return out
}

func takes(o argocd.Option, prefix string) bool {
	for _, p := range o.Paths {
		if strings.HasPrefix(p, prefix) {
			return true
		}
	}
	return false
}
