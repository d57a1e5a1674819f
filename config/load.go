package config

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// maxFile is the size of the largest file that is read: far above what a person writes.
const maxFile = 1 << 20

// Load reads the configuration file that is in force at a place, or what is given instead of it, with what it extends.
// Where there is none, the File is empty and its Path "".
func Load(p Place) (*File, error) {
	chain, err := loadChain(p)
	if err != nil {
		return nil, err
	}
	if len(chain) == 0 {
		return newFile(""), nil
	}
	merged := chain[len(chain)-1]
	for _, child := range slices.Backward(chain[:len(chain)-1]) {
		merged = child.withParent(merged)
	}
	return merged, nil
}

// loadChain reads the configuration of a place and the files that it extends, child first. There is none where the
// place has no configuration.
func loadChain(p Place) (chain []*File, err error) {
	system := files.OrDisk(p.Files)
	var seen []string
	var next *File
	if p.Given != nil {
		next, err = parseFile(p.Given.Text, p.Given.Name)
		if err == nil {
			next.path = filepath.Join(p.Dir, p.Given.Name)
		}
	} else {
		var path string
		if path, err = p.find(FileName); err == nil && path == "" {
			return nil, nil
		}
		if err == nil {
			next, err = loadInside(system, p.Root, path, diag.Position{}, &seen)
		}
	}
	for err == nil {
		if err = next.findContext(system, p.Root); err != nil {
			break
		}
		if err = next.findApprovals(p.Root); err != nil {
			break
		}
		chain = append(chain, next)
		from := next.where["extends"] // the field that leads on
		if from == (diag.Position{}) {
			return chain, nil
		}
		parent := next.given.extends.Value
		if parent == "" || filepath.IsAbs(parent) {
			return nil, mistakeAt(from, errors.New("extends: want a path relative to this file"))
		}
		path := filepath.Join(filepath.Dir(next.path), filepath.FromSlash(parent))
		next, err = loadInside(system, p.Root, path, from, &seen)
	}
	return nil, err
}

// loadInside reads a file in root, to which a position led. It may not be one that was seen.
func loadInside(system files.System, root, path string, from diag.Position, seen *[]string) (*File, error) {
	real, err := inside(system, root, path)
	if err != nil {
		return nil, mistakeAt(from, err)
	}
	if slices.Contains(*seen, real) {
		circle := strings.Join(append(*seen, real), " -> ")
		return nil, mistakeAt(from, fmt.Errorf("extends: the files extend each other in a circle: %s", circle))
	}
	*seen = append(*seen, real)
	return loadOne(system, real)
}

// mistakeAt returns an error about a line of a configuration file.
func mistakeAt(pos diag.Position, err error) error {
	return &diag.Error{Exit: diag.ExitUsage, Pos: pos, Err: err}
}

// findContext makes the paths of the context absolute. They lead to something in the repository.
func (f *File) findContext(system files.System, root string) error {
	for i, c := range f.given.Context.Value {
		pos := f.where[fmt.Sprintf("context[%d]", i)]
		path := filepath.Join(filepath.Dir(f.path), filepath.FromSlash(string(c)))
		if filepath.IsAbs(string(c)) || !files.Within(root, path) {
			return mistakeAt(pos, fmt.Errorf("context: want a path relative to this file that stays in %s", root))
		}
		if real, err := system.Real(path); err == nil {
			path = real // what is not there is reported when it is read
		}
		if !files.Within(root, path) {
			return mistakeAt(pos, fmt.Errorf("context: %s leads out of %s", c, root))
		}
		f.given.Context.Value[i] = NonEmpty(path)
	}
	return nil
}

// loadOne reads one file.
func loadOne(system files.System, path string) (*File, error) {
	text, err := readSmall(system, path)
	if err != nil {
		return nil, mistakeAt(diag.Position{}, fmt.Errorf("read configuration: %s: %w", path, files.Cause(err)))
	}
	return parseFile(text, path)
}

// parseFile reads the text of a configuration file.
func parseFile(text []byte, path string) (f *File, err error) {
	f = newFile(path)
	if f.where, err = decode(text, path, InFile, f.given); err != nil {
		return nil, err
	}
	f.denied = map[Permission]diag.Position{}
	for i, p := range f.given.denied.Value {
		f.denied[p] = f.where[fmt.Sprintf("deny[%d]", i)]
	}
	return f, nil
}

// readSmall reads a regular file of bounded size.
func readSmall(system files.System, path string) ([]byte, error) {
	if info, err := system.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("is not a regular file")
	}
	f, err := files.Open(system, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("is larger than %d bytes", maxFile)
	}
	return text, err
}

// withParent returns f with what its parent says where f says nothing. A section is replaced as a whole.
func (f *File) withParent(parent *File) *File {
	merged := &File{path: f.path, given: f.given.Clone(), where: maps.Clone(f.where)}
	for _, row := range table {
		if _, given := f.where[topField(row.Name)]; row.In&InFile != 0 && row.field != nil && !given && !row.own {
			row.field.copy(merged.given, parent.given)
		}
	}
	rows, _ := rowsIn(InFile)
	for field, pos := range parent.where {
		top := topField(field)
		if _, given := f.where[top]; !given && !rows[top].own {
			merged.where[field] = pos
		}
	}
	merged.addDenied(f, parent)
	return merged
}

// addDenied denies what any of the files does: a file that extends another takes back nothing.
func (f *File) addDenied(files ...*File) {
	denied := &f.given.denied.Value
	*denied, f.denied = nil, map[Permission]diag.Position{}
	for _, file := range files {
		for _, p := range file.given.denied.Value {
			if _, has := f.denied[p]; !has {
				f.denied[p] = file.denied[p]
				*denied = append(*denied, p)
			}
		}
	}
}

// topField returns the field at the top that a place such as workloads[0].mode belongs to.
func topField(place string) string {
	if i := strings.IndexAny(place, ".["); i >= 0 {
		return place[:i]
	}
	return place
}
