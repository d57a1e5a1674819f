package main

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/git"
	"github.com/rollstamp/rollstamp/inventory"
	"github.com/rollstamp/rollstamp/workspace"
)

// adapter is what the commands need of one engine: its flags, and what reads its objects.
type adapter interface {
	// declare adds the flags that say where the files of its objects are.
	declare(*pflag.FlagSet)
	// reader returns what reads the objects.
	reader(*program, objectRun) inventory.Adapter
}

// objectRun is what a run wants of all that objects describe, whatever their engine.
type objectRun struct {
	settingsFlags
	timeout        time.Duration
	loadRestrictor string
	noStamp        bool
	version        workspace.Version        // of repositories on this machine, where a place is no revision
	base           string                   // see workspace.Repositories
	asksAgain      func(name string) bool   // see plugin.Operator
	withoutStamps  func(object string) bool // see rounds.Options
	parts          []string                 // likewise
	forElsewhere   bool                     // likewise
	parsed         objects.Cache            // of Flux's objects, for several states of the same files
}

// checkoutOf returns the files of a place that is a revision, as those of its repository; nil for the disk.
func checkoutOf(at app.Place) *workspace.Checkout {
	mount, ok := at.Files.(files.Mount)
	if !ok {
		return nil
	}
	out := &workspace.Checkout{Root: mount.At, Files: mount}
	if tree, ok := mount.Tree.(*git.Tree); ok {
		out.Revision = tree.Commit
	}
	return out
}
