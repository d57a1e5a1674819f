package index

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/fleet"
)

// Run is a run that renders into an output folder.
type Run struct {
	Dir       string   // as the user wrote it
	As        string   // the engine whose objects the arguments hold; "" where they are paths
	Arguments []string // as the user wrote them
	Names     []string // of all its applications, those of other shards among them
	Shard     fleet.Shard
}

// Leftover is a file in the output folder that no application renders any more.
type Leftover struct {
	File   string // from the working folder
	Name   string // of the application, as the file's path has it
	Listed bool   // the index has it, so that it may be removed
	// Unasked: the run was not asked for it, and what it was rendered from is gone.
	Unasked bool

	entry string
}

// Leftovers returns the files of the folder that the arguments of the run cover and that none of its applications
// writes, in the order of their names; and those of the index whose application is gone, whatever the run was asked
// for. Of a run in shards each has its own.
func (r Run) Leftovers(x *Index) ([]Leftover, error) {
	written := make(map[string]bool, len(r.Names))
	entry, err := r.entries()
	if err != nil {
		return nil, err
	}
	for _, name := range r.Names {
		if !r.layout().Accepts(name) {
			continue // it fails
		}
		file, err := entry(name)
		if err != nil {
			return nil, err
		}
		written[file] = true
	}
	found, arguments, here := map[string]Leftover{}, sync.OnceValue(r.arguments), sync.OnceValue(workingRepository)
	for file, argument := range x.entries {
		at := filepath.Join(r.Dir, filepath.FromSlash(file))
		if written[file] || !isFile(at) {
			continue
		}
		if covered := r.covers(arguments(), argument); covered || r.isGone(argument, here) {
			found[file] = Leftover{File: at, Listed: true, Unasked: !covered}
		}
	}
	if err := r.addUnlisted(x, found, written); err != nil {
		return nil, err
	}
	var out []Leftover
	for file, l := range found {
		l.entry, l.Name = file, x.nameOf(file)
		if len(r.Shard.Select([]string{l.Name})) > 0 {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b Leftover) int { return strings.Compare(a.entry, b.entry) })
	return out, nil
}

// CheckForeign returns an error where a file of one of the applications is there already and no run wrote it. Only the
// layout Objects is checked: what the user has may well be called so.
func (r Run) CheckForeign(x *Index, names []string) error {
	if r.layout() != fleet.Objects {
		return nil
	}
	entry, err := r.entries()
	if err != nil {
		return err
	}
	for _, name := range names {
		if !r.layout().Accepts(name) {
			continue // it fails
		}
		file, err := entry(name)
		if err != nil {
			return err
		}
		at := filepath.Join(r.Dir, filepath.FromSlash(file))
		if _, listed := x.entries[file]; listed {
			continue
		}
		if _, err := os.Lstat(at); err == nil {
			return diag.Input(diag.Position{File: at},
				fmt.Errorf("write %s: the file is there, and %s does not have it", name, filepath.Join(r.Dir, Name)),
				"Render into another folder; or remove the file, where a run that was killed left it.")
		}
	}
	return nil
}

// addUnlisted adds files that the index does not have, at the places of what a pattern of the run would fit.
func (r Run) addUnlisted(x *Index, found map[string]Leftover, written map[string]bool) error {
	for _, argument := range r.Arguments {
		if r.As != "" || !fleet.IsPattern(argument) {
			continue
		}
		pattern, err := fleet.Folders.PlaceOf(r.Dir, argument)
		if err != nil {
			return err
		}
		folders, name := filepath.Split(pattern)
		matches, _ := files.Glob(files.Disk{}, filepath.Clean(folders)) // a pattern that cannot be read has been refused
		for _, dir := range matches {
			at := filepath.Join(dir, name)
			rel, err := filepath.Rel(r.Dir, at)
			file := filepath.ToSlash(rel)
			if _, listed := x.entries[file]; err == nil && !listed && !written[file] && isFile(at) {
				found[file] = Leftover{File: at}
			}
		}
	}
	return nil
}

// covers reports whether an application that an argument named would be one of the run with these arguments, if it were
// there.
func (r Run) covers(arguments []string, argument string) bool {
	for _, own := range arguments {
		if own == argument || r.As == "" && own == withoutEnv(argument) {
			return true
		}
		if r.As != "" || !fleet.IsPattern(own) {
			continue
		}
		for _, path := range []string{argument, withoutEnv(argument)} {
			if fits, err := filepath.Match(filepath.FromSlash(own), filepath.FromSlash(path)); err == nil && fits {
				return true
			}
		}
	}
	return false
}

// arguments returns the arguments of the run as the index has them.
func (r Run) arguments() (out []string) {
	pathOf := r.indexPaths()
	if r.As != "" {
		return []string{pathOf("")}
	}
	for _, argument := range r.orHere() {
		out = append(out, pathOf(argument))
	}
	return out
}

// indexPaths returns what returns an argument as the index has it. Objects of an engine lead to each other, so that all
// arguments count together there.
func (r Run) indexPaths() func(argument string) string {
	pathOf := argumentPaths(r.Dir)
	if r.As == "" {
		return pathOf
	}
	return func(string) string {
		out := r.As
		for _, argument := range r.orHere() {
			out += " " + pathOf(argument)
		}
		return out
	}
}

func (r Run) orHere() []string {
	if len(r.Arguments) == 0 {
		return []string{"."}
	}
	return r.Arguments
}

// isGone reports whether what an argument named is not there any more, for a run in a repository.
func (r Run) isGone(argument string, here func() repository) bool {
	if fleet.IsPattern(argument) || strings.Contains(argument, " ") {
		return false
	}
	for _, path := range []string{argument, withoutEnv(argument)} {
		at := diskPath(r.Dir, path, here)
		if at == "" {
			return false
		}
		if _, err := os.Lstat(at); err == nil {
			return false
		}
	}
	return true
}

func (r Run) layout() fleet.Layout { return fleet.LayoutOf(config.AppKind(r.As)) }

// entries returns what returns the file of an application as the index has it.
func (r Run) entries() (func(name string) (string, error), error) {
	placeOf, err := r.layout().In(r.Dir)
	return func(name string) (string, error) {
		file, err := placeOf(name)
		if err != nil {
			return "", err
		}
		rel, err := filepath.Rel(r.Dir, file)
		return filepath.ToSlash(rel), err
	}, err
}

// withoutEnv returns an argument without the environment that it may name.
func withoutEnv(argument string) string {
	if i := strings.LastIndexByte(argument, '@'); i > 0 && !strings.Contains(argument[i:], "/") {
		return argument[:i]
	}
	return argument
}

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeType == 0
}
