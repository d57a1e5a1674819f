package git

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-git/go-git/v5/plumbing"
)

// commit reads a commit.
func (r *Repository) commit(hash plumbing.Hash) (*commit, error) {
	r.mu.Lock()
	known := r.commits[hash]
	r.mu.Unlock()
	if known != nil {
		return known, nil
	}
	text, err := r.read(plumbing.CommitObject, hash)
	if err != nil {
		return nil, err
	}
	c, err := parseCommit(text)
	if err != nil {
		return nil, r.fail(fmt.Errorf("read commit %s: %w", hash, err), "Run git fsck to see what is wrong.")
	}
	c.hash = hash
	if r.shallow[hash] {
		c.parents = nil
	}
	r.mu.Lock()
	r.commits[hash] = c
	r.mu.Unlock()
	return c, nil
}

// parseCommit reads the head of a commit, whose lines come in a fixed order.
func parseCommit(text []byte) (*commit, error) {
	c := &commit{}
	for line := range bytes.Lines(text) {
		word, rest, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" "))
		switch string(word) {
		case "tree":
			c.tree = plumbing.NewHash(string(rest))
		case "parent":
			c.parents = append(c.parents, plumbing.NewHash(string(rest)))
		case "committer":
			if fields := bytes.Fields(rest); len(fields) >= 2 {
				c.time, _ = strconv.ParseInt(string(fields[len(fields)-2]), 10, 64) // git, too, takes 0 for what it cannot read
			}
			if c.tree.IsZero() {
				return nil, errors.New("it names no tree")
			}
			return c, nil
		case "":
			return nil, errors.New("it names no committer")
		}
	}
	return nil, errors.New("it ends too soon")
}

// maxTags bounds tags of tags.
const maxTags = 8

// peel follows annotated tags to what they name.
func (r *Repository) peel(hash plumbing.Hash) (plumbing.Hash, plumbing.ObjectType, error) {
	for range maxTags {
		kind, text, err := r.objects.read(hash)
		switch {
		case errors.Is(err, plumbing.ErrObjectNotFound):
			return hash, 0, r.missing(hash)
		case err != nil:
			return hash, 0, r.fail(fmt.Errorf("read object %s: %w", hash, err), "Run git fsck to see what is wrong.")
		case kind != plumbing.TagObject:
			return hash, kind, nil
		}
		line, _, _ := bytes.Cut(text, []byte("\n"))
		target, ok := bytes.CutPrefix(line, []byte("object "))
		if !ok {
			return hash, 0, r.fail(fmt.Errorf("read tag %s: it names no object", hash), "")
		}
		hash = plumbing.NewHash(string(target))
	}
	return hash, 0, r.fail(fmt.Errorf("read tag %s: a tag of tags of tags", hash), "")
}
