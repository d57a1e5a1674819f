package config

import "github.com/rollstamp/rollstamp/diag"

// FileName is the configuration file that is looked for.
const FileName = ".rollstamp.yaml"

// File is a configuration file, with the values that it takes over from the files it extends.
type File struct {
	path   string
	given  *Settings                // what the file says; nothing else of it is set
	where  map[string]diag.Position // of each field that is given, by its dotted name
	denied map[Permission]diag.Position
}

// newFile returns a file in which nothing is given.
func newFile(path string) *File { return &File{path: path, given: New()} }

// Path returns the file that was found, absolute; "" where there is none.
func (f *File) Path() string { return f.path }

// ArgoCD returns the options of an application that Argo CD renders through us.
func (f *File) ArgoCD() ArgoCD { return f.given.argoCD.Value }

// Where returns where a field ("level", "render.include") is given, and whether it is.
func (f *File) Where(field string) (diag.Position, bool) {
	p, ok := f.where[field]
	return p, ok
}
