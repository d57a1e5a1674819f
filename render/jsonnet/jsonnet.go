// Package jsonnet evaluates Jsonnet files, with imports from their repository only.
package jsonnet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/google/go-jsonnet"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/internal/contain"
	"github.com/rollstamp/rollstamp/internal/fault"
	"github.com/rollstamp/rollstamp/render"
)

// Engine evaluates one file at a time; its zero value is ready.
type Engine struct{}

// Evaluate returns the JSON of the file at path, which is absolute. The folder of the request is where imports are
// looked for after the folder of the file that imports, and then the libraries, the last one first. Errors name the
// place, and of the cause only what cannot hold a value.
func (Engine) Evaluate(ctx context.Context, req render.Request, path string) (text []byte, inputs []string, err error) {
	defer fault.Catch(&err)
	if err := ctx.Err(); err != nil {
		return nil, nil, fmt.Errorf("evaluate %s: %w", req.Path, err)
	}
	opts := render.JsonnetOptions{}
	if req.Plain.Directory != nil {
		opts = req.Plain.Directory.Jsonnet
	}
	in, err := newImporter(ctx, req, opts)
	if err != nil {
		return nil, nil, err
	}
	in.main = in.displayPath(path)
	contain.At(ctx, in.main)
	defer contain.At(ctx, "")
	vm := jsonnet.MakeVM()
	vm.Importer(in)
	set(opts.ExtVars, vm.ExtVar, vm.ExtCode)
	set(opts.TLAs, vm.TLAVar, vm.TLACode)
	node, _, err := vm.ImportAST("", path)
	if err == nil {
		var result string
		if result, err = vm.Evaluate(node); err == nil {
			return []byte(result), in.read(), nil
		}
	}
	if in.nested != nil {
		return nil, nil, in.nested
	}
	return nil, nil, in.failure(err, path)
}

func set(vars []render.JsonnetVar, text, code func(name, value string)) {
	for _, v := range vars {
		if v.Code {
			code(v.Name, v.Value)
		} else {
			text(v.Name, v.Value)
		}
	}
}

func newImporter(ctx context.Context, req render.Request, opts render.JsonnetOptions) (*importer, error) {
	in := &importer{ctx: ctx, system: files.OrDisk(req.Files), req: req, known: map[string]jsonnet.Contents{}}
	real, err := in.system.Real(req.Path)
	if err == nil {
		in.dir, err = filepath.Abs(real)
	}
	if err != nil {
		return nil, diag.Input(diag.Position{File: req.Path}, errors.New("find the application: no such folder"), "")
	}
	in.root = in.dir
	if repository, ok := req.Roots.Repository(in.dir); ok {
		in.root = repository
	}
	for _, lib := range slices.Backward(opts.Libs) {
		path := filepath.Join(in.root, filepath.FromSlash(lib))
		if !files.Within(in.root, path) {
			return nil, diag.Usage(fmt.Errorf("libs: %q leads out of the repository", lib),
				"A library lies in the repository; its path begins at the top.")
		}
		in.paths = append(in.paths, path)
	}
	in.paths = append(in.paths, in.dir)
	return in, nil
}

// errOutside is what is wrong with an import that leads out of the repository.
var errOutside = errors.New("leads out of the repository")

// mostNested is how deep brackets may be nested: the parser has no limit, and a stack that overflows ends the process
// without the name of a file.
const mostNested = 10_000

// tooDeep returns the line in which brackets are nested too deep; 0 where they are not. Brackets in texts and comments
// count, too: nobody has so many there that none of them is closed. A file of another kind is read as a text.
func tooDeep(name string, text []byte) (line int) {
	if !slices.Contains([]string{".jsonnet", ".libsonnet", ".json"}, filepath.Ext(name)) {
		return 0
	}
	depth := 0
	for i, c := range text {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(0, depth-1)
		}
		if depth > mostNested {
			return 1 + bytes.Count(text[:i], []byte("\n"))
		}
	}
	return 0
}

// Import is called by Jsonnet for each import.
func (in *importer) Import(from, path string) (jsonnet.Contents, string, error) {
	if filepath.IsAbs(path) {
		if from != "" {
			return jsonnet.Contents{}, "", fmt.Errorf("import %q: is absolute", path)
		}
		contents, at, err := in.open(path)
		return contents, at, err
	}
	for _, dir := range append([]string{filepath.Dir(from)}, in.paths...) {
		contents, at, err := in.open(filepath.Join(dir, filepath.FromSlash(path)))
		switch {
		case err == nil:
			return contents, at, nil
		case errors.Is(err, errOutside):
			return jsonnet.Contents{}, "", fmt.Errorf("import %q: %w", path, err)
		}
	}
	return jsonnet.Contents{}, "", fmt.Errorf("import %q: no such file, neither beside the importing one nor in the libraries", path)
}

// open reads a file, whose path it returns without links: what it imports is looked for where it lies, and it is known
// by one name.
func (in *importer) open(path string) (jsonnet.Contents, string, error) {
	if !files.Within(in.root, path) && !in.req.Allow.OutsideRoot {
		return jsonnet.Contents{}, "", errOutside
	}
	real, err := in.system.Real(path)
	if err != nil {
		return jsonnet.Contents{}, "", err
	}
	if !files.Within(in.root, real) && !in.req.Allow.OutsideRoot {
		return jsonnet.Contents{}, "", errOutside
	}
	if contents, ok := in.known[real]; ok {
		return contents, real, nil
	}
	if info, err := in.system.Stat(real); err != nil || !info.Mode().IsRegular() {
		return jsonnet.Contents{}, "", errors.New("no file")
	}
	text, err := in.system.ReadFile(real)
	if err != nil {
		return jsonnet.Contents{}, "", errors.New("cannot be read")
	}
	if line := tooDeep(real, text); line > 0 && in.nested == nil {
		at := diag.Position{File: in.displayPath(real), Line: line}
		in.nested = diag.Input(at, fmt.Errorf("parse Jsonnet: it is nested more than %d deep", mostNested),
			"Look for a bracket that is opened again and again.")
	}
	if in.nested != nil {
		return jsonnet.Contents{}, "", in.nested
	}
	if name := in.displayPath(real); name != in.main {
		contain.At(in.ctx, in.main+", which had read "+name+" last,")
	}
	contents := jsonnet.MakeContentsRaw(text)
	in.known[real] = contents
	return contents, real, nil
}

// read lists what was read.
func (in *importer) read() []string {
	var out []string
	for path := range in.known {
		out = append(out, path)
	}
	slices.Sort(out)
	return out
}
