package plain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	argoglob "github.com/gobwas/glob"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
)

// renderDirectory reads a folder as Argo CD does that calls it a directory.
func renderDirectory(ctx context.Context, req render.Request, jsonnet render.Evaluator) (*render.Output, error) {
	d, err := newDirectory(ctx, req)
	if err != nil {
		return nil, err
	}
	if err := d.folder(".", d.root); err != nil {
		return nil, err
	}
	out := &render.Output{Kind: render.KindPlain, Namespace: req.Namespace}
	all := join{system: d.system}
	for _, f := range d.files {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("read %s: %w", req.Path, err)
		}
		out.Inputs = append(out.Inputs, filepath.Join(d.root, filepath.FromSlash(f.rel)))
		name := d.displayPath(f.rel)
		switch path.Ext(f.rel) {
		case ".jsonnet":
			read, err := evaluate(ctx, req, jsonnet, &all, name, filepath.Join(d.root, filepath.FromSlash(f.rel)))
			if err != nil {
				return nil, err
			}
			out.Inputs = append(out.Inputs, read...)
			continue
		case ".json":
			err = oneObject(name, f.text)
		default:
			var ours bool
			if ours, err = manifests(name, f.text); err == nil && !ours {
				d.leaveOut(f.rel, "it does not hold Kubernetes objects")
				continue
			}
		}
		if err == nil {
			err = all.stream(name, bytes.NewReader(f.text))
		}
		if err != nil {
			return nil, err
		}
	}
	out.Text, out.Origins, out.Findings = all.text, all.origins, d.findings
	slices.Sort(out.Inputs)
	out.Inputs = slices.Compact(out.Inputs)
	return out, nil
}

// directory collects the files of one folder.
type directory struct {
	ctx      context.Context
	req      render.Request
	opts     *render.DirectoryOptions
	system   files.System
	root     string // the folder with all links resolved
	border   string // the repository, which links may not leave
	include  argoglob.Glob
	exclude  argoglob.Glob
	bytes    int64
	files    []found
	findings []diag.Finding
}

// found is a file that may hold manifests. Its text is read already: a marker in it can leave it out.
type found struct {
	rel  string // with slashes
	text []byte
}

func newDirectory(ctx context.Context, req render.Request) (*directory, error) {
	d := &directory{ctx: ctx, req: req, opts: req.Plain.Directory, system: files.OrDisk(req.Files)}
	real, err := d.system.Real(req.Path)
	if err == nil {
		d.root, err = filepath.Abs(real)
	}
	if err != nil {
		return nil, unreadable(req.Path, err)
	}
	d.border = d.root
	if repository, ok := req.Roots.Repository(d.root); ok {
		d.border = repository
	}
	if d.include, err = pattern("include", d.opts.Include); err != nil {
		return nil, err
	}
	d.exclude, err = pattern("exclude", d.opts.Exclude)
	return d, err
}

// pattern reads a glob as Argo CD does: a star matches slashes, too.
func pattern(option, text string) (argoglob.Glob, error) {
	if text == "" {
		return nil, nil
	}
	g, err := argoglob.Compile(text)
	if err != nil {
		return nil, diag.Usage(fmt.Errorf("%s %q: not a glob", option, text), "It takes *, ?, [a-z] and {a,b}.")
	}
	return g, nil
}

// folder goes through one folder in the order of its names: a folder's files come where its name does.
func (d *directory) folder(rel, real string) error {
	if err := d.ctx.Err(); err != nil {
		return fmt.Errorf("list %s: %w", d.req.Path, err)
	}
	entries, err := d.system.ReadDir(real)
	if err != nil {
		return unreadable(d.displayPath(rel), err)
	}
	for _, e := range entries {
		name, at := path.Join(rel, e.Name()), filepath.Join(real, e.Name())
		switch {
		case e.IsDir() && d.opts.Recurse && e.Name() != ".git":
			err = d.folder(name, at)
		case !e.IsDir():
			err = d.file(name, at, e.Type())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// settingsFiles say how to render, and are never rendered.
var settingsFiles = []string{configFile, ".argocd-source.yaml"}

func (d *directory) file(rel, at string, mode fs.FileMode) error {
	name := path.Base(rel)
	ext := path.Ext(rel)
	if slices.Contains(settingsFiles, name) || strings.HasPrefix(name, ".argocd-source-") {
		return nil
	}
	if !d.opts.DisableExtensionFilter && !slices.Contains([]string{".yaml", ".yml", ".json", ".jsonnet"}, ext) {
		return nil
	}
	size, ok, err := d.regularFile(rel, at, mode)
	if err != nil || !ok {
		return err
	}
	if d.exclude != nil && d.exclude.Match(rel) || d.include != nil && !d.include.Match(rel) {
		return nil
	}
	text, err := d.system.ReadFile(at)
	if err != nil {
		return unreadable(d.displayPath(rel), err)
	}
	if bytes.Contains(text, []byte(skipMarker)) {
		d.leaveOut(rel, "it contains "+skipMarker)
		return nil
	}
	if d.bytes += size; ext == ".jsonnet" {
		d.bytes -= size
	}
	if d.opts.MaxBytes > 0 && d.bytes > d.opts.MaxBytes {
		return diag.Input(diag.Position{File: d.req.Path},
			fmt.Errorf("its manifests have more than %d bytes", d.opts.MaxBytes),
			"Leave files out with include or exclude.")
	}
	d.files = append(d.files, found{rel, text})
	return nil
}

// skipMarker anywhere in a file leaves it out.
const skipMarker = "+argocd:skip-file-rendering"

// regularFile follows a link, and reports whether there is a file after it. A link that leads nowhere, or to a folder,
// is left out.
func (d *directory) regularFile(rel, at string, mode fs.FileMode) (size int64, ok bool, err error) {
	if mode&fs.ModeSymlink != 0 {
		target, err := d.system.Real(at)
		if errors.Is(err, fs.ErrNotExist) {
			d.leaveOut(rel, "a link that leads nowhere")
			return 0, false, nil
		}
		if err != nil {
			return 0, false, unreadable(d.displayPath(rel), files.Cause(err))
		}
		if !files.Within(d.border, target) && !d.req.Allow.OutsideRoot {
			return 0, false, diag.Input(diag.Position{File: d.displayPath(rel)},
				errors.New("symbolic link leads out of the repository"), "")
		}
	}
	info, err := d.system.Stat(at)
	if err != nil {
		return 0, false, unreadable(d.displayPath(rel), err)
	}
	if !info.Mode().IsRegular() {
		d.leaveOut(rel, "it is not a file")
		return 0, false, nil
	}
	return info.Size(), true, nil
}

func (d *directory) displayPath(rel string) string {
	return filepath.Join(d.req.Path, filepath.FromSlash(rel))
}

func (d *directory) leaveOut(rel, why string) {
	d.findings = append(d.findings, diag.New(diag.Skipped, "",
		"the file is left out: "+why).At(diag.Position{File: d.displayPath(rel)}))
}

// evaluate adds what a Jsonnet file evaluates to: an object, or a list of objects. It returns the files that were read.
func evaluate(
	ctx context.Context, req render.Request, jsonnet render.Evaluator, all *join, name, real string,
) ([]string, error) {
	if jsonnet == nil {
		return nil, diag.Input(diag.Position{File: name}, errors.New("nothing here evaluates Jsonnet"), "")
	}
	text, inputs, err := jsonnet.Evaluate(ctx, req, real)
	if err != nil {
		return nil, err
	}
	objects := []json.RawMessage{text}
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		if err := json.Unmarshal(text, &objects); err != nil {
			return nil, diag.Input(diag.Position{File: name}, errors.New("the result is not JSON"), "")
		}
	}
	for i, o := range objects {
		if string(o) == "null" {
			continue
		}
		if err := oneObject(name, o); err != nil {
			if len(objects) > 1 {
				err = fmt.Errorf("item %d: %w", i, err)
			}
			return nil, err
		}
		before := len(all.origins)
		if err := all.stream(name, bytes.NewReader(o)); err != nil {
			return nil, err
		}
		for j := before; j < len(all.origins); j++ {
			all.origins[j].Line = 0 // generated
		}
	}
	return inputs, nil
}
