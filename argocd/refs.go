package argocd

import (
	"errors"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/workspace"
)

// Argo CD resolves $ref, the files of an application's other sources, only for its own Helm; a plugin gets the text
// "$ref/...". The option refs names their substitutes: a folder of the same repository, or another repository at one
// commit. What a branch or range of versions means changes without a commit there, and Argo CD caches a plugin's answer
// until there is one: so the lock says at which commit it is, or the operator permits to ask each time, and the answer
// says which commit it was.

// elsewhere matches a repository at a revision; an @ in front of the host is that of its user.
var elsewhere = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\S+://[^/\s]+/\S*)@([^@\s]+)$`) })

// refsPlaces returns where a file says what stands for a source; the zero value where a variable or parameter does.
func refsPlaces(file *config.File, settings []setting) func(name string) diag.Position {
	return func(name string) diag.Position {
		for _, s := range settings {
			if all, ok := s.value.(tree); ok && s.option.Name == "refs" && (s.key == "" || all[name] != nil) {
				return diag.Position{}
			}
		}
		pos, _ := file.Where("argocd.refs." + name) // the zero value where it is not given
		return pos
	}
}

// refs finds the folders of other sources, whose places are the positions of their names.
func (c *Call) refs(value any, places func(name string) diag.Position) error {
	refs, _ := value.(tree)
	if len(refs) == 0 {
		return nil
	}
	c.Refs = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(refs)) {
		place, _ := refs[name].(string)
		if url, ok := workspace.SSHURL(place); ok && hasColon(place) {
			place = url
		}
		if strings.Contains(place, "://") {
			m := elsewhere().FindStringSubmatch(place)
			if strings.HasPrefix(place, "file:") {
				return at(places(name), usage("refs "+name, "Name a folder of this repository, from its top, or an address that "+
					"Argo CD reaches, too.", "repositories are not fetched by file"))
			}
			if m == nil {
				return at(places(name), notFollowed(name, place))
			}
			r := newRemote(name, m[1], m[2])
			r.at = places(name)
			c.remotes = append(c.remotes, r)
			continue
		}
		real, err := files.OrDisk(c.Files).Real(filepath.Join(c.Root, filepath.FromSlash(clean(place))))
		if err != nil {
			return at(places(name), usage("refs "+name, "It is a folder of this repository, from its top, or URL@COMMIT. "+
				narrowedHint, "there is no folder %q", place))
		}
		if !files.Within(c.Root, real) {
			return at(places(name), usage("refs "+name, "", "folder %q leads out of the repository", place))
		}
		c.Refs[name] = real
	}
	return nil
}

// at returns the error of an option with the position of what a file says of it.
func at(pos diag.Position, err error) error {
	var known *diag.Error
	if errors.As(err, &known) && known.Pos == (diag.Position{}) {
		return &diag.Error{Exit: known.Exit, Object: known.Object, Pos: pos, Err: known.Err, Hint: known.Hint}
	}
	return err
}

// hasColon reports whether user@host:path is meant, and not a folder with an @ in its name.
func hasColon(place string) bool {
	host, _, ok := strings.Cut(place, ":")
	return ok && !strings.Contains(host, "/")
}

// notFollowed returns the error of an address that names no revision, or one with blanks: a lock has none in its names.
func notFollowed(name, place string) error {
	_, rev, _ := strings.Cut(place, "://")
	at := strings.LastIndexByte(rev, '@')
	if host := strings.IndexByte(rev, '/'); host >= 0 && at > host && strings.ContainsAny(rev[at:], " \t") {
		return usage("refs "+name, "Write it without blanks: >=1.0.0,<1.2 for both, 1.x||2.x for one of two.",
			"a range of versions with blanks cannot be followed: %q", rev[at+1:])
	}
	return usage("refs "+name, "Write a commit, or a branch, tag or range of versions, behind the address.",
		"want an address of a repository and a revision behind it: URL@COMMIT")
}
