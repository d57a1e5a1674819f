package server

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// treeCost is about the memory of a tree, with Go's overhead for each file.
func treeCost(t *files.Memory) int64 {
	const each = 400
	return t.Size() + each*int64(t.Len())
}

// errSmaller is the error of an archive that unpacks to more than its trailer states.
var errSmaller = errors.New("it does not unpack to the size that it names")

// unpack returns the archive as a tree of files, in memory that release returns to the limit. The repository server
// sends the whole repository for each application in it, so one tree often serves many calls.
func (s *Server) unpack(ctx context.Context, u *upload) (tree *files.Memory, release func(), err error) {
	if tree, ok := s.treeCache.get(u.sum); ok {
		return tree, func() {}, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(u.archive))
	if err != nil {
		return nil, nil, fmt.Errorf("unpack what the repo-server sent: %w", err)
	}
	limits := s.opts.Limits.Tree
	// gzip's trailer; the reader has checked that there are four bytes
	claim := binary.LittleEndian.Uint32(u.archive[max(0, len(u.archive)-4):])
	size := min(int64(claim), limits.Bytes)
	if err := s.trees.Acquire(ctx, size); err != nil {
		return nil, nil, context.Cause(ctx)
	}
	limits.Bytes = size
	if tree, err = files.Unpack(r, limits); err != nil {
		s.trees.Release(size)
		if errors.Is(err, files.ErrTooLarge) && size < s.opts.Limits.Tree.Bytes {
			err = fmt.Errorf("%w (%w)", err, errSmaller)
		}
		return nil, nil, err
	}
	s.treeCache.put(u.sum, tree)
	return tree, func() { s.trees.Release(size) }, nil
}

// call unpacks an upload. The caller releases the result.
func (s *Server) call(ctx context.Context, u *upload) (c Call, release func(), err error) {
	tree, release, err := s.unpack(ctx, u)
	if err != nil {
		hint := ""
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrHeader) ||
			errors.Is(err, gzip.ErrChecksum) {
			hint = "The archive is empty, cut off or damaged: refresh the Application, and look at the " +
				"repo-server's log for this time."
		}
		return c, nil, diag.Input(diag.Position{}, err, hint)
	}
	mount := files.Mount{At: Root, Tree: tree}
	dir, err := mount.Real(path.Join(Root, u.dir))
	if err != nil {
		release()
		err = fmt.Errorf("find the application's folder %q: %w", u.dir, errors.Unwrap(err))
		return c, nil, diag.Input(diag.Position{}, err, "")
	}
	return Call{Env: u.env, Dir: dir, Tree: mount}, release, nil
}
