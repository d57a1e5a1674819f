package diag

import "errors"

// Shared is a cause that lies outside what fails of it, such as a source whose files are not there: others may fail of
// it alike, and what mends it mends all of them.
type Shared struct{ Err error }

func (e *Shared) Error() string { return e.Err.Error() }

func (e *Shared) Unwrap() error { return e.Err }

// IsShared reports whether the cause of an error is shared.
func IsShared(err error) bool {
	var shared *Shared
	return errors.As(err, &shared)
}
