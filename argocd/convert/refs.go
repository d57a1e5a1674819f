package convert

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/git"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/workspace"
)

// substitute replaces another source: a folder of the same repository, or a repository at a commit.
type substitute struct{ name, place string }

// refs returns substitutes for the sources that a source refers to: the top of its own repository, if both are the
// same.
func (c *conversion) refs(s, helm manifest.Node, others []manifest.Node) (refs []substitute, ok bool) {
	var paths []string
	for item := range helm.Get("valueFiles").Items() {
		paths = append(paths, item.Text())
	}
	for item := range helm.Get("fileParameters").Items() {
		paths = append(paths, item.Get("path").Text())
	}
	for _, p := range paths {
		name, isRef := strings.CutPrefix(p, "$")
		name, _, _ = strings.Cut(name, "/")
		i := slices.IndexFunc(others, func(o manifest.Node) bool { return o.Get("ref").Text() == name })
		if !isRef || i < 0 || slices.ContainsFunc(refs, func(r substitute) bool { return r.name == name }) {
			continue // a path, or a variable
		}
		place, err := c.substituteFor(s, others[i])
		if err != nil {
			c.note(&c.out.Left, s,
				"it reads %s from another repository or revision, and Argo CD hands its files to no plugin: %v", p, err)
			return nil, false
		}
		refs = append(refs, substitute{name, place})
	}
	return refs, true
}

// hashLength is the length of a commit's hash.
const hashLength = 40

func isCommit(rev string) bool {
	return len(rev) == hashLength && strings.Trim(rev, "0123456789abcdef") == ""
}

// substituteFor returns the substitute for the source that another refers to.
func (c *conversion) substituteFor(s, to manifest.Node) (string, error) {
	address, rev := to.Get("repoURL").Text(), to.Get("targetRevision").Text()
	prefix := to.Get("tagPrefix").Text()
	if url, ok := workspace.SSHURL(address); ok {
		address = url
	}
	commit := rev
	switch {
	case !s.Get("chart").Valid() && workspace.SameRepository(address, s.Get("repoURL").Text()) &&
		rev == s.Get("targetRevision").Text() && prefix == s.Get("tagPrefix").Text():
		return ".", nil
	case to.Get("chart").Valid() || !strings.Contains(address, "://") || strings.Contains(address+rev+prefix, "{{"):
		return "", errors.New("nothing can replace it; copy the files into the source's own repository")
	case git.CheckAddress(address) != nil:
		return "", fmt.Errorf("%w; copy the files into the source's own repository", git.CheckAddress(address))
	case c.isUnread(to):
		return "", errors.New("its revision is not what the file says")
	case isCommit(rev):
	case c.Pin == nil:
		return "", errors.New("pin it to a commit, with --pin, follow it, with --follow, or copy the files into the " +
			"source's own repository")
	default:
		var err error
		if commit, err = c.Pin(address, workspace.Revision{Name: rev, TagPrefix: prefix}); err != nil {
			return "", err
		}
		if !isCommit(commit) {
			c.note(&c.out.Hints, to, "%s follows %s: write its commit with rollstamp lock --as argocd, or let the operator "+
				"allow network and moving-refs, and Argo CD renders again when the application's own repository "+
				"changes", redact.URL(address), commit)
			break
		}
		followed := "its default branch"
		if prefix+rev != "" {
			followed = strconv.Quote(prefix + rev)
		}
		c.note(&c.out.Hints, to,
			"%s stays at commit %s, and no longer follows %s: change the parameter refs for another one",
			redact.URL(address), commit, followed)
	}
	return address + "@" + commit, nil
}
