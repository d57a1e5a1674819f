// Package diag is the vocabulary of what goes wrong: positions, findings, errors with a next step, and the one table of
// exit codes.
package diag

// Exit is what the process ends with. The numbers are part of the command line's contract.
type Exit int

const (
	// ExitOK: the work was done and nothing reached --fail-on.
	ExitOK Exit = 0
	// ExitFindings: only differences, or findings at or above --fail-on.
	ExitFindings Exit = 1
	// ExitUsage: the command line, the environment or a configuration file cannot be used as given.
	ExitUsage Exit = 2
	// ExitInput: the input could not be read, parsed or rendered.
	ExitInput Exit = 3
	// ExitSource: a source of content, a registry or the network did not answer.
	ExitSource Exit = 4
	// ExitInternal: a fault of ours.
	ExitInternal Exit = 5
)
