package jsonnet

import (
	"context"

	"github.com/google/go-jsonnet"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
)

// importer finds and reads files for one evaluation.
type importer struct {
	ctx    context.Context
	system files.System
	dir    string   // the application's folder
	root   string   // the repository, which nothing may lead out of
	paths  []string // where imports are looked for after the importing file's folder, in this order
	req    render.Request
	main   string                      // the file that is evaluated, as the user wrote it
	nested error                       // why a file is not parsed; nil where all are
	known  map[string]jsonnet.Contents // by path without links; Jsonnet wants the same bytes each time
}
