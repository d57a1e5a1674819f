package rounds

import (
	"slices"

	"github.com/rollstamp/rollstamp/flux/objects"
)

// Reader is a Kustomization elsewhere that reads a file.
type Reader struct {
	*objects.Kustomization
	// Unknown is the source on the way to the file whose files nobody knows here: it is taken for the repository. The
	// zero value where there is none.
	Unknown objects.Reference
}

// reader is a Reader, and the file or folder from which it was found.
type reader struct {
	Reader
	from string
}

// newReader returns the reader for a Kustomization that was found from a file or folder.
func newReader(k *objects.Kustomization, from string) reader {
	return reader{Reader{Kustomization: k}, from}
}

// addReader adds who reads a file, each once: surely, where one of the ways to it is known.
func (e *Elsewhere) addReader(file string, r Reader) {
	have := e.readers[file]
	i := slices.IndexFunc(have, func(o Reader) bool { return o.Pos == r.Pos })
	switch {
	case i < 0:
		e.readers[file] = append(have, r)
	case r.Unknown == (objects.Reference{}):
		have[i] = r
	}
}
