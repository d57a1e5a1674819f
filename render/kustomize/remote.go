package kustomize

import (
	"cmp"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/git"
	"github.com/rollstamp/rollstamp/redact"
)

// checkRemote refuses a kustomization that names something to fetch, unless that is allowed; then it fetches the files.
// kustomize would fetch it as it comes across it, with a client of its own and a git binary; so nothing remote may ever
// reach it.
func (t *tree) checkRemote(k *kustomization) error {
	for _, f := range k.folders() {
		if !t.req.Allow.Network && t.isRemote(k, f.path) {
			return t.remote(k, f.path, f.field, f.path)
		}
	}
	for _, f := range k.files() {
		switch {
		case !isURL(f.path):
		case !t.req.Allow.Network:
			return t.remote(k, f.path, f.field, f.path)
		default:
			if err := t.fetchFile(k, f.path, f.field); err != nil {
				return err
			}
		}
	}
	return t.checkClone(k, slices.Concat(k.folders(), k.files()))
}

// checkClone holds a kustomization that was fetched, and its plugins, to the files in and below its folder, as kustomize
// always does, whatever the load restrictor is for one's own.
func (t *tree) checkClone(k *kustomization, named loads) error {
	if t.overlay.around(k.dir) == "" {
		return nil
	}
	for _, f := range named {
		if isURL(f.path) {
			continue
		}
		dir, file, err := t.CleanedAbs(filepath.Join(k.dir, f.path))
		if err == nil && file != "" && !files.Within(k.dir, dir.String()) {
			return k.errorf(f.path, "read %q of %s: it is not in or below the kustomization, which was fetched", f.path, f.field)
		}
	}
	return nil
}

// remote refuses to fetch path.
func (t *tree) remote(k *kustomization, entry, what, path string) error {
	if t.req.Allow.Network {
		return k.errorf(entry, "fetch %s of %s: only what kustomizations themselves name is fetched", shownURL(path), what)
	}
	return &diag.Error{Exit: diag.ExitSource, Pos: k.at(entry),
		Err:  fmt.Errorf("fetch %s of %s: the network is not allowed", shownURL(path), what),
		Hint: "Allow it with --allow network, or keep a copy in the repository."}
}

// isRemote reports whether kustomize would fetch an entry that may be a folder. A file on disk comes before a repository,
// if it is one that kustomize can read.
func (t *tree) isRemote(k *kustomization, path string) bool {
	if isURL(path) {
		return true
	}
	if _, ok := parseRepository(path); !ok {
		return false
	}
	b, err := t.ReadFile(filepath.Join(k.dir, path))
	if err == nil {
		_, err = parse(b)
	}
	return err != nil
}

// loads are entries of a kustomization that name something to read.
type loads []load

type load struct{ field, path string }

func (l *loads) add(field string, paths ...string) {
	for _, p := range paths {
		*l = append(*l, load{field, p})
	}
}

// folders lists the entries that kustomize takes for a file, a URL, a repository or a folder.
func (k *kustomization) folders() loads {
	var all loads
	all.add("resources", k.kust.Resources...)
	all.add("generators", k.kust.Generators...)
	all.add("components", k.kust.Components...)
	all.add("transformers", k.kust.Transformers...)
	all.add("validators", k.kust.Validators...)
	return all
}

// files lists the entries that kustomize takes for a file or a URL.
func (k *kustomization) files() loads {
	var all loads
	c := k.kust
	all.add("openapi", c.OpenAPI["path"])
	all.add("crds", c.Crds...)
	all.add("configurations", c.Configurations...)
	for _, g := range c.ConfigMapGenerator {
		all.add("configMapGenerator", slices.Concat(g.EnvSources, []string{g.EnvSource}, sourceFiles(g.FileSources))...)
	}
	for _, g := range c.SecretGenerator {
		all.add("secretGenerator", slices.Concat(g.EnvSources, []string{g.EnvSource}, sourceFiles(g.FileSources))...)
	}
	for _, p := range c.PatchesStrategicMerge {
		all.add("patchesStrategicMerge", string(p))
	}
	for _, p := range slices.Concat(c.Patches, c.PatchesJson6902) {
		all.add("patches", p.Path)
	}
	for _, r := range c.Replacements {
		all.add("replacements", r.Path)
	}
	return all
}

// isURL reports whether kustomize would ask a web server for path, even where a file has that name.
func isURL(path string) bool {
	u, err := url.Parse(path)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https")
}

// repository is a folder in a Git repository, as an entry of a kustomization names it.
type repository struct {
	url        string // what to clone
	ref        string // branch, tag or commit; "" is the default branch
	folder     string // in the repository; "" is its root
	submodules bool
	time       time.Duration // for the fetch
}

// parseRepository reads the notations that kustomize takes for a Git repository, and only those:
// [git::][SCHEME://][USER@]HOST/PATH, USER@HOST:PATH and github.com/PATH, each with ?ref=REF.
func parseRepository(entry string) (repository, bool) {
	if filepath.IsAbs(entry) {
		return repository{}, false
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
		return repository{}, false
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
		return repository{}, false
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

// splitRepository tells the repository from the folder in it: at "_git/NAME", at "//", after ".git", or after so many
// segments, all of them for -1.
func splitRepository(host, path, query string, segments int) (repository, bool) {
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
			return repository{}, false
		}
		repo, folder = strings.Join(parts[:segments], "/"), strings.Join(parts[segments:], "/")
	}
	folder = strings.TrimPrefix(folder, "/")
	if clean := filepath.Clean(folder); repo == "" || clean == ".." || strings.HasPrefix(clean, "../") {
		return repository{}, false
	}
	r := repository{url: host + repo, folder: folder, submodules: true, time: git.FetchTime}
	if q, err := url.ParseQuery(query); err == nil {
		r.options(q)
	}
	return r, true
}

func (r *repository) options(q url.Values) {
	r.ref = cmp.Or(q.Get("ref"), q.Get("version"))
	if yes, err := strconv.ParseBool(q.Get("submodules")); err == nil {
		r.submodules = yes
	}
	if n, err := strconv.Atoi(q.Get("timeout")); err == nil && n > 0 {
		r.time = time.Duration(n) * time.Second
	} else if d, err := time.ParseDuration(q.Get("timeout")); err == nil && d > 0 {
		r.time = d
	}
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):], true
	}
	return s, false
}

// shownURL returns a URL without what may be a credential: a user, and all of the query but the reference.
func shownURL(raw string) string {
	path, query, _ := strings.Cut(raw, "?")
	path = redact.URLs(path)
	if q, err := url.ParseQuery(query); err == nil && q.Get("ref") != "" {
		path += "?ref=" + q.Get("ref")
	}
	return path
}
