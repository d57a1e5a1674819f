package lock

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/sources"
)

// outsideHint is the next step where what is found under the name of a lock is no file of the repository.
const outsideHint = "A lock is a file in the repository: put it there, or take the link out."

// Nearest reads the lock that is in force at a place; nil where there is none.
func Nearest(at config.Place) (*File, error) { return (*Cache)(nil).Nearest(at) }

// NearestToWrite reads the lock that is in force at a place, to write it again: also one that a merge left in
// conflict, and one of an older schema. It returns nil where there is none.
func NearestToWrite(at config.Place) (*File, error) { return (*Cache)(nil).NearestToWrite(at) }

// LevelAt returns the level at which the lock in force at a place holds its applications, and where it stands; 0 where
// there is none. It reads no more than the head of the lock: what is wrong with it is reported when it is used.
func LevelAt(at config.Place) (level int, pos diag.Position) {
	path, err := at.Nearest(FileName)
	if path == "" || err != nil {
		return 0, diag.Position{}
	}
	file, err := files.Open(files.OrDisk(at.Files), path)
	if err != nil {
		return 0, diag.Position{}
	}
	defer file.Close()
	head, number := 0, 0
lines:
	for text := bufio.NewScanner(file); text.Scan(); {
		number++
		words := strings.Fields(text.Text())
		switch {
		case len(words) == 0, strings.HasPrefix(words[0], "#"), isMark(text.Text()):
			continue
		case len(words) == 2 && words[0] == schemaWord:
			level, head = 1, number
			continue
		case len(words) == 2 && words[0] == levelWord && level > 0:
			if n, err := strconv.Atoi(words[1]); err == nil && n >= 1 && n <= config.MaxLevel {
				level, head = n, number
			}
			break lines
		default:
			break lines
		}
	}
	return level, diag.Position{File: path, Line: head}
}

// nearest returns the lock that is in force at a place, and its text; the path is "" where there is none.
func nearest(at config.Place) (path string, text []byte, err error) {
	path, err = at.Nearest(FileName)
	if err != nil {
		return "", nil, diag.Usage(err, outsideHint)
	}
	if path == "" {
		return "", nil, nil
	}
	return readAt(at, path)
}

// readAt returns the lock at a path, and its text; the path is "" where there is none.
func readAt(at config.Place, path string) (_ string, text []byte, err error) {
	text, err = read(path, files.OrDisk(at.Files))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, nil
	}
	return path, text, err
}

// InForce takes what the lock holds that is in force at a place. It is read when something is asked for.
type InForce struct {
	Place config.Place
	Key   string // the run's hash key, by which locks distinguish keys; "" is none
	// ByManifest lets what the lock does not have count by its manifest; it is an error otherwise.
	ByManifest bool
	Locks      *Cache
}

var _ sources.VersionResolver = InForce{}

// Resolve returns what the lock holds, without asking anybody, and reports digests of another hash key.
func (l InForce) Resolve(_ context.Context, refs []sources.Ref) ([]sources.Answer, []diag.Finding, error) {
	file, err := l.Locks.Nearest(l.Place)
	if err != nil {
		return nil, nil, err
	}
	if file == nil && l.ByManifest {
		file = &File{}
	}
	if file == nil {
		err := fmt.Errorf("look up %s: there is no %s from here up to %s", refs[0].ID(), FileName, l.Place.Root)
		return nil, nil, diag.Input(diag.Position{File: l.Place.Dir}, err, "Make one with 'rollstamp lock' and commit it.")
	}
	answers, err := file.resolve(refs, l.ByManifest)
	if err != nil {
		return nil, nil, err
	}
	return answers, l.compare(file, refs, answers), nil
}

// compare reports digests that were made with another hash key than the run has. They stand for their values as well as
// any; but where one key is meant for both, the run has the wrong one.
func (l InForce) compare(file *File, refs []sources.Ref, answers []sources.Answer) []diag.Finding {
	others := map[string]bool{}
	for i, answer := range answers {
		if ofAnother(answer, l.Key) {
			_, name, _ := file.Get(refs[i])
			others[name] = true
		}
	}
	if len(others) == 0 {
		return nil
	}
	first := slices.Sorted(maps.Keys(others))[0]
	f := diag.New(diag.OtherHashKey, "", fmt.Sprintf("digests of %d values in the lock were made with another hash key, "+
		"or domain, than this run has, such as that of %s", len(others), first))
	return []diag.Finding{f.At(file.Position(first))}
}

// ofAnother reports whether a lock's digest was made with another key than the one of an ID, where both are known.
func ofAnother(locked sources.Answer, key string) bool {
	return locked.Digest != "" && locked.Key != "" && key != "" && locked.Key != key
}
