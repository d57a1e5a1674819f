package kustomize

import (
	"path/filepath"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
)

// fence says which files a build may read.
//
// In a repository (see config.Repository): those in it. Bases in ../../base, shared components and, with the load
// restrictor switched off, files anywhere in it are usual; nothing outside of it is part of the application, however
// it is reached.
//
// Outside of one, nothing says where the application ends, and bases in sibling folders are usual there too. So a path
// that is written in a kustomization is good as far as kustomize's own rules go, be it ../../../base. What a symbolic
// link does cannot be read from a kustomization: it may lead anywhere at or below the lowest folder that holds both
// the application and the path as written, and no further.
//
// The application's own folder may be reached through links. Where Flux says what the source is, it is that.
type fence struct {
	app  string // the application's folder, without links
	repo string // the repository around it, without links; "" where there is none
	open bool   // the operator allows everything
}

func newFence(app string, req render.Request) fence {
	repo, _ := req.Roots.Repository(app)
	if o := req.Kustomize.Overlay; o != nil && o.Root != "" {
		repo = o.Root
	}
	return fence{app: app, repo: repo, open: req.Allow.OutsideRoot}
}

// allows reports whether the file or folder that was written as the absolute path written may be read; target is the
// same without links.
func (f fence) allows(written, target string) bool {
	switch {
	case f.open:
		return true
	case f.repo != "":
		return files.Within(f.repo, target)
	default:
		return files.Within(common(f.app, written), target)
	}
}

// root names the border in an error.
func (f fence) root() string {
	if f.repo != "" {
		return f.repo
	}
	return f.app
}

// common returns the lowest folder that holds both absolute, clean paths.
func common(a, b string) string {
	for !files.Within(a, b) && a != filepath.Dir(a) {
		a = filepath.Dir(a)
	}
	return a
}
