package argocd

import (
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// Request returns the kind of the source and the request for its engine. The kind is the one whose options the source
// has, or else the one that the folder's files need. The caller adds permissions, cache and credentials. Errors are
// *diag.Error.
func (b Build) Request(s Source) (render.Kind, render.Request, []diag.Finding, error) {
	kind, err := b.kind(s)
	if err != nil {
		return "", render.Request{}, nil, err
	}
	req := render.Request{
		Path:      b.Dir,
		Files:     b.Files,
		Namespace: b.Namespace,
		Roots:     &config.Roots{Files: b.Files, Top: b.Root},
	}
	var found []diag.Finding
	switch kind {
	case render.KindHelm:
		found, err = b.helm(orZero(s.Helm), &req)
	case render.KindKustomize:
		found, err = b.kustomize(orZero(s.Kustomize), &req)
	default:
		found, err = b.directory(orZero(s.Directory), &req)
	}
	return kind, req, found, err
}
