package lock

import (
	"context"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources"
)

// Unknown is the version of what a Draft does not hold. No store returns it.
const Unknown = "?"

// Draft answers from a lock that need not hold everything: for what it lacks, with Unknown.
type Draft struct {
	File *File // nil is an empty lock
}

var _ sources.VersionResolver = Draft{}

// Resolve returns what the lock holds, without asking anybody.
func (d Draft) Resolve(_ context.Context, refs []sources.Ref) ([]sources.Answer, []diag.Finding, error) {
	answers := make([]sources.Answer, len(refs))
	for i, ref := range refs {
		if d.File != nil {
			answers[i], _, _ = d.File.Get(ref)
		}
		if answers[i].Version == "" && answers[i].Digest == "" {
			answers[i].Version = Unknown
		}
	}
	return answers, nil, nil
}
