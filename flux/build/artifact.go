package build

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/git"
)

// ignoreFile is where a source says in its own folders what is left out of its artifact.
const ignoreFile = ".sourceignore"

// What source-controller leaves out: always, and where nothing says what is left out.
var (
	excludedAlways  = []string{".git/", ".gitignore", ".gitmodules", ".gitattributes"}
	excludedDefault = []string{
		"*.jpg", "*.jpeg", "*.gif", "*.png", "*.wmv", "*.flv", "*.tar.gz", "*.zip",
		".github/", ".circleci/", ".travis.yml", ".gitlab-ci.yml", "appveyor.yml", ".drone.yml", "cloudbuild.yaml",
		"codeship-services.yml", "codeship-steps.yml",
		"**/.goreleaser.yml", "**/.sops.yaml", "**/.flux.yaml",
	}
)

// Artifact returns what source-controller packs of the files in a folder: no link, and nothing that .sourceignore
// files, or spec.ignore of the source, leave out. Nil means that the source has no spec.ignore.
func Artifact(system files.System, root string, ignore *string) (files.System, error) {
	system = files.OrDisk(system)
	abs, err := filepath.Abs(root)
	if err == nil {
		abs, err = system.Real(abs)
	}
	if err != nil {
		return nil, fmt.Errorf("open source %s: %w", root, files.Cause(err))
	}
	a := &artifact{System: system, root: abs, plain: map[string]bool{}}
	own, err := a.patterns(abs, nil)
	if err != nil {
		return nil, fmt.Errorf("read %s of source %s: %w", ignoreFile, root, files.Cause(err))
	}
	if ignore != nil {
		own = append(own, git.IgnoreRules([]byte(*ignore), nil)...)
		fmt.Fprintf(&a.rules, "spec.ignore %q\n", *ignore)
	}
	all := parse(excludedAlways)
	if len(own) == 0 {
		all = append(all, parse(excludedDefault)...)
	}
	a.ignored = gitignore.NewMatcher(append(all, own...))
	return a, nil
}

// Rules returns what the ignore files and spec.ignore of an artifact say: with the same rules, an artifact of the same
// files has the same ones. It is "" for other systems.
func Rules(system files.System) string {
	if a, ok := system.(*artifact); ok {
		return a.rules.String()
	}
	return ""
}

// artifact shows the files that an artifact of a folder has.
type artifact struct {
	files.System
	root    string // absolute, without links
	ignored gitignore.Matcher
	rules   strings.Builder // complete before anything is read

	mu    sync.Mutex
	plain map[string]bool // by folder: no link leads there
}

// patterns reads the ignore files of a folder and of those below it.
func (a *artifact) patterns(dir string, domain []string) ([]gitignore.Pattern, error) {
	entries, err := a.System.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []gitignore.Pattern
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ignoreFile && !e.IsDir() }) {
		text, err := a.System.ReadFile(filepath.Join(dir, ignoreFile))
		if err != nil {
			return nil, err
		}
		all = git.IgnoreRules(text, domain)
		fmt.Fprintf(&a.rules, "%q %q\n", domain, text)
	}
	for _, e := range entries {
		if !e.IsDir() || e.Name() == ".git" {
			continue
		}
		below, err := a.patterns(filepath.Join(dir, e.Name()), append(slices.Clip(domain), e.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, below...)
	}
	return all, nil
}

func parse(patterns []string) (all []gitignore.Pattern) {
	for _, p := range patterns {
		all = append(all, gitignore.ParsePattern(p, nil))
	}
	return all
}

// ReadFile reads a file of the artifact.
func (a *artifact) ReadFile(path string) ([]byte, error) {
	if _, err := a.check("open", path); err != nil {
		return nil, err
	}
	return a.System.ReadFile(path)
}

// Stat describes a file or folder of the artifact.
func (a *artifact) Stat(path string) (fs.FileInfo, error) {
	info, err := a.check("stat", path)
	if err != nil || a.isOf(path) { // what it has is no link
		return info, err
	}
	return a.System.Stat(path)
}

// Lstat is Stat: there are no links.
func (a *artifact) Lstat(path string) (fs.FileInfo, error) { return a.Stat(path) }

// Real returns the path of a file or folder of the artifact.
func (a *artifact) Real(path string) (string, error) {
	if _, err := a.check("lstat", path); err != nil {
		return "", err
	}
	if a.isOf(path) {
		return path, nil
	}
	return a.System.Real(path)
}

// ReadDir lists a folder of the artifact.
func (a *artifact) ReadDir(path string) ([]fs.DirEntry, error) {
	if _, err := a.check("open", path); err != nil {
		return nil, err
	}
	entries, err := a.System.ReadDir(path)
	return slices.DeleteFunc(slices.Clone(entries), func(e fs.DirEntry) bool {
		return !a.has(filepath.Join(path, e.Name()), e.Type())
	}), err
}

// check describes what lies at a path, and returns an error for what is in the folder and not in its artifact.
func (a *artifact) check(op, path string) (fs.FileInfo, error) {
	info, err := a.System.Lstat(path)
	if err != nil {
		return nil, err
	}
	if kind := info.Mode().Type(); !a.has(path, kind) {
		why := leftOutByRules
		if !kind.IsDir() && !kind.IsRegular() {
			why = leftOutAsLink
		}
		return nil, &fs.PathError{Op: op, Path: path, Err: why}
	}
	return info, nil
}

// isOf reports whether a path, which has been checked, lies in the source as it is written, so that no link is in it.
func (a *artifact) isOf(path string) bool {
	return path == filepath.Clean(path) && files.Within(a.root, path) && path != a.root && a.isPlain(filepath.Dir(path))
}

// Why files are left out, in the words of errors.
const (
	leftOutByRules files.LeftOut = "source-controller leaves it out: by .sourceignore, spec.ignore or its defaults"
	leftOutAsLink  files.LeftOut = "source-controller leaves it out, as a link or what else is no file"
)

// has reports whether the artifact has what lies at a path. Of what lies outside of the source it is no judge.
func (a *artifact) has(path string, kind fs.FileMode) bool {
	abs, err := filepath.Abs(path)
	if err != nil {
		return true
	}
	dir := filepath.Dir(abs)
	real, below := a.below(dir)
	if !below {
		return true
	}
	rel, ok := files.Rel(a.root, filepath.Join(real, filepath.Base(abs)))
	switch {
	case !ok:
		return true
	case kind.IsDir():
		return a.isPlain(real)
	case kind.IsRegular():
		return a.isPlain(real) && !a.ignored.Match(strings.Split(filepath.ToSlash(rel), "/"), false)
	}
	return false
}

// below returns a folder as one of the source, which may itself be reached through links.
func (a *artifact) below(dir string) (string, bool) {
	if files.Within(a.root, dir) {
		return dir, true
	}
	real, err := a.System.Real(dir)
	return real, err == nil && files.Within(a.root, real)
}

// isPlain reports whether no link is on the way from the top of the source to a folder.
func (a *artifact) isPlain(dir string) bool {
	a.mu.Lock()
	plain, known := a.plain[dir]
	a.mu.Unlock()
	if known {
		return plain
	}
	real, err := a.System.Real(dir)
	plain = err == nil && real == dir
	a.mu.Lock()
	a.plain[dir] = plain
	a.mu.Unlock()
	return plain
}
