package main

import (
	"bytes"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/config"
)

func newConfig(p *program) *cobra.Command {
	var s settingsFlags
	var output string
	c := &cobra.Command{
		Use:   "config [PATH]",
		Short: "Print the settings that are in force, and where each comes from",
		Long: `Print every setting that is in force for PATH (by default the working folder), each with its source:
a flag, a variable of the environment, a line of the nearest .rollstamp.yaml, or the default.`,
		Example: `  rollstamp config apps/web
  rollstamp config --fail-on warning -o json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := oneOf("output", output, formats...); err != nil {
				return err
			}
			path := ""
			if len(args) > 0 {
				path = args[0]
			}
			settings, err := p.wiring.Settings(s.flags(), p.wiring.Disk(), path)
			if err != nil {
				return err
			}
			return printSettings(p, settings, output)
		},
	}
	s.addSettings(c, config.Stamping, config.Rendering, config.Fetching, config.Caching)
	addFormat(c, &output, formats...)
	return c
}

var formats = []string{"text", "json"}

// addFormat adds the flag for the form of an answer, the first of which is the default.
func addFormat(c *cobra.Command, output *string, formats ...string) {
	c.Flags().StringVarP(output, "output", "o", formats[0], "form of the answer: "+strings.Join(formats, " or "))
	offer(c, "output", formats...)
}

func printSettings(p *program, s *config.Settings, format string) error {
	if format == "json" {
		return p.emitJSON("settings", s, indentedJSON)
	}
	var out bytes.Buffer
	if err := s.WriteText(&out); err != nil {
		return err
	}
	return p.emit(&out)
}
