// Package server implements Argo CD's plugin protocol on a socket: one process that stays, instead of one for each render.
package server

import (
	"context"
	"log/slog"
	"time"

	"github.com/rollstamp/rollstamp/argocd/announce"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// Root is where each call finds its repository, whatever tree it is: so neither a working folder's name nor the machine can show.
const Root = "/rollstamp-tree"

// Call is what one call of the repository server asks about.
type Call struct {
	Env  map[string]string // the variables of the call, without those of our own process
	Dir  string            // the application's folder, Root or below it
	Tree files.System      // where it lies, and the only way to it: what is asked here tells later whether an answer still holds
}

// Plugin is what stands behind the protocol. It is called from several goroutines at once. Its errors are shown in Argo CD's UI and
// its findings are logged, so neither holds a value of a Secret.
type Plugin interface {
	// State changes where anything changes that an answer depends on beside the call, such as a file of the operator's. It is asked
	// for on each call.
	State() []byte
	// Prepare finds out what is to be rendered, without rendering it.
	Prepare(ctx context.Context, call Call) (Job, error)
	// Match reports whether the application is one for this plugin.
	Match(ctx context.Context, call Call) (bool, error)
	// Announce lists the parameters that the application can be given.
	Announce(ctx context.Context, call Call) ([]announce.Parameter, []diag.Finding, error)
}

// Job is a render that is prepared.
type Job interface {
	// Key tells jobs for a folder of the same tree apart: with the same key, they give the same bytes. Nil is a job that is like no
	// other.
	Key() []byte
	// Run renders. It ends when ctx does.
	Run(ctx context.Context) (*Answer, error)
}

// Answer is what was rendered. It is complete, and fit to be applied.
type Answer struct {
	Kind      string   // of what was rendered, for metrics
	Documents [][]byte // each one object, YAML or JSON; not to be changed any more
	Findings  []diag.Finding
	Stamped   int  // workloads that carry a stamp
	Reusable  bool // another run of an equal job gives the same, where Call.Tree answers the same
}

// Options are how a server runs. All of them are to be set, unless their comment says otherwise.
type Options struct {
	Plugin   Plugin
	Discover bool // tell Argo CD that it is to ask which applications are ours

	Parallelism int           // renders at once
	Timeout     time.Duration // for one call, where the client gives no shorter one
	Grace       time.Duration // for calls that run when the server is to stop
	Limits      Limits
	Cache       int64 // bytes of answers that are kept; 0 keeps none
	Memory      int64 // bytes that the process may use; where that is not enough, the server ends itself. 0 is no limit

	Log     *slog.Logger
	Version string // for metrics
}

// Limits bound the memory that calls can make the server use, beside what renders themselves need.
type Limits struct {
	Archive int64        // bytes of one archive as it is sent
	Waiting int64        // bytes of all archives that are being received or wait for their turn; at least Archive
	Tree    files.Limits // of one archive, unpacked
	Trees   int64        // bytes of all that are unpacked and worked on; at least Tree.Bytes
	Kept    int64        // bytes of those that are kept for further calls about the same repository; 0 keeps none
}
