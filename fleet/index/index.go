// Package index records which files of an output folder were rendered, and finds those that no application renders any
// more.
package index

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/fleet"
)

// Name is the name of the index in an output folder.
const Name = ".rollstamp-index"

const header = "# Written by rollstamp render --output-dir: its files, and the argument that named each. --prune removes only these.\n"

// Index lists the files of an output folder that were rendered.
type Index struct {
	dir     string
	entries map[string]string // the argument by the file; both relative to the folder, with slashes
}

// Read returns the index of an output folder, which is empty where there is none.
func Read(dir string) (*Index, error) {
	x := &Index{dir: dir, entries: map[string]string{}}
	at := filepath.Join(dir, Name)
	text, err := os.ReadFile(at)
	if errors.Is(err, fs.ErrNotExist) {
		return x, nil
	}
	if err != nil {
		return nil, diag.Input(diag.Position{File: at}, fmt.Errorf("read index: %w", files.Cause(err)), "")
	}
	x.entries = make(map[string]string, bytes.Count(text, []byte("\n")))
	for n, lines := 1, bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); n++ {
		line := lines.Text()
		if line == "" || line[0] == '#' || isConflictMark(line) {
			continue
		}
		file, argument, err := parse(line)
		if err != nil {
			return nil, diag.Input(diag.Position{File: at, Line: n}, fmt.Errorf("read index: %w", err),
				"Restore the file, or remove it: it is written again, and nothing is pruned that it does not list.")
		}
		x.entries[file] = argument
	}
	return x, nil
}

// isConflictMark reports whether a merge left the line: of two sides, the files of both count.
func isConflictMark(line string) bool {
	for _, mark := range []string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return false
}

// parse reads a line: a file, a tab and an argument.
func parse(line string) (file, argument string, err error) {
	file, argument, ok := strings.Cut(line, "\t")
	if file, err = unquote(file); err == nil {
		argument, err = unquote(argument)
	}
	if !ok || err != nil {
		return "", "", errors.New("want a file, a tab and an argument")
	}
	if !filepath.IsLocal(filepath.FromSlash(file)) || path.Base(file) != fleet.Manifests && !isObject(file, argument) {
		return "", "", fmt.Errorf("%s is no file that a render writes into this folder", file)
	}
	return file, argument, nil
}

// isObject reports whether a file is named after the object of an engine that the argument names.
func isObject(file, argument string) bool {
	as, _, ok := strings.Cut(argument, " ")
	return ok && fleet.LayoutOf(config.AppKind(as)) == fleet.Objects && fleet.IsObjectFile(file)
}

// Files returns the files that the index lists, from the folder, with slashes; sorted.
func (x *Index) Files() []string { return slices.Sorted(maps.Keys(x.entries)) }

// nameOf returns the name of the application that a file is of.
func (x *Index) nameOf(file string) string {
	if isObject(file, x.entries[file]) {
		return fleet.ObjectName(file)
	}
	return path.Dir(file)
}

// WriteTo writes the index.
func (x *Index) WriteTo(w io.Writer) (int64, error) {
	out := bytes.NewBufferString(header)
	for _, file := range slices.Sorted(maps.Keys(x.entries)) {
		fmt.Fprintf(out, "%s\t%s\n", quote(file), quote(x.entries[file]))
	}
	return out.WriteTo(w)
}

// quote returns a text on one line without a tab.
func quote(text string) string {
	if text == "" || strings.ContainsAny(text, "\t\n\r\"") || text[0] == '#' || isConflictMark(text) {
		return strconv.Quote(text)
	}
	return text
}

func unquote(text string) (string, error) {
	if strings.HasPrefix(text, `"`) {
		return strconv.Unquote(text)
	}
	return text, nil
}
