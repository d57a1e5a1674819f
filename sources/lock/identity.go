package lock

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/files"
)

// The engines whose objects name applications in lines.
const (
	ArgoCD = "argocd"
	Flux   = "flux"
)

// Identity is what an application is known by in the lines of locks: what is the same in each run, whatever paths are
// named, in whatever folder, and whatever lies beside it. Folders and files are absolute paths without links.
type Identity struct {
	Path        string // its folder, or its file; "" where no path names it
	IsFile      bool
	Environment string // of an entry of apps:; "" for none

	Declared Declared
}

// Declared is an object of an engine that describes an application; the zero value is none.
type Declared struct {
	Engine string
	Name   string // of Argo CD as the plugin gets it, [NAMESPACE/]NAME; of Flux KIND/NAMESPACE/NAME
	In     string // with Flux, the folder of the file that declares the object
	// From is the folder that declares the first of the Kustomizations that lead to it; In where none does.
	From string
	Top  string // of the repository with both folders, where the lock lies in another one; else ""
}

// Application is how lines name an application.
type Application string

// Names returns how the lines of a lock in a folder name an application: the first is its own, and what stands under
// the others holds for it as well.
func (i Identity) Names(folder string) (names []Application) {
	d := i.Declared
	at := func(path string) string { return escapePath(relative(folder, d.Top, path)) }
	switch d.Engine {
	case ArgoCD:
		names = append(names, Application(d.Engine+"/"+escapePath(d.Name)+"@"+at(i.Path)))
	case Flux:
		own := Application(d.Engine + "/" + escapePath(d.Name) + "@" + at(d.In))
		if d.From != d.In {
			names = append(names, own+Application("@"+at(d.From)))
		}
		names = append(names, own)
	}
	if i.Path == "" {
		return names
	}
	if i.Environment != "" {
		names = append(names, Application("path/"+at(i.Path)+"@"+escapePath(i.Environment)))
	}
	names = append(names, Application("path/"+at(i.Path)))
	if i.IsFile {
		names = append(names, Application("path/"+at(filepath.Dir(i.Path))))
	}
	return names
}

// NamesIn returns the names of an application that a lock in a folder has, or would have, lines under. Of one that Flux
// applies by what is not in the run, these are also the lines by what applies it, where that is one only.
func (i Identity) NamesIn(folder string, f *File) []Application {
	names := i.Names(folder)
	if d := i.Declared; d.Engine != Flux || d.From != d.In {
		return names
	}
	if by := f.AppliedBy(names[0]); len(by) == 1 {
		names = slices.Insert(names, 1, by[0])
	}
	return names
}

// AppliedBy returns the applications that the lock has lines about, sorted, which are an object of Flux as what applies
// it leads to it.
func (f *File) AppliedBy(own Application) (out []Application) {
	for app, lines := range f.decided {
		if len(lines) > 0 && strings.HasPrefix(string(app), string(own)+"@") {
			out = append(out, app)
		}
	}
	slices.Sort(out)
	return out
}

// relative returns a path as it is written from a folder. One in another repository, whose top is known, is written
// from there, with a slash before it.
func relative(folder, top, path string) string {
	if rel, in := files.Rel(top, path); top != "" && in {
		return "/" + filepath.ToSlash(rel)
	}
	rel, err := filepath.Rel(folder, path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}

// escapePath escapes what is part of the name of an application: an @ divides its parts.
func escapePath(s string) string { return strings.ReplaceAll(escape(s), "@", "%40") }
