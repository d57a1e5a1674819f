package stamp

import (
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// findings collects what one stage reports.
type findings struct {
	positions *render.Places
	list      []diag.Finding
}

func (f *findings) add(finding diag.Finding, offset int) { f.addAt(finding, f.positions.At(offset)) }

func (f *findings) addAt(finding diag.Finding, position diag.Position) {
	f.list = append(f.list, finding.At(position))
}

// failures are the errors of a run. No more than a few are about content.
type failures []error

// maxErrors is how many pieces of invalid content one run names.
const maxErrors = 20

func (f *failures) add(err error) {
	if len(*f) < maxErrors {
		*f = append(*f, err)
	}
}
