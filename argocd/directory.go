package argocd

import (
	"errors"
	"path"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// directory completes the request for a folder of manifests, read as Argo CD reads it.
func (b Build) directory(d *Directory, req *render.Request) ([]diag.Finding, error) {
	if err := errors.Join(checkGlobs(d), checkLibraries(d)); err != nil {
		return nil, err
	}
	req.Plain.Directory = &render.DirectoryOptions{
		Recurse:                d.Recurse,
		Include:                d.Include,
		Exclude:                d.Exclude,
		DisableExtensionFilter: d.DisableExtensionFilter,
		MaxBytes:               render.DirectoryMaxBytes,
		Jsonnet: render.JsonnetOptions{
			ExtVars: b.variables(d.Jsonnet.ExtVars), TLAs: b.variables(d.Jsonnet.TLAs), Libs: d.Jsonnet.Libs,
		},
	}
	return nil, nil
}

// checkLibraries returns the error of a library outside of the repository.
func checkLibraries(d *Directory) error {
	for _, lib := range d.Jsonnet.Libs {
		if up := path.Clean(lib); up == ".." || strings.HasPrefix(up, "../") {
			return usage("libs", "A library lies in the repository; its path begins at the top.",
				"%q leads out of the repository", lib)
		}
	}
	return nil
}

func (b Build) variables(vars []config.ArgoJsonnetVar) []render.JsonnetVar {
	var out []render.JsonnetVar
	for _, v := range vars {
		out = append(out, render.JsonnetVar{Name: v.Name, Value: b.expand(v.Value), Code: v.Code})
	}
	return out
}
