// Package server implements Argo CD's plugin protocol on a socket: one process that stays, instead of one for each
// render.
package server

import (
	"context"
	"log/slog"
	"time"

	"github.com/rollstamp/rollstamp/argocd/announce"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/internal/workers"
)

// Root is the path at which each call sees its repository, whichever it is, so that no output depends on a working
// folder's name or on the machine.
const Root = "/rollstamp-tree"

// Call is one call of the repository server.
type Call struct {
	Env map[string]string // the variables of the call, without those of this process
	Dir string            // the application's folder, Root or below it
	// the file system that Dir is in; the server records what is read of it, to know later whether the answer is
	// still valid
	Tree files.System
}

// Plugin answers the calls of the protocol. It is used from several goroutines at once. Its errors are shown in Argo
// CD's UI and its findings are logged, so neither may contain a value of a Secret.
type Plugin interface {
	// State changes when anything changes that an answer depends on besides the call, such as a file of the
	// operator's. It is read for each call.
	State() []byte
	// Prepare determines what to render, without rendering it.
	Prepare(ctx context.Context, call Call) (Job, error)
	// Match reports whether the application is one for this plugin.
	Match(ctx context.Context, call Call) (bool, error)
	// Announce lists the parameters that the application accepts.
	Announce(ctx context.Context, call Call) ([]announce.Parameter, []diag.Finding, error)
}

// Job is a prepared render.
type Job interface {
	// Key identifies the job among those for the same tree: jobs with the same key return the same bytes. A nil key
	// means that no other job is equal.
	Key() []byte
	// Run renders. It ends when ctx does.
	Run(ctx context.Context) (*Answer, error)
	// Close releases what the job holds. Nothing else is called afterwards.
	Close()
}

// Answer is the complete result of a render, ready to be applied.
type Answer struct {
	Kind      string   // of the source, for metrics
	Documents [][]byte // one object each, YAML or JSON; read-only
	Findings  []diag.Finding
	Stamped   int  // workloads that carry a stamp
	Reusable  bool // an equal job returns the same as long as Call.Tree has the same content
	Stored    bool // it comes from a cache of the plugin's, and nothing was rendered
}

// Options configure a server. All are required unless their comment says otherwise.
type Options struct {
	Plugin   Plugin
	Discover bool // announce to Argo CD that it can ask which applications are the plugin's

	Contained   bool // the plugin ends every render soon after its context, whatever that does
	Parallelism int  // renders at once
	// Workers counts the processes that render; nil where there are none.
	Workers func() workers.Counts
	// HasSpare reports whether more than Parallelism may be rendered at once now, as renders have taken long and others
	// wait; nil where they never may.
	HasSpare func() bool
	Queue    int           // calls that wait for their turn; 0 is no limit
	Timeout  time.Duration // for one call, unless the client's deadline is shorter
	Grace    time.Duration // for running calls when the server stops
	Limits   Limits
	Cache    int64 // bytes of cached answers; 0 disables the cache
	Memory   int64 // bytes that the process may use; the server ends itself before it exceeds them. 0 is no limit

	Log     *slog.Logger
	Version string // for metrics
}

// Limits bound the memory that calls can make the server use, besides that of the renders themselves.
type Limits struct {
	Archive int64        // bytes of one archive as it is sent
	Waiting int64        // bytes of all archives that are being received or wait for their turn; at least Archive
	Tree    files.Limits // of one unpacked archive
	Trees   int64        // bytes of all unpacked archives in use; at least Tree.Bytes
	// bytes of unpacked archives that are cached for further calls about the same repository; 0 disables that
	Kept int64
}
