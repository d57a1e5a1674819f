package sides

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/git"
	"github.com/rollstamp/rollstamp/protect"
)

// maxApprovals is the size of the largest file with approvals that is read.
const maxApprovals = 4 << 20

// approvals returns what was approved between the sides.
func (b both) approvals(from, to []*rendered) (out protect.Approvals, err error) {
	protects := false
	out.Files = map[string][]protect.Approval{}
	for _, side := range [][]*rendered{from, to} {
		for _, one := range side {
			protects = protects || !one.Protect.IsZero()
			for _, name := range one.Protect.Approvals.Value {
				if _, known := out.Files[string(name)]; known {
					continue
				}
				if out.Files[string(name)], err = b.linesOf(name); err != nil {
					return out, err
				}
			}
		}
	}
	if out.Trailers, err = b.trailers(); err != nil && !protects {
		err = nil // a shallow history, say: nothing depends on who approves what nobody protects
	}
	return out, err
}

// linesOf returns the approvals that the new side has in a file and the old one has not.
func (b both) linesOf(name config.NonEmpty) ([]protect.Approval, error) {
	older, err := readApprovals(b.from.place, string(name))
	if err != nil {
		return nil, b.from.explain(err)
	}
	text, err := readApprovals(b.to.place, string(name))
	if err != nil {
		return nil, b.to.explain(err)
	}
	return protect.ParseFile(displayPath(string(name)), older, text), nil
}

// readApprovals reads a file with approvals; one that is not there holds none.
func readApprovals(at app.Place, name string) ([]byte, error) {
	f, err := files.Open(files.OrDisk(at.Files), name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var text []byte
	if err == nil {
		defer f.Close()
		if text, err = io.ReadAll(io.LimitReader(f, maxApprovals+1)); err == nil && len(text) > maxApprovals {
			err = fmt.Errorf("is larger than %d bytes", maxApprovals)
		}
	}
	if err != nil {
		return nil, diag.Input(diag.Position{File: displayPath(name)},
			fmt.Errorf("read approvals: %w", files.Cause(err)), "protect.approvals names it.")
	}
	return text, nil
}

// trailers returns the approvals in messages of the commits between the sides.
func (b both) trailers() (out []protect.Approval, err error) {
	to := b.head
	if b.to.tree != nil {
		to = b.to.tree
	}
	if to == nil || b.from.tree == nil {
		return nil, nil
	}
	var messages []git.Message
	if messages, err = b.repo.Messages(b.from.tree.Commit, to.Commit); err != nil {
		return nil, err
	}
	for _, m := range messages {
		out = append(out, protect.ParseMessage(m.Commit, m.Text)...)
	}
	return out, nil
}

// isApprovals reports whether a path is a file with approvals of one of the applications.
func isApprovals(path string, sides ...[]*rendered) bool {
	for _, side := range sides {
		for _, one := range side {
			for _, name := range one.Protect.Approvals.Value {
				if string(name) == path {
					return true
				}
			}
		}
	}
	return false
}
