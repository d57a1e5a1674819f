package git

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"
	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/rollstamp/rollstamp/internal/network"
	"github.com/rollstamp/rollstamp/redact"
)

// FetchTime bounds the fetch of one repository with its submodules where a Source sets no other bound.
const FetchTime = 3 * time.Minute

// Source is one revision of a repository on another machine.
type Source struct {
	Address    string
	Revision   string // a branch, a tag, a full hash, or HEAD or "" for the default branch
	Versions   bool   // the revision may also be a range of versions, which means the highest tag in it
	TagPrefix  string // a revision that is a version, or with Versions a range, is of the tags with that beginning
	Submodules bool   // fetch them too, and theirs
	Time       time.Duration
}

// origin is the configuration of a remote with that address.
func origin(address string) *config.RemoteConfig {
	return &config.RemoteConfig{Name: "origin", URLs: []string{address}}
}

// CheckAddress returns why no repository is fetched from an address, whatever a run allows; nil where one may be. Those
// on this machine are among them: go-git would run a git program for them.
func CheckAddress(address string) error {
	_, err := endpoint(address)
	return err
}

// overNetwork refuses what CheckAddress does, and hosts that the context does not allow.
func overNetwork(ctx context.Context, address string) error {
	at, err := endpoint(address)
	if err != nil {
		return err
	}
	return network.Of(ctx).Check(network.Address(&url.URL{Scheme: at.Protocol, Host: hostOf(at)}))
}

func endpoint(address string) (*transport.Endpoint, error) {
	at, err := transport.NewEndpoint(address)
	if err != nil {
		return nil, errors.New("not the address of a repository")
	}
	switch at.Protocol {
	case "https", "http", "ssh", "git":
		return at, nil
	}
	return nil, fmt.Errorf("repositories are not fetched by %s", at.Protocol)
}

func hostOf(at *transport.Endpoint) string {
	if at.Port == 0 {
		return at.Host
	}
	return at.Host + ":" + strconv.Itoa(at.Port) // IPv6 has its brackets
}

// remoteReference asks the remote what a revision means now. A full hash needs no question.
func remoteReference(ctx context.Context, source Source) (*plumbing.Reference, error) {
	rev := source.Revision
	if plumbing.IsHash(rev) {
		return plumbing.NewHashReference("", plumbing.NewHash(rev)), nil
	}
	refs, err := gogit.NewRemote(nil, origin(source.Address)).ListContext(ctx, &gogit.ListOptions{})
	if err != nil {
		return nil, err
	}
	byName := make(map[plumbing.ReferenceName]*plumbing.Reference, len(refs))
	var tags []string
	for _, r := range refs {
		byName[r.Name()] = r
		if r.Name().IsTag() {
			tags = append(tags, r.Name().Short())
		}
	}
	if rev == "" {
		rev = plumbing.HEAD.String()
	}
	rev = Tagged(tags, source.TagPrefix, rev)
	names := []string{rev, "refs/" + rev, "refs/tags/" + rev, "refs/heads/" + rev}
	if tag, ok := Highest(tags, rev); ok && source.Versions {
		names = append(names, "refs/tags/"+tag)
	}
	for _, name := range names {
		r := byName[plumbing.ReferenceName(name)]
		if r != nil && r.Type() == plumbing.SymbolicReference {
			r = byName[r.Target()]
		}
		if r != nil {
			return r, nil
		}
	}
	if source.TagPrefix != "" {
		return nil, fmt.Errorf("no tag that begins with %q goes on with %q or a version in that range, and no branch, tag or "+
			"full commit hash is %[2]q", source.TagPrefix, rev)
	}
	return nil, fmt.Errorf("no branch, tag or full commit hash %q", rev)
}

// Highest returns the highest version of a list in a range such as 1.2.*; not ok where rev is no range, or nothing is
// in it.
func Highest(tags []string, rev string) (tag string, ok bool) {
	if _, err := semver.NewVersion(rev); err == nil {
		return "", false
	}
	within, err := semver.NewConstraint(rev)
	if err != nil {
		return "", false
	}
	var best *semver.Version
	for _, tag := range tags {
		if v, err := semver.NewVersion(tag); err == nil && within.Check(v) && (best == nil || v.GreaterThan(best)) {
			best = v
		}
	}
	if best == nil {
		return "", false
	}
	return best.Original(), true
}

// Tagged returns the tag that a version means below a prefix, or the highest one there that lies in a range. What is
// neither, or without a prefix, is returned as it is.
func Tagged(tags []string, prefix, rev string) string {
	if prefix == "" || plumbing.IsHash(rev) {
		return rev
	}
	if _, err := semver.NewVersion(rev); err == nil {
		return prefix + rev
	}
	var below []string
	for _, tag := range tags {
		if rest, ok := strings.CutPrefix(tag, prefix); ok {
			below = append(below, rest)
		}
	}
	if tag, ok := Highest(below, rev); ok {
		return prefix + tag
	}
	return rev
}

// withoutCredentials returns an error of go-git with the address redacted. go-git may write the address in another
// form.
func withoutCredentials(err error, address string) error {
	text := err.Error()
	if shown := redact.URLs(strings.ReplaceAll(text, address, redact.URL(address))); shown != text {
		return errors.New(shown)
	}
	return err
}
