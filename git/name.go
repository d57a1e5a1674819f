package git

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// Resolve returns the full hash of the commit that a revision names: a branch, a tag, a remote's branch, a full
// reference, a hash or the beginning of one, HEAD or @, any of them with ~N, ^, ^N, ^{commit} or @{upstream} after it.
func (r *Repository) Resolve(rev string) (string, error) {
	hash, err := r.resolve(rev)
	if err != nil {
		return "", err
	}
	return hash.String(), nil
}

func (r *Repository) resolve(rev string) (plumbing.Hash, error) {
	base, steps := rev, ""
	if i := strings.IndexAny(rev, "~^"); i >= 0 {
		base, steps = rev[:i], rev[i:]
	}
	hash, err := r.resolveName(rev, base)
	if err != nil {
		return hash, err
	}
	hash, kind, err := r.peel(hash)
	if err != nil {
		return hash, err
	}
	if kind != plumbing.CommitObject {
		return hash, r.fail(fmt.Errorf("revision %q is a %s, not a commit", rev, kind), "")
	}
	for steps != "" {
		var nth, back int
		if nth, back, steps, err = step(steps); err != nil {
			return hash, r.unknownRevision(rev, err)
		}
		for range back {
			if hash, err = r.parent(rev, hash, nth); err != nil {
				return hash, err
			}
		}
	}
	return hash, nil
}

// DefaultBranch returns the name of the branch that others build on, for Resolve: what the remote says it is
// (origin/HEAD), or else the first of origin/main, origin/master, main and master that is there.
func (r *Repository) DefaultBranch() (string, error) {
	names := []string{"origin/HEAD", "origin/main", "origin/master", "main", "master"}
	for _, name := range names {
		if _, err := r.Resolve(name); err == nil {
			return name, nil
		}
	}
	hint := "Name the revision to compare with."
	if r.isEmpty() {
		hint = hintEmpty
	}
	return "", r.fail(errors.New("find the default branch: none of "+strings.Join(names, ", ")+" is here"), hint)
}

// step reads one of ~N (N times the first parent) and ^N (the Nth parent; ^0 and ^{} are the commit itself).
func step(s string) (nth, back int, rest string, err error) {
	for _, peel := range []string{"^{commit}", "^{}"} {
		if rest, ok := strings.CutPrefix(s, peel); ok {
			return 0, 0, rest, nil
		}
	}
	end := 1
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	n := 1
	if end > 1 {
		if n, err = strconv.Atoi(s[1:end]); err != nil {
			return 0, 0, "", fmt.Errorf("%s is too large", s[:end])
		}
	}
	if end < len(s) && s[end] != '~' && s[end] != '^' {
		return 0, 0, "", fmt.Errorf("%s is not understood", s)
	}
	switch {
	case s[0] == '~':
		return 1, n, s[end:], nil
	case n == 0:
		return 0, 0, s[end:], nil
	}
	return n, 1, s[end:], nil
}

func (r *Repository) parent(rev string, hash plumbing.Hash, nth int) (plumbing.Hash, error) {
	c, err := r.commit(hash)
	switch {
	case err != nil:
		return hash, err
	case r.shallow[hash]:
		return hash, r.fail(fmt.Errorf("find revision %q: the history of this shallow clone ends at %s", rev, hash),
			"Fetch more of the history with git fetch --unshallow.")
	case len(c.parents) == 0:
		return hash, r.fail(fmt.Errorf("find revision %q: the history begins at %s", rev, hash),
			"Name a later revision, as git log lists them.")
	case nth > len(c.parents):
		return hash, r.fail(fmt.Errorf("find revision %q: commit %s has %d parents", rev, hash, len(c.parents)),
			"Count its parents with git log -1 --format=%P.")
	}
	return c.parents[nth-1], nil
}

// places are where a short name is looked for, in git's order.
var places = []string{"%s", "refs/%s", "refs/tags/%s", "refs/heads/%s", "refs/remotes/%s", "refs/remotes/%s/HEAD"}

// resolveName resolves a name without steps.
func (r *Repository) resolveName(rev, base string) (plumbing.Hash, error) {
	switch {
	case base == "" || strings.ContainsAny(base, ":\x00"):
		return plumbing.ZeroHash, r.unknownRevision(rev, errors.New("it is not the name of a commit"))
	case plumbing.IsHash(base):
		return plumbing.NewHash(base), nil
	}
	name, suffix, _ := strings.Cut(base, "@{")
	if name == "" || name == "@" {
		name = "HEAD"
	}
	switch strings.ToLower(suffix) {
	case "":
	case "u}", "upstream}":
		return r.upstream(rev, name)
	default:
		return plumbing.ZeroHash, r.unknownRevision(rev, fmt.Errorf("@{%s needs the reflog, which is not read", suffix))
	}
	for i, place := range places {
		if i == 0 && !topLevel(name) {
			continue
		}
		hash, ok, err := r.reference(fmt.Sprintf(place, name))
		if ok || err != nil {
			return hash, err
		}
	}
	return r.findAbbreviated(rev, name)
}

// topLevel reports whether a name may lie beside refs: HEAD, FETCH_HEAD and their like, and whole references.
func topLevel(name string) bool {
	if strings.HasPrefix(name, "refs/") {
		return true
	}
	return !strings.ContainsFunc(name, func(c rune) bool { return c != '_' && (c < 'A' || c > 'Z') })
}

// maxLinks bounds references that lead to references.
const maxLinks = 5

// reference reads a reference and those that it leads to.
func (r *Repository) reference(name string) (hash plumbing.Hash, ok bool, err error) {
	if name == "FETCH_HEAD" {
		return plumbing.ZeroHash, false, nil // a list of another form
	}
	for range maxLinks {
		r.mu.Lock()
		ref, err := r.refs.Ref(plumbing.ReferenceName(name))
		r.mu.Unlock()
		if err != nil { // not there, or not a reference: the next place may have one
			return plumbing.ZeroHash, false, nil
		}
		if ref.Type() == plumbing.HashReference {
			return ref.Hash(), true, nil
		}
		name = ref.Target().String()
	}
	return plumbing.ZeroHash, false, r.fail(fmt.Errorf("reference %s: too many references lead to each other", name), "")
}

// upstream returns what a branch follows.
func (r *Repository) upstream(rev, name string) (plumbing.Hash, error) {
	if name == "HEAD" {
		r.mu.Lock()
		head, err := r.refs.Ref(plumbing.HEAD)
		r.mu.Unlock()
		if err != nil || head.Type() != plumbing.SymbolicReference {
			return plumbing.ZeroHash, r.unknownRevision(rev, errors.New("no branch is checked out"))
		}
		name = head.Target().Short()
	}
	to, ok := r.config.upstream[strings.TrimPrefix(name, "refs/heads/")]
	if !ok {
		return plumbing.ZeroHash, r.unknownRevision(rev, fmt.Errorf("branch %s follows no other", name))
	}
	hash, ok, err := r.reference(to)
	if err == nil && !ok {
		err = r.unknownRevision(rev, fmt.Errorf("%s is not here", to))
	}
	return hash, err
}

// shortest is the length from which on a hash may be cut short.
const shortest = 4

// findAbbreviated finds the one commit whose hash begins with name.
func (r *Repository) findAbbreviated(rev, name string) (plumbing.Hash, error) {
	low := strings.ToLower(name)
	if len(low) < shortest || len(low) > 40 || strings.Trim(low, "0123456789abcdef") != "" {
		return plumbing.ZeroHash, r.unknownRevision(rev, nil)
	}
	prefix, _ := hex.DecodeString(low[:len(low)/2*2])
	hashes, err := r.objects.withPrefix(prefix)
	if err != nil {
		return plumbing.ZeroHash, r.fail(fmt.Errorf("find revision %q: %w", rev, err), "")
	}
	slices.SortFunc(hashes, func(a, b plumbing.Hash) int { return strings.Compare(a.String(), b.String()) })
	var found []plumbing.Hash
	for _, h := range slices.Compact(hashes) {
		if !strings.HasPrefix(h.String(), low) {
			continue
		}
		if _, kind, err := r.peel(h); err == nil && kind == plumbing.CommitObject {
			found = append(found, h)
		}
	}
	switch len(found) {
	case 0:
		return plumbing.ZeroHash, r.unknownRevision(rev, nil)
	case 1:
		return found[0], nil
	}
	return plumbing.ZeroHash, r.unknownRevision(rev, fmt.Errorf("%d commits begin with %s", len(found), name))
}

// ErrNoRevision is that a revision is not in the repository, such as HEAD before the first commit.
var ErrNoRevision = errors.New("no branch, tag or commit of that name is here")

// hintEmpty is what helps where nothing can be compared with.
const hintEmpty = "The repository has no commit yet. Commit what is there, and compare with that from then on."

// isEmpty reports whether the repository is known to have no commit.
func (r *Repository) isEmpty() bool {
	some, err := r.HasRefs()
	return err == nil && !some
}

func (r *Repository) unknownRevision(rev string, why error) error {
	hint := "See the branches with git branch -a and the tags with git tag."
	switch {
	case r.isEmpty():
		hint = hintEmpty
	case len(r.shallow) > 0:
		hint = "This is a shallow clone: fetch the revision first, or all of the history with git fetch --unshallow."
	}
	if why == nil {
		why = ErrNoRevision
	}
	return r.fail(fmt.Errorf("find revision %q: %w", rev, why), hint)
}
