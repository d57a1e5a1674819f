package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/plan"
	"github.com/rollstamp/rollstamp/render"
)

// settingsBefore are flags that say how stamps were made until now; each that is not given is as it is today.
type settingsBefore struct {
	set                      *pflag.FlagSet
	keyFile, domain, foreign string
	strategy                 string
	level                    int
	ciphertext               bool
	encrypted                app.Source // the applications as a run without keys has them; nil where nobody asked
}

const (
	fromKey     = "from-hash-key-file"
	fromDomain  = "from-hash-domain"
	fromLevel   = "from-level"
	fromForeign = "from-foreign-checksums"
	fromWay     = "from-strategy"
	fromCipher  = "from-ciphertext"
)

// wayCombined is the strategy annotation with combined: true.
const wayCombined = "combined"

// waysBefore returns the strategies whose stamps can stay under another one.
func waysBefore() []string {
	return []string{string(config.StrategyAnnotation), wayCombined, string(config.StrategyEnv),
		string(config.StrategyNone)}
}

func (b *settingsBefore) add(c *cobra.Command) {
	b.set = c.Flags()
	b.set.StringVar(&b.keyFile, fromKey, "", "file with the hash key that stamps were made with until now; empty for none")
	b.set.StringVar(&b.domain, fromDomain, "", "the hash domain that they were made in; empty for none")
	b.set.IntVar(&b.level, fromLevel, 0, "the level that they were made at")
	b.set.StringVar(&b.foreign, fromForeign, "", "what became of checksums of other tools")
	b.set.StringVar(&b.strategy, fromWay, "", "the strategy until now: annotation for one stamp of each object, combined for one of all, env, none")
	b.set.BoolVar(&b.ciphertext, fromCipher, false, "they were made of ciphertext, where this run decrypts it")
	offer(c, fromWay, waysBefore()...)
	offer(c, fromForeign, config.Foreign("").Choices()...)
}

// isGiven reports whether any of them was written.
func (b *settingsBefore) isGiven() bool {
	if b == nil {
		return false
	}
	for _, name := range []string{fromKey, fromDomain, fromLevel, fromForeign, fromWay, fromCipher} {
		if b.set.Changed(name) {
			return true
		}
	}
	return false
}

// raises reports whether the newest level takes the place of the one that locks hold applications at.
func (b *settingsBefore) raises() bool { return b != nil && b.set.Changed(fromLevel) }

// isOfCiphertext reports whether stamps were made of ciphertext that this run decrypts.
func (b *settingsBefore) isOfCiphertext() bool { return b != nil && b.ciphertext }

func (b *settingsBefore) check() error {
	if b.set.Changed(fromForeign) {
		if err := oneOf(fromForeign, b.foreign, config.Foreign("").Choices()...); err != nil {
			return err
		}
	}
	if b.set.Changed(fromWay) && b.strategy == string(config.StrategySuffix) {
		return diag.Usage(fmt.Errorf("--%s suffix: names that carry digests go, and pods have to be made that read the others",
			fromWay), "It restarts once. Entries of workloads: in the configuration change the strategy for some at a time, and "+
			"suffix: {keep: 1} keeps what pods of before read.")
	}
	if b.set.Changed(fromWay) {
		if err := oneOf(fromWay, b.strategy, waysBefore()...); err != nil {
			return err
		}
	}
	if b.set.Changed(fromLevel) {
		return checkLevel(fromLevel, b.level)
	}
	return nil
}

// checkLevel refuses the value of a flag that is no level of coverage.
func checkLevel(flag string, level int) error {
	if level >= 1 && level <= config.MaxLevel {
		return nil
	}
	return diag.Usage(fmt.Errorf("--%s %d: levels are 1 to %d", flag, level, config.MaxLevel),
		"A level above these is one of a newer rollstamp.")
}

// plan stamps a render once more, as it was stamped until now.
func (b *settingsBefore) plan(ctx context.Context, a *app.Application, result *pipeline.Result) (*plan.Plan, error) {
	output := result.Output
	if b.ciphertext {
		var err error
		if a, output, err = b.undecrypted(ctx, a.Name()); err != nil || output == nil {
			return &plan.Plan{}, err
		}
	}
	settings, how := a.Settings().Clone(), *a.Stamping()
	if b.set.Changed(fromLevel) {
		settings.Level.Value = config.Level(b.level)
	}
	if b.set.Changed(fromWay) {
		b.setStrategy(settings)
	}
	if b.set.Changed(fromForeign) {
		settings.ForeignChecksums.Value = config.Foreign(b.foreign)
	}
	if b.set.Changed(fromDomain) {
		settings.HashDomain.Value = config.NonEmpty(b.domain)
	}
	switch {
	case b.set.Changed(fromKey) && b.keyFile == "":
		how.Key = nil
	case b.set.Changed(fromKey):
		key, err := hashing.LoadKey(b.keyFile)
		if err != nil {
			return nil, err
		}
		key = key.InDomain(string(settings.HashDomain.Value))
		how.Key = &key
	case b.set.Changed(fromDomain):
		key, _, err := app.HashKey(settings)
		if err != nil {
			return nil, err
		}
		how.Key = key
	}
	before, err := pipeline.Stamp(ctx, a.WithSettings(settings).WithStamping(how), output)
	if err != nil {
		return nil, err
	}
	return before.Plan, nil
}

// undecrypted returns an application as a run without keys has it, with what that renders. That may be another render:
// Flux decrypts patches, files of generators and variables before it builds. One that fails without keys had no stamps,
// so that it has no output.
func (b *settingsBefore) undecrypted(
	ctx context.Context, name string,
) (a *app.Application, output *render.Output, err error) {
	if a, err = b.encrypted.Application(ctx, name); err != nil {
		return nil, nil, err
	}
	result, err := pipeline.Run(ctx, a.WithoutStamping())
	if err != nil {
		return a, nil, ctx.Err()
	}
	return a, result.Output, nil
}

// setStrategy sets the strategy of before, for all workloads.
func (b *settingsBefore) setStrategy(s *config.Settings) {
	s.Strategy.Value, s.Combined.Value = config.Strategy(b.strategy), b.strategy == wayCombined
	if s.Combined.Value {
		s.Strategy.Value = config.StrategyAnnotation
	}
	s.Workloads.Value = slices.Clone(s.Workloads.Value)
	for i := range s.Workloads.Value {
		s.Workloads.Value[i].Strategy, s.Workloads.Value[i].Combined = "", nil
	}
}
