//go:build !linux

package files

import "errors"

// lookAt is for systems that say when anything of a file changed.
func lookAt(string, bool) (State, error) { return State{}, errors.ErrUnsupported }

func (State) isLink() bool   { return false }
func (State) isFile() bool   { return false }
func (State) isFolder() bool { return false }
