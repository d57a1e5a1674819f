package argocd

import (
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// directory asks for a folder of manifests what Argo CD reads of it.
func (b Build) directory(d *Directory, req *render.Request) ([]diag.Finding, error) {
	req.Plain.Recursive = d.Recurse
	if d.Include != "" {
		req.Plain.Include = []string{d.Include}
	}
	if d.Exclude != "" {
		req.Plain.Exclude = []string{d.Exclude}
	}
	return nil, nil
}
