package argocd

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// valueFile is a file with values: one on disk, which may be missing, or one of the network.
type valueFile struct {
	path   string // absolute, or a URL
	root   string // the repository that it must lie in; "" for a URL
	remote bool
}

// valueFiles returns the files with values in Argo CD's order: the sorted matches of a glob at its place, and each file
// once, at the place where it is named itself if it is. probed are the paths of files that may be missing, and those
// that patterns were matched at. The error has all that cannot be had.
func (b Build) valueFiles(h *Helm) (out, probed []string, err error) {
	named := map[string]bool{}
	resolved := make([]valueFile, len(h.ValueFiles))
	var errs []error
	for i, raw := range h.ValueFiles {
		f, err := b.valueFile(raw)
		if err != nil {
			errs = append(errs, usage("valueFiles "+raw, hintOf(err), "%w", err))
			continue
		}
		resolved[i] = f
		if f.remote || !isGlob(f.path) {
			named[f.path] = true
		}
	}
	add := func(path string) {
		if !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	for i, f := range resolved {
		switch {
		case f.path == "": // refused already
		case f.remote:
			add(f.path)
		case isGlob(f.path):
			found, looked, err := b.matches(f, h, h.ValueFiles[i])
			errs = append(errs, err)
			probed = append(probed, looked...)
			for _, path := range found {
				if !named[path] {
					add(path)
				}
			}
		default:
			switch missing := b.isMissing(f.path); {
			case missing && !h.IgnoreMissingValueFiles:
				errs = append(errs, b.noFile(f.path, "valueFiles names it", pathHint+"; or set ignoreMissingValueFiles. "))
			case missing:
				probed = append(probed, f.path)
			default:
				add(f.path)
			}
		}
	}
	return out, probed, errors.Join(errs...)
}

// matches returns the files that a pattern in a chart's files with values matches, and the paths that it was matched
// at.
func (b Build) matches(f valueFile, h *Helm, raw string) (found, probed []string, err error) {
	found, probed, err = b.glob(f, raw)
	if err == nil && len(found) == 0 && !h.IgnoreMissingValueFiles {
		err = usage("valueFiles", "Correct the pattern, or set ignoreMissingValueFiles.",
			"values file glob %q matched no files", raw)
	}
	return found, probed, err
}

// pathHint is the hint for a path of values that leads to no file.
const pathHint = "Correct the path, which begins in the application's folder, or with a slash at the top of the repository"

func (b Build) isMissing(path string) bool {
	_, err := files.OrDisk(b.Files).Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// noFile returns the error for a file of values that is not there, though something names it.
func (b Build) noFile(path, though, hint string) error {
	narrowed := narrowedHint
	if b.Native {
		narrowed = "" // the whole tree is read
	}
	return diag.Input(diag.Position{File: b.display(path)}, errors.New("read values: no such file, though "+though),
		strings.TrimSpace(hint+narrowed))
}

// narrowedHint is the hint for a file that is in Git and not in the tree.
const narrowedHint = "Where argocd.argoproj.io/manifest-generate-paths narrows what plugins get, add the file's " +
	"folder to it."

func isGlob(path string) bool { return strings.ContainsAny(path, "*?[") }

// valueFile resolves a path of values.
func (b Build) valueFile(raw string) (valueFile, error) {
	dir, root, rest := b.Dir, b.Root, raw
	if name, isRef := strings.CutPrefix(raw, "$"); isRef {
		name, tail, _ := strings.Cut(name, "/")
		folder, known := b.Refs[name]
		switch {
		case known:
			dir, root, rest = folder, folder, "/"+tail
		case !b.knows(name):
			return valueFile{}, b.noRef(name)
		}
	}
	rest = b.expand(rest)
	if u, err := url.Parse(rest); err == nil && u.Scheme != "" {
		if !slices.Contains([]string{"http", "https"}, strings.ToLower(u.Scheme)) {
			return valueFile{}, diag.Usage(errors.New("the URL scheme '"+u.Scheme+"' is not allowed"), "Use https.")
		}
		return valueFile{path: rest, remote: true}, nil
	}
	at := filepath.Join(dir, rest)
	if path.IsAbs(rest) {
		at = filepath.Join(root, rest)
	}
	system := files.OrDisk(b.Files)
	if info, err := system.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if real, err := system.Real(at); err == nil {
			at = real
		}
	}
	f := valueFile{path: at, root: root}
	if at == root || !f.inside(system, at) {
		return valueFile{}, diag.Usage(errors.New("resolved to outside repository root"),
			"Values lie in the application's own repository.")
	}
	return f, nil
}

// inside reports whether a path is in the repository, also after links. One that does not exist is judged by its name.
func (f valueFile) inside(system files.System, path string) bool {
	if !files.Within(f.root, path) {
		return false
	}
	real, err := system.Real(path)
	return err != nil || files.Within(f.root, real)
}

// knows reports whether a path may begin with a variable: $NAME/... or ${NAME}/...
func (b Build) knows(name string) bool {
	if strings.HasPrefix(name, "{") || strings.HasPrefix(name, "$") {
		return true
	}
	name = name[:len(name)-len(strings.TrimLeft(name, nameRunes))]
	_, known := b.variable(name)
	return known || strings.HasPrefix(name, config.PluginEnvPrefix)
}

const nameRunes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// noRef returns the error for a $ref that has no folder, with a hint.
func (b Build) noRef(name string) error {
	if b.Native {
		return diag.Usage(fmt.Errorf("no source of the Application has the ref %s%s", name,
			config.Suggest(name, slices.Sorted(maps.Keys(b.Refs)))),
			"Give the source that has the files ref: "+name+", or correct the name before the first slash.")
	}
	return diag.Usage(errors.New("Argo CD hands the files of another source ($"+name+") to no plugin"),
		"Set in the option refs which folder of this repository replaces it ("+name+": path/from/the/top), or "+
			"copy the files into this repository.")
}

// glob returns the files that a pattern matches, in doublestar's order, and the paths that it was matched at.
func (b Build) glob(f valueFile, raw string) (out, probed []string, err error) {
	base, pattern := doublestar.SplitPattern(filepath.ToSlash(f.path))
	system := files.OrDisk(b.Files)
	found, err := doublestar.Glob(folder{system, base, &probed}, pattern)
	if err != nil {
		return nil, nil, usage("valueFiles", "", "error expanding glob pattern %q: %w", raw, err)
	}
	out = make([]string, len(found))
	for i, name := range found {
		out[i] = filepath.Join(base, filepath.FromSlash(name))
		if !f.inside(system, out[i]) {
			return nil, nil, usage("valueFiles", "Values lie in the application's own repository.",
				"glob pattern %q: glob match %q resolved to outside repository root", raw, b.display(out[i]))
		}
	}
	return out, probed, nil
}

// folder presents a folder of a files.System as an fs.FS.
type folder struct {
	system files.System
	at     string
	probed *[]string // the paths that were asked for
}

var (
	_ fs.StatFS    = folder{}
	_ fs.ReadDirFS = folder{}
)

func (f folder) path(name string) string { return filepath.Join(f.at, filepath.FromSlash(name)) }

// Open is not needed to match names.
func (f folder) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: errors.ErrUnsupported}
}

// Stat records the path.
func (f folder) Stat(name string) (fs.FileInfo, error) {
	*f.probed = append(*f.probed, f.path(name))
	return f.system.Stat(f.path(name))
}

// ReadDir records the path.
func (f folder) ReadDir(name string) ([]fs.DirEntry, error) {
	*f.probed = append(*f.probed, f.path(name))
	return f.system.ReadDir(f.path(name))
}
