package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/argocd/rounds"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/manifest/typed"
)

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// conversions is what checking several files comes to.
type conversions struct {
	rounds.Conversion
	files, unread int
}

// String says what became of the sources of all files.
func (c conversions) String() string {
	out := diag.Count(c.files, "file") + ": " + converted(c.Conversion) + "; " + notConverted(c.Conversion)
	if c.unread > 0 {
		out += fmt.Sprintf("; %s could not be read", diag.Count(c.unread, "file"))
	}
	return out
}

// checkAll renders the applications of all files both ways, and reports what comes of each and of all. One that fails
// does not stop the others.
func (v *convertCommand) checkAll(ctx context.Context, p *program, names []string) error {
	switch {
	case !v.check:
		return diag.Usage(errors.New("convert prints one file, and these are several or a folder"),
			"Convert them one by one; --check takes several, and folders.")
	case v.paths:
		return diag.Usage(errors.New("--paths writes into what is printed, and of several files nothing is"),
			"Leave it out, or name one file.")
	}
	var all conversions
	var errs []error
	for _, name := range names {
		place, err := typed.Place{Files: []string{name}}, error(nil)
		if name != "-" {
			place, err = typed.Find(p.wiring.Disk().Files, name)
		}
		errs = append(errs, err)
		for _, file := range place.Files {
			errs = append(errs, v.checkOne(ctx, p, file, place.Folder, &all))
		}
	}
	err := errors.Join(errs...)
	if all.files == 0 && err == nil {
		return diag.Input(diag.Position{File: names[0]},
			errors.New("holds no Application and no ApplicationSet with a source to render"),
			renderedFirst("convert --check"))
	}
	fmt.Fprintln(p.err, all)
	return err
}

// renderedFirst returns the hint where no Application is found by a command that reads files as they are.
func renderedFirst(command string) string {
	return "Those that a chart or a kustomization makes are rendered first: rollstamp render FOLDER | rollstamp argocd " +
		command + " -"
}

// isLikeTemplate reports whether a file is a template by its folder and text. Argo CD reads none either.
func isLikeTemplate(system files.System, path string) bool {
	text, err := files.OrDisk(system).ReadFile(path)
	return err == nil && typed.IsLikeTemplate(path, text)
}

// checkOne checks a file, which in a folder may hold something else.
func (v *convertCommand) checkOne(
	ctx context.Context, p *program, path string, inFolder bool, all *conversions,
) error {
	system := p.wiring.Disk().Files
	if inFolder && typed.IsTemplate(system, path) {
		return nil
	}
	f, err := v.convert(ctx, p, path)
	switch {
	case err != nil && inFolder && (!typed.Conceals(system, path, apps.Group) || isLikeTemplate(system, path)):
		p.leaveOut(system, err)
		return nil
	case err != nil:
		all.files++
		all.unread++
		return err
	case f.isEmpty():
		return nil
	}
	all.files++
	c, err := v.compare(ctx, p, f)
	reportLeft(p, f.Result)
	all.Conversion = all.Add(c)
	return err
}
