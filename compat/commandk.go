package compat

import (
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// MutationMode is CommandK's annotation on a workload: with Ignored it is left alone, and with Detach it gets nothing
// that bindings would add either.
const (
	MutationMode = "scout.commandk.dev/mutation-mode"
	Ignored      = "ignore"
	Detach       = "ignore-and-detach"
)

// newCommandK returns what CommandK's annotation on a workload means where there are bindings.
func newCommandK(*config.Settings) (reader, []diag.Finding) {
	return func(w *Workload) *Rule {
		value := w.Object.Node.At("metadata", "annotations", MutationMode)
		if !value.Valid() {
			value = w.Template.At("metadata", "annotations", MutationMode)
		}
		switch mode := value.StringValue(); mode {
		case "":
			return nil
		case Ignored, Detach:
			why := MutationMode + " is " + mode
			return &Rule{judge: func(*Candidate) string { return why }}
		default:
			f := diag.New(diag.BadCompat, w.Object.String(), MutationMode+" is "+diag.Quote(mode))
			f.Hint = "It is " + Ignored + " or " + Detach + "."
			w.Report(f, value.Offset())
			return nil
		}
	}, nil
}
