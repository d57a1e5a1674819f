package main

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"

	"github.com/rollstamp/rollstamp/argocd/lint"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest/typed"
)

// lintRules returns what a file is checked against: the plugin as this program has it.
func (p *program) lintRules(plugin, file string, text []byte) lint.Rules {
	system := p.wiring.Disk().Files
	rules := lint.RulesFor(plugin)
	rules.IsTemplate = typed.IsTemplate(system, file) || typed.IsLikeTemplate(file, text)
	rules.Variable, rules.Command = checkVariable, p.checkCommand
	if file != "-" {
		rules.Read = func(name string) ([]byte, string, error) {
			if !filepath.IsLocal(filepath.FromSlash(name)) {
				return nil, "", fmt.Errorf("%s is not below the file's folder", name)
			}
			at := path.Join(filepath.ToSlash(filepath.Dir(file)), name)
			text, err := p.slurp(filepath.FromSlash(at))
			return text, at, err
		}
	}
	return rules
}

// checkVariable returns what the program says at its start to one variable of its environment.
func checkVariable(name, value string) error {
	if name != config.EnvMaxMemory {
		return config.CheckVariable(name, value)
	}
	_, err := maxMemory(func(string) (string, bool) { return value, true })
	return err
}

// checkCommand returns what the program says to the flags and arguments of a command line, without running it.
func (p *program) checkCommand(args []string) error {
	parsing := &program{streams: p.streams, env: func(string) (string, bool) { return "", false }}
	c, rest, err := newRoot(parsing, args...).Find(args)
	if err != nil {
		return err
	}
	if err := c.ParseFlags(rest); err != nil {
		return c.FlagErrorFunc()(c, err)
	}
	args = c.Flags().Args()
	errs := []error{c.ValidateArgs(args), parsing.checkSettings(c)}
	if c.PreRunE != nil {
		errs = append(errs, c.PreRunE(c, args))
	}
	return errors.Join(errs...)
}
