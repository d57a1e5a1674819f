package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/rendercache"
)

func newCache(p *program) *cobra.Command {
	c := &cobra.Command{
		Use:   "cache",
		Short: "Look after the folder of cached renders",
		Long: `Look after the folder of --render-cache. The commands take it as an argument or from that
flag, else from ` + config.EnvRenderCache + ` or the operator's policy file. Runs may use it meanwhile.`,
		Example: "  rollstamp cache stats ~/.cache/renders",
		Args:    subcommand,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newCacheStats(p), newCachePrune(p), newCacheVerify(p))
	return c
}

func newCacheStats(p *program) *cobra.Command {
	var flags settingsFlags
	c := &cobra.Command{
		Use:     "stats [DIR]",
		Short:   "Print how much the folder holds",
		Long:    "Print how many entries the folder holds, how many bytes, and when the one was used that is unused for longest.",
		Example: "  rollstamp cache stats",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := p.cacheDir(args, flags.flags())
			if err != nil {
				return err
			}
			s, err := rendercache.StatsOf(dir)
			if err != nil {
				return cacheError(dir, err)
			}
			text := fmt.Sprintf("%s: %d entries, %d bytes\n", dir, s.Entries, s.Bytes)
			if s.Entries > 0 {
				text += fmt.Sprintf("unused for longest: since %s\n", s.Oldest.UTC().Format(time.RFC3339))
			}
			return p.emit(bytes.NewBufferString(text))
		},
	}
	flags.addNamed(c, renderCacheFlag)
	return c
}

func newCachePrune(p *program) *cobra.Command {
	var flags settingsFlags
	size := ""
	c := &cobra.Command{
		Use:   "prune [DIR]",
		Short: "Remove the entries that were not used for longest",
		Long: `Remove the entries that were not used for longest, where the folder holds more than --size. A run that
writes entries does so by itself above 4 GiB.`,
		Example: "  rollstamp cache prune --size 500Mi ~/.cache/renders",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := p.cacheDir(args, flags.flags())
			if err != nil {
				return err
			}
			most, ok := parseBytes(size)
			if !ok && size != "0" {
				return diag.Usage(fmt.Errorf("--size is %q, which is no number of bytes", size),
					"Write it as "+cmp.Or(bytesMeant(size), "1Gi or 500Mi")+".")
			}
			n, freed, err := rendercache.Prune(dir, most)
			if err != nil {
				return cacheError(dir, err)
			}
			return p.emit(bytes.NewBufferString(fmt.Sprintf("%s: %d entries removed, %d bytes\n", dir, n, freed)))
		},
	}
	flags.addNamed(c, renderCacheFlag)
	c.Flags().StringVar(&size, "size", "4Gi", "bytes that may stay; 0 empties the folder")
	return c
}

func newCacheVerify(p *program) *cobra.Command {
	var flags settingsFlags
	c := &cobra.Command{
		Use:   "verify [DIR]",
		Short: "Find entries that are damaged",
		Long: `Read every entry and print the paths of those that are not what was written under their names. The exit
code is 1 where there is one. Entries that are encrypted are checked by the runs that have their key.
A damaged entry harms nobody: what it was for is rendered again, with a finding.`,
		Example: "  rollstamp cache verify ~/.cache/renders",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := p.cacheDir(args, flags.flags())
			if err != nil {
				return err
			}
			s, damaged, err := rendercache.Verify(dir)
			if err != nil {
				return cacheError(dir, err)
			}
			var out bytes.Buffer
			for _, path := range damaged {
				fmt.Fprintf(&out, "%s: damaged\n", path)
			}
			fmt.Fprintf(&out, "%s: %d entries, %d damaged, %d encrypted\n", dir, s.Entries, len(damaged), s.Sealed)
			if len(damaged) > 0 {
				p.exit = diag.ExitFindings
			}
			return p.emit(&out)
		},
	}
	flags.addNamed(c, renderCacheFlag)
	return c
}

// renderCacheFlag names the cache here as in the commands that use it, before or after the word cache.
const renderCacheFlag = "render-cache"

// cacheDir returns the folder that a command is to look after.
func (p *program) cacheDir(args []string, flags config.Flags) (string, error) {
	if len(args) > 0 && len(flags) > 0 {
		return "", diag.Usage(errors.New("the folder of cached renders is named by an argument and by --"+renderCacheFlag),
			"Name it once.")
	}
	if len(args) > 0 && !rendercache.IsRemote(args[0]) {
		return args[0], nil
	}
	s, err := config.Resolve(config.Inputs{Env: p.env, Flags: flags})
	if err != nil {
		return "", err
	}
	if len(args) > 0 {
		s.RenderCache.Value = args[0]
	}
	if s.RenderCache.Value == "" {
		return "", diag.Usage(errors.New("no folder of cached renders is named"),
			"Name it as an argument, or set "+config.EnvRenderCache+".")
	}
	if rendercache.IsRemote(s.RenderCache.Value) {
		return "", diag.Usage(errors.New("the render cache is on a server, which looks after it itself"),
			"Name a folder as an argument.")
	}
	return s.RenderCache.Value, nil
}

func cacheError(dir string, err error) error {
	cause := fmt.Errorf("read the render cache: %w", files.Cause(err))
	hint := files.HintOf(err)
	if errors.Is(err, rendercache.ErrNoCache) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		hint = "Name the folder that runs have as --" + renderCacheFlag + "."
	}
	return diag.Input(diag.Position{File: dir}, cause, hint)
}
