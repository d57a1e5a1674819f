package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/argocd/plugin"
	"github.com/rollstamp/rollstamp/argocd/server"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/internal/memory"
	"github.com/rollstamp/rollstamp/wiring"
)

// serveCommand are the flags of argocd serve.
type serveCommand struct {
	pluginFlags
	name, plugins, listen, discover, logFormat, logLevel string
	parallelism                                          int
	grace                                                time.Duration
	cache, memory, archive, tree, entries, most          int64
	queue                                                int
	isolated                                             isolation
}

// What --discover takes.
const (
	discoverNone   = "none"
	discoverConfig = "config"
	discoverAny    = "any"
)

func newArgocdServe(p *program) *cobra.Command {
	var s serveCommand
	c := &cobra.Command{
		Use:   "serve",
		Short: "Answer Argo CD's repo-server as a plugin, in one process that stays",
		Long: `Answer on the socket of a plugin, in place of argocd-cmp-server and a process for each render. The
manifests are those that 'rollstamp argocd generate' prints; what was rendered before is kept in memory,
and trees are unpacked there, too. Nothing is written to disk but what --render-cache stores, from where a
process that starts anew, or another one, takes what earlier ones rendered.

Permissions, the hash key and the policy file are the operator's: they come from flags and the
environment of this process, never from a call. The files are looked at on each call, so what is new
in them counts without a restart; flags and environment are read once.

Plugins and functions that kustomizations run (--allow exec-plugins) need files on disk, and are not to be
had here.

Renders run in worker processes, which stay. One that crashes its worker, needs more than
--max-render-memory or does not end within --timeout fails alone, and another worker takes its place; an
equal call right after that is answered at once with the same error. An application is rendered once at
a time, and who waits is served by project, then by application. A render that takes long gives its place
to others who wait, as long as there is memory for that, and goes on beside them. Applications whose last
render was ended have at most half of the places, and where what takes long has all of them, one such
render is ended for who waits, to be tried again.

With --isolate=false all render in this process, and nothing stops a template that is being executed. One
that goes on after its time keeps one place of --parallelism, and its application gets no other; where all
places are kept so, /healthz fails. Where templates fill the memory that the process may use, it ends
itself with an error that names what it rendered: whoever runs it has to start it again, as Kubernetes does.

On SIGTERM, running calls are finished and new ones refused, and the socket is removed.`,
		Example: `  rollstamp argocd serve --hash-key-file /etc/rollstamp/key
  rollstamp argocd serve --name rollstamp-v1 --listen :8090 --parallelism 4`,
		Args:    cobra.NoArgs,
		PreRunE: func(*cobra.Command, []string) error { return s.check() },
		RunE:    func(c *cobra.Command, _ []string) error { return s.run(c.Context(), p) },
	}
	s.add(c)
	return c
}

// ownParallelism is that of a server for which no flag says it; maxParallelism is more than any machine renders at
// once.
const (
	ownParallelism = math.MinInt
	maxParallelism = 1000
)

func (s *serveCommand) add(c *cobra.Command) {
	s.pluginFlags.add(c)
	s.addSettings(c, config.Caching)
	f := c.Flags()
	f.StringVar(&s.name, "name", pluginDefault,
		"name of the plugin, as Applications write it; NAME-VERSION where it has a version")
	f.StringVar(&s.plugins, "plugins-dir", "",
		"folder of the plugins' sockets (default the value of "+config.EnvPluginSockets+", or "+config.PluginSockets+")")
	wordFlag(c, &s.discover, "discover", discoverNone,
		"which applications are ours without naming the plugin: none, those with a config file, or any; but for "+
			"none, each call costs one more", discoverNone, discoverConfig, discoverAny)
	f.StringVar(&s.listen, "listen", "", "address for /healthz and /metrics over HTTP, such as :8090; none by default")
	f.IntVar(&s.parallelism, "parallelism", ownParallelism, "renders at once")
	f.Lookup("parallelism").DefValue = "as many as there are processors, and memory for" // same on all machines
	f.IntVar(&s.queue, "max-queue", 1000,
		"calls that wait for their turn; what is more is answered at once, to be made again. 0 is no limit")
	s.isolated.add(f)
	durationFlag(f, &s.grace, "grace", 20*time.Second, "time that running calls have when the process is to stop")
	f.Int64Var(&s.cache, "cache-bytes", 64<<20, "manifests that are kept in memory; 0 keeps none")
	f.Int64Var(&s.memory, "memory-bytes", 768<<20,
		"archives that wait for their turn, and trees that are worked on or kept, a third each; renders need "+
			"memory in addition")
	f.Int64Var(&s.most, "max-memory-bytes", -1,
		"memory that the process may use, those that render for it included: it ends itself, and names what it "+
			"rendered, before it uses more; 0 is no limit, and -1 what its container may use")
	f.Int64Var(&s.archive, "max-archive-bytes", 128<<20, "largest archive, as it is sent")
	f.Int64Var(&s.tree, "max-tree-bytes", 256<<20, "largest archive, unpacked")
	f.Int64Var(&s.entries, "max-tree-files", 100_000, "files, folders and links of an archive")
	wordFlag(c, &s.logFormat, "log-format", "json", "json or text", "json", "text")
	wordFlag(c, &s.logLevel, "log-level", "info", "debug, info, warn or error", "debug", "info", "warn", "error")
}

func (s *serveCommand) run(ctx context.Context, p *program) error {
	logger, err := s.logger(p.err)
	if err != nil {
		return err
	}
	logTo(slogLines{logger})
	served, err := s.newServed(p.wiring.WithStdin(http.NoBody)) // nothing writes to it, and no render may wait for it
	if err != nil {
		return err
	}
	if p.serving != nil {
		p.serving(served)
		return nil
	}
	s.share(memory.Processors)
	answers, pool, err := s.plugin(ctx, p, served, logger)
	if err != nil {
		return err
	}
	options := server.Options{
		Plugin: answers, Contained: s.isolated.workers, Discover: s.discover != discoverNone,
		Parallelism: s.parallelism, Queue: s.queue, Timeout: s.timeout, Grace: s.grace, Cache: s.cache, Memory: s.most,
		Limits: s.limits(), Log: logger, Version: config.Release(release),
	}
	if pool != nil {
		defer pool.Close()
		options.Workers, options.HasSpare = pool.Counts, pool.HasSpare
	}
	return s.serve(ctx, p, server.New(options), logger)
}

// newServed returns what answers calls.
func (s *serveCommand) newServed(w *wiring.Wiring) (*plugin.Served, error) {
	matches := plugin.MatchesConfigured
	if s.discover == discoverAny {
		matches = plugin.MatchesAny
	}
	return plugin.NewServed(s.preparer(w), matches, func() plugin.Wiring { return w.Fresh().Resident() })
}

// limits shares the memory out: to archives that wait, to trees in use, and to trees that are cached.
func (s *serveCommand) limits() server.Limits {
	return server.Limits{
		Archive: s.archive, Waiting: max(s.memory/3, s.archive),
		Tree: files.Limits{Bytes: s.tree, Entries: int(s.entries)}, Trees: max(s.memory/3, s.tree),
		Kept: s.memory / 3,
	}
}

// serve listens until ctx ends.
func (s *serveCommand) serve(ctx context.Context, p *program, process *server.Server, logger *slog.Logger) error {
	path := filepath.Join(s.socketDir(p.env), s.name+".sock")
	socket, err := server.Listen(path)
	if err != nil {
		return err
	}
	defer func() { _ = socket.Close() }() // it goes with the process in any case
	if s.listen != "" {
		var lc net.ListenConfig
		l, err := lc.Listen(ctx, "tcp", s.listen)
		if err != nil {
			return diag.Usage(fmt.Errorf("--listen %s: %w", s.listen, err), "")
		}
		defer func() { _ = l.Close() }()
		web, cancel := context.WithCancel(context.WithoutCancel(ctx)) // probes are answered while calls are finished
		defer cancel()
		go func() {
			if err := process.ServeHTTP(web, l); err != nil {
				logger.Error("health and metrics are not served any more", "error", err.Error())
			}
		}()
	}
	logger.Info("serving", "socket", path, "parallelism", s.parallelism, "isolate", s.isolated.workers,
		"renderMemory", s.isolated.each, "version", config.Release(release))
	if err := process.Serve(ctx, socket); err != nil {
		return &diag.Error{Exit: diag.ExitInternal, Err: err, Hint: diag.HintOf(err)}
	}
	logger.Info("stopped")
	return nil
}

// socketDir returns the folder of the plugins' sockets.
func (s *serveCommand) socketDir(env config.Env) string {
	if s.plugins != "" {
		return s.plugins
	}
	if dir, ok := env(config.EnvPluginSockets); ok && dir != "" {
		return dir
	}
	return config.PluginSockets
}

// check finds what cannot work.
func (s *serveCommand) check() error {
	errs := []error{s.pluginFlags.check(), checkListen(s.listen)}
	if s.parallelism != ownParallelism && (s.parallelism < 1 || s.parallelism > maxParallelism) {
		errs = append(errs, diag.Usage(fmt.Errorf("--parallelism %d: want 1 to %d", s.parallelism, maxParallelism), ""))
	}
	for _, n := range []struct {
		flag         string
		value, least int64
	}{
		{"max-archive-bytes", s.archive, 1}, {"max-tree-bytes", s.tree, 1}, {"max-tree-files", s.entries, 1},
		{"max-queue", int64(s.queue), 0}, {"cache-bytes", s.cache, 0}, {"memory-bytes", s.memory, 0},
		{"max-memory-bytes", s.most, -1},
	} {
		if n.value < n.least {
			errs = append(errs, diag.Usage(fmt.Errorf("--%s %d: want %d or more", n.flag, n.value, n.least), ""))
		}
	}
	if s.name == "" || s.name == "." || filepath.Base(s.name) != s.name {
		errs = append(errs, diag.Usage(fmt.Errorf("--name %q: want the name of a plugin", s.name), ""))
	}
	return errors.Join(errs...)
}

// checkListen refuses what no listener takes as its address, wherever it runs.
func checkListen(address string) error {
	if address == "" {
		return nil
	}
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return diag.Usage(fmt.Errorf("--listen %s: %w", address, err), "Write it as HOST:PORT, or :8090 for all addresses.")
	}
	return nil
}

// slogLines writes lines of other writers to a structured log.
type slogLines struct{ *slog.Logger }

func (l slogLines) Write(line []byte) (int, error) {
	l.Warn(strings.TrimPrefix(strings.TrimSpace(string(line)), "warning: "))
	return len(line), nil
}

// logger returns the log that the flags ask for.
func (s *serveCommand) logger(w io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.logLevel)); err != nil {
		return nil, diag.Usage(fmt.Errorf("--log-level: %w", err), "")
	}
	opts := &slog.HandlerOptions{Level: level}
	if s.logFormat == "text" {
		return slog.New(slog.NewTextHandler(w, opts)), nil
	}
	return slog.New(slog.NewJSONHandler(w, opts)), nil
}
