package main

import (
	"context"

	"github.com/rollstamp/rollstamp/flux/patches"
	"github.com/rollstamp/rollstamp/flux/publish"
	"github.com/rollstamp/rollstamp/pipeline"
)

// hideNames takes out of what the member is to have what would write a value of a Secret into Git, and reports it. A
// workload whose name has a variable in its file gets its patch by that.
func (m *fluxMember) hideNames(ctx context.Context) {
	kept, found := patches.WithoutRevealing(m.wanted.Stamps, m.output)
	if len(found) > 0 && m.nameAsWritten(ctx) {
		kept, found = patches.WithoutRevealing(m.wanted.Stamps, m.output)
	}
	if len(found) == 0 {
		return
	}
	trace := pipeline.NewTrace(ctx, m.app, m.output)
	for i := range found {
		found[i] = found[i].At(trace.At(found[i].Position(), ""))
	}
	m.wanted.Stamps, m.app = kept, m.app.WithFindings(found...)
}

// publishedSecrets returns what --plaintext-secrets says of names in what is published.
func publishedSecrets(plaintext bool) publish.Secrets {
	if plaintext {
		return publish.InClear
	}
	return publish.Refused
}
