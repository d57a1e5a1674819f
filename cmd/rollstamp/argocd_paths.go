package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/argocd/paths"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

type argocdPathsCommand struct {
	applicationFlags
	files bool
	check string
}

func newArgocdPaths(p *program) *cobra.Command {
	var a argocdPathsCommand
	c := &cobra.Command{
		Use:   "paths [PATH|FILE]",
		Short: "Print which paths a render reads, as Argo CD's annotation takes them",
		Long: `Render the application in the folder PATH (by default the working folder) as argocd generate does, or
the one Application in FILE (- is standard input), and print what it read as the value of the annotation
argocd.argoproj.io/manifest-generate-paths. With it, Argo CD renders the application again only where a
commit changes one of these paths, and, where reposerver.plugin.use.manifest.generate.paths is on, sends
the plugin only the folder that they all lie in. -v says why each path is there, and which folder that is.

--files lists every file that was read, from the top of the repository. --check VALUE lists those that
an annotation with that value leaves out, and ends with exit code 1 if there are any: when one of them
changes, Argo CD would keep the old render, and where it narrows what it sends, those above the folder
that is sent are missing in the plugin.`,
		Example: `  rollstamp argocd paths apps/web
  rollstamp argocd paths --files applications/web.yaml
  rollstamp argocd paths --check '.;../base' apps/web`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.run(c, p, args) },
	}
	a.add(c)
	c.Flags().BoolVar(&a.files, "files", false, "list every file that was read instead")
	c.Flags().StringVar(&a.check, "check", "", "value of the annotation; list the files that it leaves out instead")
	return c
}

func (a *argocdPathsCommand) run(c *cobra.Command, p *program, args []string) error {
	path := "."
	if len(args) > 0 {
		path = args[0]
	}
	calls, hasOthers, err := a.calls(c.Context(), p, path)
	if err != nil {
		return err
	}
	var all paths.Sources
	for _, call := range calls {
		reads, err := a.reads(c.Context(), p, call)
		if err != nil {
			return err
		}
		all = append(all, reads)
	}
	switch {
	case a.files:
		return emitLines(p, all.Files())
	case c.Flags().Changed("check"):
		return emitUncovered(p, all, a.check)
	}
	return emitAnnotation(p, all, hasOthers)
}

// emitAnnotation prints the value, and with -v the reasons.
func emitAnnotation(p *program, all paths.Sources, hasOthers bool) error {
	items, err := all.Items(hasOthers)
	if err != nil {
		return err
	}
	for _, item := range items {
		p.say("%s: %s", item.Path, item.Why)
	}
	value := paths.Value(items)
	for _, reads := range all {
		p.say("where Argo CD narrows what it sends, it sends %s", sentFolder(reads, value))
	}
	return emitLines(p, []string{value})
}

// emitUncovered lists the files that an annotation's value leaves out.
func emitUncovered(p *program, all paths.Sources, value string) error {
	left := all.Missing(value)
	if len(left) == 0 {
		return nil
	}
	p.exit = diag.ExitFindings
	fmt.Fprintf(p.err, "%d file(s) are read and not named by the annotation\n", len(left))
	for _, reads := range all {
		if missing := reads.UnsentFiles(value); len(missing) > 0 {
			const text = "%d of them would be missing in the plugin, where Argo CD narrows what it sends: it sends %s\n"
			fmt.Fprintf(p.err, text, len(missing), sentFolder(reads, value))
		}
	}
	return emitLines(p, left)
}

// sentFolder names the folder that Argo CD sends for an annotation's value.
func sentFolder(reads paths.Reads, value string) string {
	if folder := reads.SentFolder(value); folder != "." {
		return "the folder " + folder
	}
	return "the whole repository"
}

// calls returns the calls of the plugin for a folder, or for the sources of the Application in a file that lie in Git,
// and whether that has several there.
func (f *applicationFlags) calls(
	ctx context.Context, p *program, path string,
) (out []*argocd.Call, hasOthers bool, err error) {
	if info, err := os.Stat(path); path != "-" && (err != nil || info.IsDir()) {
		call, err := argocd.FromPlugin(config.PluginEnvironment(), path, "", nil)
		return []*argocd.Call{call}, false, err
	}
	w, err := f.world(p, []string{path})
	if err != nil {
		return nil, false, err
	}
	objects, errs := readObjects(p, nil, []string{path})
	applications, more := w.Applications(ctx, objects...)
	errs = append(errs, more...)
	if err := errors.Join(errs...); err != nil {
		return nil, false, err
	}
	if len(applications) != 1 {
		err := fmt.Errorf("holds %d Applications; the paths are those of one", len(applications))
		return nil, false, diag.Input(diag.Position{File: path}, err, "")
	}
	parts, err := w.Parts(ctx, applications[0])
	if err != nil {
		return nil, false, err
	}
	for _, part := range parts {
		if part.Call.Path != "" { // a chart of a registry has no paths
			out = append(out, part.Call)
		}
	}
	if len(out) == 0 {
		err := errors.New("none of its sources lies in a folder of Git")
		return nil, false, diag.Input(diag.Position{File: path}, err, "")
	}
	return out, applications[0].SharesPaths(), nil
}

// reads renders a call and returns what it reads.
func (f *pluginFlags) reads(ctx context.Context, p *program, call *argocd.Call) (paths.Reads, error) {
	recorder := files.NewRecorder(call.Files)
	call.Files = recorder
	j, err := f.preparer(p.wiring).Job(call)
	if err != nil {
		return paths.Reads{}, err
	}
	return j.Reads(ctx, recorder)
}

func emitLines(p *program, lines []string) error {
	var out bytes.Buffer
	for _, line := range lines {
		out.WriteString(strings.TrimSpace(line) + "\n")
	}
	return p.emit(&out)
}
