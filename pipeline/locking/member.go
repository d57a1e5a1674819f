package locking

import "github.com/rollstamp/rollstamp/sources/lock"

// member is an application with the update of its lock, which others may share.
type member struct {
	*App
	index int
	lock  *lock.Update
	err   error
}
