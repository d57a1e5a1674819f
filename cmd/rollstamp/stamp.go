package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/krm"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/plain"
	"github.com/rollstamp/rollstamp/splice"
)

type stampCommand struct {
	settingsFlags
	inPlace    bool
	allowEmpty bool
	reencode   bool
	timeout    time.Duration
	findings   findingsTo
}

func (s *stampCommand) add(c *cobra.Command) {
	s.addSettings(c, config.Stamping)
	c.Flags().BoolVar(&s.inPlace, "in-place", false, "write the files that are named, instead of standard output")
	c.Flags().BoolVar(&s.allowEmpty, "allow-empty", false, "take an empty input")
	durationFlag(c.Flags(), &s.timeout, "timeout", 0, "time that the run may take; 0 is no limit")
}

func newStamp(p *program) *cobra.Command {
	var s stampCommand
	c := &cobra.Command{
		Use:   "stamp [FILE...|-]",
		Short: "Stamp manifests that were rendered already",
		Long: `Read manifests from each FILE, or from standard input, and print them with their stamps.

Several files are one input: a workload in one finds its ConfigMap in another. Nothing but the
stamps is changed, and nothing is printed unless all of the input could be read. With --in-place keyed stamps
stay that this run cannot compare, because it lacks a key, and the exit code is 1 unless --fail-on is never.`,
		Example: `  helm template web charts/web | rollstamp stamp
  kustomize build overlays/prod | rollstamp stamp --hash-key-file key | kubectl apply -f -
  rollstamp stamp --in-place manifests/*.yaml`,
		RunE: func(c *cobra.Command, args []string) error { return s.run(c.Context(), p, args) },
	}
	s.add(c)
	s.findings.withErrors = true
	s.findings.add(c)
	c.Flags().BoolVar(&s.reencode, "reencode", false, "with --in-place: write documents, too, that lose their comments")
	return c
}

func (s *stampCommand) run(ctx context.Context, p *program, files []string) error {
	stream, pieces, err := s.stream(ctx, p, files)
	if err != nil {
		return err
	}
	a, err := p.wiring.WithStamping(s.flags(), stream)
	if err != nil {
		return err
	}
	stamping := a.Stamping().ToOutput()
	if s.inPlace {
		stamping = stamping.InPlace()
	}
	result, err := pipeline.Run(ctx, a.WithStamping(stamping))
	if err != nil {
		return err
	}
	outcome := fleet.OutcomeOf(a, result)
	if err := s.findings.report(ctx, p, []fleet.Outcome{outcome}); err != nil {
		return err
	}
	if s.inPlace {
		if failsUnchecked(a, outcome) {
			p.exit = diag.ExitFindings
		}
		if err := s.refuseLoss(ctx, a, result); err != nil {
			return err
		}
		return writeBack(p, pieces, func(at plain.Piece) ([]byte, error) {
			return result.Text.Part(result.Output.Boundary(at.Start), result.Output.Boundary(at.End)), nil
		})
	}
	if result.Output.IsEdited() { // what was added may stand between values
		return p.emit(bytes.NewBuffer(asValues(result.Text.Bytes(), stream.Stream().Text, pieces)))
	}
	return p.emit(asItCame(result.Text, pieces))
}

// asValues returns what became of a text that was given, where that was JSON, one value or several one after another,
// in that form again: without lines that separate documents.
func asValues(text, given []byte, pieces []plain.Piece) []byte {
	isOne := bytes.HasPrefix(bytes.TrimSpace(given), []byte("{")) && !bytes.Contains(given, []byte("\n---"))
	if len(pieces) != 1 || len(pieces[0].Added) == 0 && !isOne {
		return text
	}
	values := bytes.ReplaceAll(text, []byte("\n---\n"), []byte("\n"))
	for d := json.NewDecoder(bytes.NewReader(values)); ; {
		var value json.RawMessage
		switch err := d.Decode(&value); {
		case errors.Is(err, io.EOF):
			return values
		case err != nil:
			return text
		}
	}
}

// refuseLoss returns an error where writing in place would lose comments, for which nobody has asked.
func (s *stampCommand) refuseLoss(ctx context.Context, a *app.Application, result *pipeline.Result) error {
	if s.reencode {
		return nil
	}
	var errs []error
	for _, f := range pipeline.NewTrace(ctx, a, result.Output).Findings(result.Findings()) {
		if f.Code == diag.Reencoded && f.Notice {
			errs = append(errs, diag.Input(f.Position(), errors.New("stamp in place: the document would lose its comments"),
				"A template behind an alias or a merge key has no place for a stamp: write it out, or pass --reencode."))
		}
	}
	return errors.Join(errs...)
}

// asItCame returns a text whose values are JSON one after another without what was put between them. Between several
// files that stays.
func asItCame(text splice.Edited, pieces []plain.Piece) splice.Edited {
	if len(pieces) != 1 || len(pieces[0].Added) == 0 {
		return text
	}
	edits := slices.Clone(text.Edits)
	for _, added := range pieces[0].Added {
		edits = append(edits, splice.Edit{Start: added[0], End: added[1]})
	}
	splice.Sort(edits)
	return splice.Edited{Text: text.Text, Edits: edits}
}

// stream reads the files, or standard input, as one application of manifests that were rendered already.
func (s *stampCommand) stream(
	ctx context.Context, p *program, files []string,
) (*app.Application, []plain.Piece, error) {
	if len(files) == 0 {
		files = []string{"-"}
	}
	if err := s.validate(files); err != nil {
		return nil, nil, err
	}
	out, pieces, err := plain.Files(ctx, files, p.in)
	if err != nil {
		return nil, nil, err
	}
	if err := krm.CheckStart(out.Text); err != nil {
		return nil, nil, err
	}
	at, err := common(files)
	if err != nil {
		return nil, nil, err
	}
	settings, err := p.wiring.Settings(s.flags(), p.wiring.Disk(), at)
	if err != nil {
		return nil, nil, err
	}
	if !s.allowEmpty && empty(pieces) {
		return nil, nil, diag.Input(diag.Position{}, errors.New("the input is empty"),
			"Did the command before it fail? Where an empty stream is right, pass --allow-empty.")
	}
	out.Namespace = string(settings.Namespace.Value)
	name := pieces[0].Name
	return app.New(app.Spec{
		Name: name, Request: &render.Request{Path: name}, Stream: out,
		Engines: p.wiring.Engines(settings), Settings: settings,
		Timeout: s.timeout,
	}), pieces, nil
}

func (s *stampCommand) validate(files []string) error {
	stdin := slices.Index(files, "-")
	switch {
	case s.inPlace && stdin >= 0:
		return diag.Usage(errors.New("--in-place needs the names of files"),
			"Name them: rollstamp stamp --in-place FILE...")
	case stdin >= 0 && slices.Contains(files[stdin+1:], "-"):
		return diag.Usage(errors.New("standard input can be read once only"), "Put it into a file.")
	}
	return nil
}

// empty reports whether not a byte came in, which is what a command that failed hands on.
func empty(pieces []plain.Piece) bool {
	return !slices.ContainsFunc(pieces, func(p plain.Piece) bool { return p.End-p.Start > len(p.Separator) })
}

// common returns the place whose configuration file counts for all the files together: the nearest to any of them,
// which must be the same for all.
func common(files []string) (string, error) {
	first, found := place(files[0]), ""
	folders := map[string]bool{}
	for i, name := range files {
		at := place(name)
		if len(files) == 1 || folders[filepath.Dir(at)] {
			continue
		}
		folders[filepath.Dir(at)] = true
		where, err := config.Locate(at)
		if err != nil {
			return "", err
		}
		file, err := config.Load(where)
		if err != nil {
			return "", err
		}
		if i == 0 {
			found = file.Path()
		}
		if file.Path() != found {
			return "", diag.Usage(fmt.Errorf("%s and %s have different configuration files: %s, and %s", files[0], name,
				shownConfig(found), shownConfig(file.Path())),
				"Stamp the files of each by themselves; what they read of the others goes under context: of theirs. "+
					"Or move "+config.FileName+" up to a folder of both.")
		}
	}
	return first, nil
}

// shownConfig returns how errors name a configuration file; "" is that of built-in settings.
func shownConfig(path string) string {
	if path == "" {
		return "none"
	}
	return fromHere(path)
}

// place is where the configuration of a file is looked for; that of a stream is looked for in the working folder.
func place(file string) string {
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return file
}
