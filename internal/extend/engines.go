package main

// engineExtensions are what else may describe applications.
var engineExtensions = []extension{{
	what: "an adapter for another engine",
	rows: []row{
		{"config/engines.go", "var engines = []Engine{\n",
			"\t{Name: \"shelf\", Title: \"Shelf\", One: \"a Book\", Many: \"Books\", Found: \"Books\"},\n"},
		{"cmd/rollstamp/adapters.go", "map[config.AppKind]adapter{\n", "\t\t\"shelf\": new(shelfFlags),\n"},
	},
	files: map[string]string{
		"shelf/shelf.go": `// Package shelf reads the objects of an engine that keeps a list of folders.
package shelf

import "strings"

// Folders returns the folders that a list names.
func Folders(list string) []string { return strings.Fields(list) }
`,
		"cmd/rollstamp/shelf_applications.go": `package main

import (
	"context"
	"os"

	"github.com/spf13/pflag"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/inventory"
	"github.com/rollstamp/rollstamp/shelf"
	"github.com/rollstamp/rollstamp/wiring"
)

// shelfFlags say where the folders of a shelf are.
type shelfFlags struct{ order string }

// declare adds the flags.
func (f *shelfFlags) declare(flags *pflag.FlagSet) {
	flags.StringVar(&f.order, "order", "", "how the books stand")
}

// reader returns what reads lists of folders.
func (f *shelfFlags) reader(p *program, run objectRun) inventory.Adapter {
	return func(_ context.Context, at app.Place, paths []string) (app.Described, error) {
		s := shelfSource{files: paths, Source: &inventory.Source{
			Builder: wiring.Paths{Wiring: p.wiring, Flags: run.flags(), RenderOnly: run.noStamp}, Place: at,
		}}
		for _, path := range paths {
			list, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			s.Patterns = append(s.Patterns, shelf.Folders(string(list))...)
		}
		return s, nil
	}
}

// shelfSource is the folders of lists, each of which may have changed.
type shelfSource struct {
	*inventory.Source
	files []string
}

func (shelfSource) Reuse(app.Described, func(*app.Application, []string) bool) {}

func (shelfSource) IsUnchanged(string) bool { return false }

func (s shelfSource) Folder(name string) string { return s.Path(name) }

func (s shelfSource) Files() []string { return s.files }
`,
	},
	input: map[string]string{"list": "a.yaml\n", "a.yaml": configMap + `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: c, envFrom: [{configMapRef: {name: settings}}]}]}}}
`},
	args: []string{"render", "--as", "shelf", "--order", "size", "list"},
	want: "checksum.rollstamp.dev/configmap.settings: v1-",
}}
