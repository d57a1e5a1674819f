// Package remote reads how kustomizations name what is not on this machine, and asks web servers for files.
package remote

import (
	"cmp"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rollstamp/rollstamp/git"
	"github.com/rollstamp/rollstamp/redact"
)

// IsURL reports whether kustomize would ask a web server for path, even where a file has that name.
func IsURL(path string) bool {
	u, err := url.Parse(path)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https")
}

// Repository is a folder in a Git repository, as an entry of a kustomization names it.
type Repository struct {
	URL        string // what to clone
	Ref        string // branch, tag or commit; "" is the default branch
	Folder     string // in the repository; "" is its root
	Submodules bool
	Time       time.Duration // for the fetch
}

// Parse reads the notations that kustomize takes for a Git repository, and only those:
// [git::][SCHEME://][USER@]HOST/PATH, USER@HOST:PATH and github.com/PATH, each with ?ref=REF.
func Parse(entry string) (Repository, bool) {
	if filepath.IsAbs(entry) {
		return Repository{}, false
	}
	rest, query, _ := strings.Cut(entry, "?")
	rest, _ = cutPrefixFold(rest, "git::")
	var scheme string
	for _, s := range []string{"ssh://", "https://", "http://", "file://"} {
		if r, ok := cutPrefixFold(rest, s); ok {
			scheme, rest = s, r
			break
		}
	}
	if scheme == "file://" {
		return splitRepository(scheme, rest, query, -1)
	}
	user := gitUser(rest)
	rest = rest[len(user):]
	low := strings.ToLower(rest)
	github := strings.HasPrefix(low, "github.com/") || strings.HasPrefix(low, "github.com:")
	short := scheme == "" && (user != "" || github)
	if scheme == "" && !short {
		return Repository{}, false
	}
	end := strings.Index(rest, "/")
	if colon := strings.Index(rest, ":"); short && (end < 0 || colon > 0 && colon < end) {
		end = colon
	}
	host := rest[:end+1]
	if end < 0 {
		host, rest = rest, ""
	}
	rest = rest[end+1:]
	switch {
	case github && (scheme == "ssh://" || user != ""):
		scheme, host = "", "github.com:"
	case github:
		scheme, host = "https://", "github.com/"
	}
	if host == "" {
		return Repository{}, false
	}
	return splitRepository(scheme+user+host, rest, query, 2)
}

// gitUser returns the USER@ that a notation begins with, or "".
func gitUser(s string) string {
	for i := range len(s) {
		c := s[i] | 0x20
		switch {
		case c >= 'a' && c <= 'z', i > 0 && (s[i] >= '0' && s[i] <= '9' || s[i] == '-'):
		case i > 0 && s[i] == '@':
			return s[:i+1]
		default:
			return ""
		}
	}
	return ""
}

// splitRepository separates the repository from the folder in it: at "_git/NAME", at "//", after ".git", or after so
// many segments, all of them for -1.
func splitRepository(host, path, query string, segments int) (Repository, bool) {
	var repo, folder string
	switch {
	case strings.Contains(path, "_git/"):
		at := strings.Index(path, "_git/") + len("_git/")
		name, rest, _ := strings.Cut(path[at:], "/")
		repo, folder = path[:at]+name, rest
	case strings.Contains(path, "//"):
		repo, folder, _ = strings.Cut(path, "//")
	case strings.Contains(path, ".git"):
		repo, folder, _ = strings.Cut(path, ".git")
		repo += ".git"
	case segments < 0:
		repo = path
	default:
		parts := strings.Split(path, "/")
		if len(parts) < segments {
			return Repository{}, false
		}
		repo, folder = strings.Join(parts[:segments], "/"), strings.Join(parts[segments:], "/")
	}
	folder = strings.TrimPrefix(folder, "/")
	if clean := filepath.Clean(folder); repo == "" || clean == ".." || strings.HasPrefix(clean, "../") {
		return Repository{}, false
	}
	r := Repository{URL: host + repo, Folder: folder, Submodules: true, Time: git.FetchTime}
	if q, err := url.ParseQuery(query); err == nil {
		r.options(q)
	}
	return r, true
}

func (r *Repository) options(q url.Values) {
	r.Ref = cmp.Or(q.Get("ref"), q.Get("version"))
	if yes, err := strconv.ParseBool(q.Get("submodules")); err == nil {
		r.Submodules = yes
	}
	if n, err := strconv.Atoi(q.Get("timeout")); err == nil && n > 0 {
		r.Time = time.Duration(n) * time.Second
	} else if d, err := time.ParseDuration(q.Get("timeout")); err == nil && d > 0 {
		r.Time = d
	}
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):], true
	}
	return s, false
}

// Display returns a URL without what may be a credential: a user, and all of the query but the reference.
func Display(raw string) string {
	path, query, _ := strings.Cut(raw, "?")
	path = redact.URLs(path)
	if q, err := url.ParseQuery(query); err == nil && q.Get("ref") != "" {
		path += "?ref=" + q.Get("ref")
	}
	return path
}
