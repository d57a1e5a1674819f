package rounds

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/render"
)

// externalArtifact is the kind of what an ArtifactGenerator makes.
const externalArtifact = "ExternalArtifact"

// generated is an artifact of a generator.
type generated struct {
	by  *objects.Generator
	the *objects.GeneratedArtifact
}

// generatedBy returns what generates an artifact, nil where nothing does.
func (f *finder) generatedBy(r objects.Reference) *generated {
	f.mu.Lock()
	defer f.mu.Unlock()
	if g, ok := f.generated[r.Kind+"/"+r.Namespace+"/"+r.Name]; ok {
		return &g
	}
	return nil
}

// copies are the files of an artifact that others are copied into.
type copies struct {
	name  string            // of the artifact, as errors have it
	root  string            // where the artifact is seen, as no folder of the disk
	files map[string]string // what each was copied from, by its path below that
}

// generate returns the files of an artifact as its generator copies them, in memory.
func (f *finder) generate(ctx context.Context, g *generated) (tree, error) {
	c := &copies{name: externalArtifact + " " + g.by.Namespace + "/" + g.the.Name, files: map[string]string{}}
	c.root = filepath.Join(string(filepath.Separator), externalArtifact, g.by.Namespace, g.the.Name)
	base := f.system()
	for _, op := range g.the.Copy {
		alias, pattern, _ := strings.Cut(strings.TrimPrefix(op.From, "@"), "/")
		i := slices.IndexFunc(g.by.Spec.Sources, func(s objects.GeneratorSource) bool { return s.Alias == alias })
		to, ok := strings.CutPrefix(op.To, "@artifact/")
		switch {
		case i < 0 || !ok || !filepath.IsLocal(filepath.FromSlash(path.Join(".", to))):
			return tree{}, g.fail("copies %s to %s, which is not from one of its sources to @artifact/", op.From, op.To)
		case op.Strategy != "" && op.Strategy != "Overwrite":
			return tree{}, g.fail("copies with the strategy %s, which is not done here", op.Strategy)
		}
		from, err := f.tree(ctx, g.by.Spec.Sources[i].In(g.by.Namespace))
		if err != nil {
			return tree{}, err
		}
		base = files.OrDisk(from.files)
		if from.files, err = f.artifact(from); err != nil {
			return tree{}, err
		}
		if err := c.add(from, op, pattern, to); err != nil {
			return tree{}, g.fail("copies %s: %v", op.From, err)
		}
	}
	contents := map[string][]byte{}
	for name, real := range c.files {
		text, err := base.ReadFile(real)
		if err != nil {
			return tree{}, g.fail("copies %s: %v", name, files.Cause(err))
		}
		contents[name] = text
	}
	memory, err := files.NewMemory(contents)
	if err != nil {
		return tree{}, err
	}
	return tree{files: files.Add(files.Mount{At: c.root, Tree: memory}, base), root: c.root, copies: c}, nil
}

// fail returns an error about an artifact, whose files the user may pass.
func (g *generated) fail(format string, args ...any) error {
	return &sourceError{err: fmt.Errorf("%s of %s "+format, append([]any{g.the.Name, g.by}, args...)...),
		hint: fmt.Sprintf("Pass its files with --source %s/%s/%s=DIR.", externalArtifact, g.by.Namespace, g.the.Name)}
}

// add adds the files that an operation copies: a folder goes below the destination under its own name, what a pattern
// matches under its path, from the pattern's last folder on where it ends with /**.
func (c *copies) add(from tree, op objects.Copy, pattern, to string) error {
	if !strings.ContainsAny(pattern, "*?[]") {
		name := path.Clean(pattern)
		info, err := from.files.Stat(filepath.Join(from.root, filepath.FromSlash(name)))
		if err != nil {
			return files.Cause(err)
		}
		if info.IsDir() || strings.HasSuffix(to, "/") || to == "" {
			to = path.Join(to, path.Base(name))
		}
		return c.walk(from, op, name, to, name)
	}
	found, err := files.Glob(from.files, filepath.Join(from.root, filepath.FromSlash(pattern)))
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return fmt.Errorf("no file matches")
	}
	selection, _ := doublestar.SplitPattern(pattern)
	for _, file := range found {
		rel, err := filepath.Rel(from.root, file)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		below := name
		if dir, ok := strings.CutSuffix(pattern, "/**"); ok {
			below = strings.TrimPrefix(name, dir+"/")
		}
		if err := c.walk(from, op, name, path.Join(to, below), selection); err != nil {
			return err
		}
	}
	return nil
}

// walk adds a file, or all files of a folder. What is excluded is named from the folder of the selection.
func (c *copies) walk(from tree, op objects.Copy, name, to, selection string) error {
	at := filepath.Join(from.root, filepath.FromSlash(name))
	info, err := from.files.Stat(at)
	if err != nil {
		return files.Cause(err)
	}
	rel := strings.TrimPrefix(strings.TrimPrefix(name, strings.TrimSuffix(selection, "/")), "/")
	if rel != "" && slices.ContainsFunc(op.Exclude, func(x string) bool { ok, _ := doublestar.Match(x, rel); return ok }) {
		return nil
	}
	if !info.IsDir() {
		c.files[to] = at
		return nil
	}
	entries, err := from.files.ReadDir(at)
	if err != nil {
		return files.Cause(err)
	}
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink != 0 {
			continue
		}
		if err := c.walk(from, op, path.Join(name, e.Name()), path.Join(to, e.Name()), selection); err != nil {
			return err
		}
	}
	return nil
}

// original returns the file that one of the artifact was copied from; others are their own.
func (c *copies) original(file string) string {
	if rel, ok := files.Rel(c.root, file); ok {
		if real, known := c.files[filepath.ToSlash(rel)]; known {
			return real
		}
	}
	return file
}

// folder returns the folder that one of the artifact was copied from, "" where that is none: its files come from
// several, or under other names. Of those in it the kustomization decides, which the folder is built by.
func (c *copies) folder(dir string) string {
	rel, ok := files.Rel(c.root, dir)
	if !ok {
		return ""
	}
	from := func(name string) string {
		real, known := c.files[path.Join(filepath.ToSlash(rel), name)]
		if of, ok := strings.CutSuffix(real, string(filepath.Separator)+filepath.FromSlash(name)); known && ok {
			return of
		}
		return ""
	}
	for _, name := range render.KustomizationFiles {
		if of := from(name); of != "" {
			return of
		}
	}
	out, prefix := "", strings.TrimPrefix(filepath.ToSlash(rel)+"/", "./")
	for name := range c.files {
		below, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		of := from(below)
		if of == "" || out != "" && of != out {
			return ""
		}
		out = of
	}
	return out
}

// transforms returns what has a render name the files that were copied.
func (c *copies) transforms() []render.Transform {
	if c == nil {
		return nil
	}
	return []render.Transform{func(_ context.Context, out *render.Output) (*render.Output, error) {
		with := *out
		with.Inputs, with.Origins = nil, c.originals(out.Origins)
		for _, file := range out.Inputs {
			with.Inputs = append(with.Inputs, c.original(file))
		}
		slices.Sort(with.Inputs)
		if out.Locator != nil {
			with.Locator = locator{out.Locator, c}
		}
		return &with, nil
	}}
}

// engine returns an engine whose errors name the files that were copied.
func (c *copies) engine(of render.Engine) render.Engine {
	if c == nil {
		return of
	}
	return copiedEngine{of, c}
}

// copiedEngine renders what was copied.
type copiedEngine struct {
	render.Engine
	copies *copies
}

// Render is render.Engine's.
func (e copiedEngine) Render(ctx context.Context, req render.Request) (*render.Output, error) {
	out, err := e.Engine.Render(ctx, req)
	if err == nil {
		return out, nil
	}
	return out, diag.MapErrors(err, func(one error) error {
		known, ok := one.(*diag.Error) //nolint:errorlint // what wraps it has words of its own
		if !ok {
			return one
		}
		at := *known
		at.Pos.File = files.FromHere(e.copies.original(at.Pos.File))
		return &at
	})
}

// originals returns origins in the files that were copied.
func (c *copies) originals(all []render.Origin) []render.Origin {
	out := slices.Clone(all)
	for i := range out {
		out[i].File = files.FromHere(c.original(out[i].File))
	}
	return out
}

// locator locates what was copied where it was copied from.
type locator struct {
	of     render.Locator
	copies *copies
}

// Origins is render.Locator's.
func (l locator) Origins(text []byte) []render.Origin { return l.copies.originals(l.of.Origins(text)) }
