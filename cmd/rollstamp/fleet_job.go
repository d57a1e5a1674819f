package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet/job"
)

func newFleetJob(p *program) *cobra.Command {
	var o job.Options
	var format string
	c := &cobra.Command{
		Use:   "job --shards N --image REF --source CLAIM --results CLAIM [PATH...] [-- FLAG...]",
		Short: "Print a Kubernetes Job that divides a run over pods",
		Long: `Print an Indexed Job of Kubernetes: each of its pods compares a part of the applications at the PATHs, or
renders it, and the last to end joins the parts. It is the Job controller that starts pods, tries them
again and gives up on them, each part by itself: after exit code 4, or where a node went, a part is
tried again, and not where its input is wrong. Flags behind -- are those of the command that is divided.

The pods share a volume with the repository (--source), on which PATHs lie, and one for what they write
(--results): PersistentVolumeClaims, each with a folder after a slash where it is not the volume's root.
With --cache, a later run renders only what changed.`,
		Example: `  rollstamp fleet job --shards 20 --image registry.example/rollstamp:1.0.0 \
    --source repository --results results --cache renders 'apps/*' | kubectl apply -f -
  rollstamp fleet job --shards 20 --image registry.example/rollstamp:1.0.0 \
    --source work/repository --results work/results 'apps/*' -- --from v1.4.0 --to v1.5.0
  rollstamp fleet job --shards 4 --command render --image registry.example/rollstamp:1.0.0 \
    --source repository --results results argocd/ -- --as argocd`,
		RunE: func(c *cobra.Command, args []string) error {
			o.Format = job.Format(format)
			o.Paths, o.Flags = divided(c, args)
			given, err := p.checkDivided(o.Command, o.Paths, o.Flags)
			if err != nil {
				return err
			}
			if given.Changed("hash-key-file") {
				return diag.Usage(errors.New("--hash-key-file names a file of this machine, which no pod has"),
					"Name a Secret with --hash-key-secret, in front of --.")
			}
			if c.Flags().Changed("parallelism") && o.Parallelism == 0 {
				return diag.Usage(errors.New("--parallelism 0 is less than 1"), "Without it, all pods run at once.")
			}
			text, err := o.Text()
			if err != nil {
				return err
			}
			return p.emit(bytes.NewReader(text))
		},
	}
	f := c.Flags()
	f.IntVar(&o.Shards, "shards", 0, "how many parts there are")
	f.IntVar(&o.Parallelism, "parallelism", 0, "how many pods run at once (default: all)")
	f.StringVar(&o.Image, "image", "", "rollstamp's image, with a version or digest")
	f.StringVar(&o.Name, "name", "rollstamp", "name of the Job")
	f.StringVar((*string)(&o.Source), "source", "", "claim of the volume that holds the repository, as CLAIM or CLAIM/FOLDER")
	f.StringVar((*string)(&o.Results), "results", "", "claim of the volume that the parts are written to")
	f.StringVar((*string)(&o.Cache), "cache", "", "claim of the volume of --render-cache")
	f.StringVar(&o.HashKey, "hash-key-secret", "", "Secret that has the hash key under the key hash-key")
	f.StringVar(&o.CPU, "cpu", "1", "processors that a pod asks for")
	f.StringVar(&o.Memory, "memory", "1Gi", "memory that a pod asks for, and is held to")
	f.StringVar(&format, "format", job.Formats()[0], "manifest, kustomize (the kustomization.yaml beside it) or helm (values)")
	addDivided(c, &o.Command)
	offer(c, "format", job.Formats()...)
	return c
}

// dividable are the commands that --shard divides.
func dividable() []string { return []string{"diff", "render"} }

// addDivided adds the flag of the command that is divided.
func addDivided(c *cobra.Command, command *string) {
	usage := "the command that is divided: " + strings.Join(dividable(), " or ")
	c.Flags().StringVar(command, "command", dividable()[0], usage)
	offer(c, "command", dividable()...)
}

// divided returns the PATHs among arguments, and the flags behind --.
func divided(c *cobra.Command, args []string) (paths, flags []string) {
	if at := c.ArgsLenAtDash(); at >= 0 {
		return args[:at], args[at:]
	}
	return args, nil
}

// checkDivided checks the command line of the command that is divided, so that not each of its parts fails,
// and returns its flags.
func (p *program) checkDivided(command string, paths, flags []string) (*pflag.FlagSet, error) {
	if err := oneOf("command", command, dividable()...); err != nil {
		return nil, err
	}
	once := diag.Usage(errors.New("standard input can be read once, and there are many parts"), "Name files.")
	if slices.Contains(paths, "-") {
		return nil, once
	}
	c, _, err := newRoot(p, command).Find([]string{command})
	if err != nil {
		return nil, err
	}
	if err := c.ParseFlags(flags); err != nil {
		return nil, diag.Usage(withNearestFlag(c, err), "Try '"+c.CommandPath()+" --help'.")
	}
	if len(c.Flags().Args()) > 0 {
		return nil, diag.Usage(fmt.Errorf("%q behind -- is no flag", c.Flags().Arg(0)), "Write PATHs in front of it.")
	}
	readsInput := false
	c.Flags().Visit(func(f *pflag.Flag) { readsInput = readsInput || slices.Contains(values(f), "-") })
	if readsInput {
		return nil, once
	}
	return c.Flags(), refuseOfOne(c.Flags())
}

// refuseOfOne returns an error where a flag is for a run that is not divided.
func refuseOfOne(given *pflag.FlagSet) error {
	for _, own := range []string{
		"shard", "output", "output-dir", "prune", "check", "object", "from-file", "to-file", "dirs", "findings", "exit-zero",
	} {
		f, hint := given.Lookup(own), ""
		switch {
		case f == nil || !f.Changed, own == "findings" && !strings.Contains(f.Value.String(), "="):
			continue // without a file it goes to standard error
		case own == "findings":
			hint = "Each part would write over the file of the others: rollstamp check has a file of all applications."
		case own == "exit-zero":
			hint = "A part ends with 0 where something differs. Pass it to rollstamp report --from-json."
		}
		return diag.Usage(fmt.Errorf("--%s is not for a run that is divided", own), hint)
	}
	return nil
}
