package git

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	format "github.com/go-git/go-git/v5/plumbing/format/config"

	"github.com/rollstamp/rollstamp/diag"
)

// Remote is a repository that this one was made from or is sent to.
type Remote struct {
	Name string
	URLs []string // as the configuration writes them; they may hold credentials
}

// settings are what matters here of a repository's configuration.
type settings struct {
	remotes  []Remote
	partial  bool
	upstream map[string]string // branch -> the reference that it follows
	filters  map[string]bool   // those that make something of a file that is checked out
	carriage bool              // text is checked out with CR LF
}

// readSettings reads the repository's configuration file; the user's and the system's do not count, and includes are
// not followed.
func readSettings(at dirs) (settings, error) {
	file := filepath.Join(at.common, "config")
	text, err := readSmall(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return settings{}, unreadable(file, err)
	}
	raw := format.New()
	if err := format.NewDecoder(strings.NewReader(text + "\n")).Decode(raw); err != nil {
		return settings{}, diag.Input(diag.Position{File: file},
			errors.New("read configuration: not in the form that git writes"), "")
	}
	if err := checkSupported(raw); err != nil {
		return settings{}, diag.Input(diag.Position{File: at.top}, unsupported{err}, "Pass two folders instead of revisions.")
	}
	s := settings{upstream: map[string]string{}, filters: map[string]bool{},
		partial: raw.Section("extensions").Option("partialclone") != ""}
	ends := raw.Section("core")
	s.carriage = isOn(ends.Option("autocrlf")) || ends.Option("eol") == "crlf" && ends.Option("autocrlf") != "input"
	for _, sub := range raw.Section("filter").Subsections {
		s.filters[sub.Name] = sub.Option("smudge") != "" || sub.Option("process") != ""
	}
	for _, sub := range raw.Section("remote").Subsections {
		s.remotes = append(s.remotes, Remote{Name: sub.Name, URLs: sub.Options.GetAll("url")})
		s.partial = s.partial || sub.Option("promisor") == "true" || sub.Option("partialclonefilter") != ""
	}
	slices.SortFunc(s.remotes, byName)
	for _, sub := range raw.Section("branch").Subsections {
		remote, merge := sub.Option("remote"), plumbing.ReferenceName(sub.Option("merge"))
		switch {
		case remote == "" || !merge.IsBranch():
		case remote == ".":
			s.upstream[sub.Name] = merge.String()
		default:
			s.upstream[sub.Name] = "refs/remotes/" + remote + "/" + merge.Short()
		}
	}
	return s, nil
}

// isOn reports whether a switch is on.
func isOn(value string) bool {
	return slices.Contains([]string{"true", "yes", "on", "1"}, strings.ToLower(value))
}

// checkSupported refuses formats in which objects or references are written otherwise.
func checkSupported(raw *format.Config) error {
	if v := raw.Section("core").Option("repositoryformatversion"); v != "" && v != "0" && v != "1" {
		return fmt.Errorf("the repository's format version %q is not known", v)
	}
	for _, o := range raw.Section("extensions").Options {
		switch name, value := strings.ToLower(o.Key), strings.ToLower(o.Value); {
		case name == "objectformat" && value != "sha1":
			return fmt.Errorf("repositories with %s objects cannot be read", value)
		case name == "refstorage" && value != "files":
			return fmt.Errorf("repositories that keep references in the format %s cannot be read", value)
		case name == "compatobjectformat":
			return errors.New("repositories with two formats of objects cannot be read")
		}
	}
	return nil
}

// ErrUnsupported is that a repository has a form that cannot be read here.
var ErrUnsupported = errors.New("the repository has a form that cannot be read")

// unsupported is an ErrUnsupported in words of its own.
type unsupported struct{ error }

// Is reports whether target is ErrUnsupported.
func (unsupported) Is(target error) bool { return target == ErrUnsupported }

// readShallow lists the commits whose parents were left out of a shallow clone.
func readShallow(common string) (map[plumbing.Hash]bool, error) {
	file := filepath.Join(common, "shallow")
	text, err := readSmall(file)
	if errors.Is(err, fs.ErrNotExist) || text == "" && err == nil {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(file, err)
	}
	out := map[plumbing.Hash]bool{}
	for line := range strings.Lines(text) {
		out[plumbing.NewHash(strings.TrimSpace(line))] = true
	}
	return out, nil
}

// byName sorts remotes.
func byName(a, b Remote) int { return cmp.Compare(a.Name, b.Name) }
