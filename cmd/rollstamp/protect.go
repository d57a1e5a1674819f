package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/protect"
)

func newProtect(p *program) *cobra.Command {
	name := "rollstamp-protect"
	c := &cobra.Command{
		Use:   "protect [PATH]",
		Short: "Print the policy by which the API server refuses to change protected objects",
		Long: `Print a ValidatingAdmissionPolicy and its binding for the rules under protect: of the configuration at PATH
(by default the working folder): the API server refuses to change, empty or delete what they protect,
unless one of the users, groups and service accounts that they name asks for it. What applies the
manifests has to be one of these, and so has whatever else writes the objects, such as an operator.

Nothing is asked of a cluster; apply what is printed.`,
		Example: `  rollstamp protect | kubectl apply -f -
  rollstamp protect apps/platform --name platform > policy.yaml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			path := "."
			if len(args) > 0 {
				path = args[0]
			}
			return printPolicy(p, name, path)
		},
	}
	c.Flags().StringVar(&name, "name", name, "name of the policy and of its binding")
	return c
}

func printPolicy(p *program, name, path string) error {
	settings, err := p.wiring.Settings(config.Flags{}, p.wiring.Disk(), path)
	if err != nil {
		return err
	}
	rules := settings.Protect
	if rules.IsZero() {
		return diag.Usage(fmt.Errorf("protect %s: the configuration protects no object", path),
			"Name objects under protect.objects in "+config.FileName+".")
	}
	if name == "" {
		return diag.Usage(errors.New("--name is empty"), "")
	}
	for _, rule := range rules.Objects.Value {
		if len(rules.Users.Value)+len(rules.Groups.Value)+len(rules.ServiceAccounts.Value)+
			len(rule.Users)+len(rule.Groups)+len(rule.ServiceAccounts) == 0 {
			fmt.Fprintln(p.err, "note: a rule names nobody who may, so what applies the manifests may not either")
			break
		}
	}
	names := protect.AsWritten
	if settings.MayRename() {
		names = protect.WithDigests
	}
	text, err := protect.Policy(name, rules, names)
	if err != nil {
		return err
	}
	return p.emit(text)
}
