package lock

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// What can be wrong with a lock. Each is wrapped in a *diag.Error with file and line.
var (
	ErrConflict  = errors.New("marks of a merge conflict")
	ErrSchema    = errors.New("the lock has a newer schema")
	ErrLevel     = errors.New("the lock has a newer level")
	ErrOld       = errors.New("the lock has an older schema")
	ErrDuplicate = errors.New("the key is locked twice")
	ErrLine      = errors.New("no line of a lock")
)

// maxSize is that of the largest lock that is read: a hundred thousand keys fit.
const maxSize = 32 << 20

// Load reads the lock at path. One that is not there is an error that wraps fs.ErrNotExist.
func Load(path string, system files.System) (*File, error) {
	text, err := read(path, system)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// read returns the text of the lock at path.
func read(path string, system files.System) ([]byte, error) {
	system = files.OrDisk(system)
	info, err := system.Stat(path)
	if err == nil && info.Size() > maxSize {
		return nil, diag.Input(diag.Position{File: path}, fmt.Errorf("read lock: larger than %d MiB", maxSize>>20),
			"Is it a lock? What no application has goes by 'rollstamp lock --prune', and a folder may have a lock of its own.")
	}
	var text []byte
	if err == nil {
		text, err = system.ReadFile(path)
	}
	if err != nil {
		err = files.Cause(err)
		hint := "Make it a file that can be read: one that is there is not written again without that."
		if errors.Is(err, fs.ErrNotExist) {
			hint = "Make one with 'rollstamp lock'."
		}
		return nil, diag.Input(diag.Position{File: path}, fmt.Errorf("read lock: %w", err), hint)
	}
	return text, nil
}

// Parse reads a lock. The order of its lines does not matter; all else does.
func Parse(path string, text []byte) (*File, error) { return parse(path, text, false) }

// parse reads a lock; with merging, also one that is to be written again: of an older schema, without its first line,
// or left in conflict by a merge. Of names whose lines differ none is taken then.
func parse(path string, text []byte, merging bool) (*File, error) {
	f := &File{path: path, entries: make(map[string]entry, bytes.Count(text, []byte{'\n'})/2)}
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return nil, f.brokenLine(1, fmt.Errorf("%w: the text is in UTF-16", ErrLine),
			"Save it as UTF-8, or delete it and run 'rollstamp lock'.")
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // some editors put it there
	number, began, base := 0, false, false
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if merging && isMark(line) {
			base = strings.HasPrefix(line, "|||||||") // what both sides began with is neither's
			f.marked = true
			f.refuse(f.line(line, number, &began))
			continue
		}
		if base {
			continue
		}
		err := f.line(line, number, &began)
		// The lines of an older schema are those of today, as far as they fit.
		if err != nil && !(merging && (errors.Is(err, ErrOld) || f.unresolve(err, line, number))) {
			return nil, withMergeHint(err, path, text)
		}
		f.refuse(err)
	}
	if !began && f.Len() > 0 {
		err := f.brokenLine(1, fmt.Errorf("%w: 'schema %d' is missing above it", ErrLine, Schema),
			"Write it again with 'rollstamp lock'.")
		if !merging {
			return nil, err
		}
		f.refuse(err)
	}
	f.malformed = f.withHint(f.malformed)
	return f, nil
}

// refuse records why renders refuse the file; the first reason counts.
func (f *File) refuse(err error) {
	if f.malformed == nil {
		f.malformed = err
	}
}

// unresolve takes a line of a name that has one already: an equal one says nothing new, of others none counts. It
// reports whether err was about such a line.
func (f *File) unresolve(err error, line string, number int) bool {
	if !errors.Is(err, ErrDuplicate) {
		return false
	}
	words := strings.Split(line, " ")
	name := words[0] + " " + words[1]
	e := f.entries[name]
	same := e.class == words[2] && escape(e.text) == words[3] && e.key == strings.Join(words[4:], "")
	if same && f.unresolved[name] == 0 {
		return true
	}
	if later, is := laterRestart(e, words); is { // of two restarts one is enough
		e.text, e.line = later, number
		f.entries[name] = e
		return true
	}
	if f.unresolved == nil {
		f.unresolved = map[string]int{}
	}
	f.unresolved[name] = number
	return true
}

// laterRestart returns the later one of a restart and that of another line; it reports whether both are restarts.
func laterRestart(e entry, words []string) (string, bool) {
	text, ok := unescape(words[3])
	if !ok || e.class != string(Restart) || words[2] != e.class {
		return "", false
	}
	first, second := restartTime(e.text), restartTime(text)
	if first.IsZero() || second.IsZero() {
		return "", false
	}
	if cmp.Or(first.Compare(second), strings.Compare(e.text, text)) > 0 {
		return e.text, true
	}
	return text, true
}

func (f *File) brokenLine(line int, err error, hint string) error {
	return diag.Input(diag.Position{File: f.path, Line: line}, fmt.Errorf("read lock: %w", err), hint)
}

func (f *File) line(line string, number int, began *bool) error {
	switch {
	case strings.TrimSpace(line) == "", strings.HasPrefix(line, "#"):
		return nil
	case isMark(line):
		return f.brokenLine(number, ErrConflict, "")
	}
	var memory [6]string // a line has five words at most
	words := splitInto(memory[:0], line)
	if !*began && words[0] == schemaWord && len(words) == 2 {
		*began, f.level = true, 1
		return f.checkKnown(words[1], number)
	}
	if *began && words[0] == schemaWord && len(words) == 2 {
		return f.brokenLine(number, fmt.Errorf("%w: it has a schema already, above", ErrLine),
			"Two locks were put together: take the schema's second line out, and lines that stand there twice.")
	}
	if *began && words[0] == levelWord && len(words) == 2 && f.Len() == 0 {
		return f.setLevel(words[1], number)
	}
	key := ""
	if len(words) == 5 && words[2] == classValue && hexadecimal(words[4], 16) {
		words, key = words[:4], words[4]
	}
	if len(words) != 4 || !isClass(words[0], words[2]) || strings.Count(words[0], "/") < 1 {
		return f.brokenLine(number, ErrLine, "A line is: store, key, 'version' or 'value', what it is, and perhaps the hash key of a value, with one space between them; or an application, a workload, a decision, and what it is.")
	}
	text, ok := unescape(words[3])
	if !ok || words[2] == classValue && !hexadecimal(text, 32) {
		return f.brokenLine(number, ErrLine, "Delete the line and write it again with 'rollstamp lock'.")
	}
	if words[2] == classCommit && !hexadecimal(text, commitLength) {
		return f.brokenLine(number, fmt.Errorf("%w: %s takes a hash of %d digits", ErrLine, words[2], commitLength),
			"Delete the line and write it again with 'rollstamp lock'.")
	}
	if isApplication(words[0]) {
		if err := f.checkDecision(Class(words[2]), words[1], text, number); err != nil {
			return err
		}
	}
	name := line[:len(words[0])+1+len(words[1])]
	if first, twice := f.entries[name]; twice {
		return f.brokenLine(number, fmt.Errorf("%w, first in line %d: %s", ErrDuplicate, first.line, name),
			"")
	}
	f.add(entry{name: name, class: words[2], text: text, key: key, line: number})
	return nil
}

// checkDecision returns the error about a line with a decision that says nothing.
func (f *File) checkDecision(class Class, about, text string, number int) error {
	isDigests := class == Adopted || class == Approved
	workload, _, hasObject := strings.Cut(about, "#")
	kind, rest, _ := strings.Cut(workload, "/")
	_, name, _ := strings.Cut(rest, "/")
	switch {
	case kind == "" || name == "" || strings.Contains(name, "/") || hasObject != isDigests:
		return f.brokenLine(number, fmt.Errorf("%w: %s does not name what %s is about", ErrLine, about, class),
			"It is KIND/NAMESPACE/NAME, and but for restart what the workload reads: Deployment/shop/web#ConfigMap/settings.")
	case isDigests && !isHeld(text):
		return f.brokenLine(number, fmt.Errorf("%w: %s takes digests", ErrLine, class),
			"Delete the line and write it again with 'rollstamp adopt' or 'rollstamp approve'.")
	case class == Restart && restartTime(text).IsZero():
		return f.brokenLine(number, fmt.Errorf("%w: %s takes a time first, such as 2026-05-01T10:00:00Z", ErrLine, class),
			"Delete the line and write it again with 'rollstamp restart'.")
	}
	return nil
}

// splitInto returns the words of a line in memory that takes more of them than a line may have: the rest is left out.
func splitInto(memory []string, line string) []string {
	for word := range strings.SplitSeq(line, " ") {
		if len(memory) == cap(memory) {
			break
		}
		memory = append(memory, word)
	}
	return memory
}

func (f *File) checkKnown(word string, number int) error {
	n, err := strconv.Atoi(word)
	switch {
	case err != nil || n < 1:
		return f.brokenLine(number, ErrLine, "The schema is a number.")
	case n < Schema:
		return f.brokenLine(number, fmt.Errorf("%w: %d, this version knows %d", ErrOld, n, Schema),
			"Write it again with 'rollstamp lock'.")
	case n > Schema:
		return f.brokenLine(number, fmt.Errorf("%w: %d, this version knows %d", ErrSchema, n, Schema),
			"Use the version of rollstamp that wrote it, or a newer one.")
	}
	return nil
}

// setLevel takes the line of the level. It says 1 until then.
func (f *File) setLevel(word string, number int) error {
	n, err := strconv.Atoi(word)
	switch {
	case err != nil || n < 1 || f.level > 1:
		return f.brokenLine(number, ErrLine, "The level is a number from 1 on, and stands there once.")
	case n > config.MaxLevel:
		return f.brokenLine(number, fmt.Errorf("%w: %d, this version knows %d", ErrLevel, n, config.MaxLevel),
			"Use the version of rollstamp that wrote it, or a newer one.")
	}
	f.level = n
	return nil
}

// isClass reports whether a line whose first word names a store, or an application, may have a class.
func isClass(first, class string) bool {
	if isApplication(first) {
		return slices.Contains(decisionClasses, Class(class))
	}
	if IsRepository(first) {
		return class == classCommit
	}
	return class == classVersion || class == classValue
}

// isMark reports whether a line is one that Git puts around the sides of a conflict.
func isMark(line string) bool {
	for _, mark := range []string{"<<<<<<<", "=======", ">>>>>>>", "|||||||"} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return false
}

// hexadecimal reports whether s is a digest of so many digits; anything else might be a value that somebody wrote
// there.
func hexadecimal(s string, digits int) bool {
	return len(s) == digits && strings.Trim(s, "0123456789abcdef") == ""
}
