package main

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/patches"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/render/plain"
	"github.com/rollstamp/rollstamp/shape"
	"github.com/rollstamp/rollstamp/splice"
	"github.com/rollstamp/rollstamp/stamp"
)

func newUnstamp(p *program) *cobra.Command {
	var s stampCommand
	var prefix string
	c := &cobra.Command{
		Use:   "unstamp [FILE...|-]",
		Short: "Take every stamp out again",
		Long: `Read manifests from each FILE, or from standard input, and print them without stamps.

Of manifests that rollstamp stamped, what is left is what they were before, byte for byte; but a document
that stamping had to encode again (the finding document-reencoded) keeps the form that it got there. Patches
that rollstamp flux stamp wrote into Kustomizations and HelmReleases of Flux go, too, and so does what bindings
and replicate added. Stamps are the annotations of checksum.rollstamp.dev, and those of the domain that
annotationPrefix or --annotation-prefix names.

With --in-place, a folder stands for the files of YAML and JSON below it that hold such an annotation: all
others are not read as manifests. Folders and files that begin with a dot, and links, are left out.`,
		Example: `  rollstamp unstamp < stamped.yaml
  rollstamp unstamp --in-place manifests/*.yaml
  rollstamp unstamp --in-place clusters/production`,
		RunE: func(c *cobra.Command, args []string) error { return runUnstamp(c.Context(), p, &s, prefix, args) },
	}
	s.add(c)
	c.Flags().StringVar(&prefix, "annotation-prefix", "",
		"domain of the stamps, where the configuration no longer names it: those of checksum.rollstamp.dev go in any case")
	for _, flag := range s.names { // one set of flags serves both ways
		if flag != "namespace" {
			withoutEffect(c, flag, "stamps are taken out under any settings")
		}
	}
	return c
}

func runUnstamp(ctx context.Context, p *program, s *stampCommand, prefix string, files []string) error {
	if s.inPlace {
		var err error
		if files, err = s.stampedBelow(p, files, prefix); err != nil || len(files) == 0 {
			return err
		}
	}
	a, pieces, err := s.stream(ctx, p, files)
	if err != nil {
		return withFolderHint(err)
	}
	settings := a.Settings()
	if prefix != "" {
		if settings, err = settings.WithAnnotationPrefix(prefix, "flag --annotation-prefix"); err != nil {
			return err
		}
	}
	text := a.Stream().Text
	opts := stamp.Options{Namespace: a.Stream().Namespace, Settings: settings}
	// A stamp concerns nothing outside its document, so each file can be read by itself, and an error names it.
	bare := func(at plain.Piece) ([]byte, error) {
		out, err := stamp.Bare(ctx, text[at.Start:at.End], opts)
		if err == nil {
			out, err = withoutPatches(out, at.Name, app.StampPrefix(opts.Settings))
		}
		if err == nil && shape.IsMarked(out.Text) {
			without, err := withoutAdditions(ctx, out, at, a.Settings())
			return asValues(without, text, pieces), err
		}
		if err == nil && at.Start == 0 {
			out = asItCame(out, pieces)
		}
		return out.Bytes(), inPiece(at, err)
	}
	if s.inPlace {
		return writeBack(p, pieces, bare)
	}
	var all bytes.Buffer
	for _, piece := range pieces {
		out, err := bare(piece)
		if err != nil {
			return err
		}
		all.Write(out)
	}
	return p.emit(&all)
}

// withoutAdditions returns what bare becomes without what bindings and their like added, which was there before stamps.
func withoutAdditions(ctx context.Context, bare splice.Edited, at plain.Piece, s *config.Settings) ([]byte, error) {
	text := bare.Bytes()
	edits, err := shape.Remove(ctx, text, s)
	return splice.Bytes(text, edits), inPiece(at, err)
}

// withoutPatches adds the edits that take stamps out of Flux's own objects.
func withoutPatches(bare splice.Edited, name string, prefix hashing.Prefix) (splice.Edited, error) {
	removed, err := patches.Remove(bare.Text, name, prefix)
	if len(removed) > 0 {
		bare.Edits = slices.Concat(bare.Edits, removed)
		splice.Sort(bare.Edits)
	}
	return bare, err
}

// inPiece returns an error about a line of a piece the position in its file.
func inPiece(at plain.Piece, err error) error {
	var e *diag.Error
	if !errors.As(err, &e) || e.Pos.File != "" {
		return err
	}
	moved := *e
	moved.Pos.File = at.Name
	if at.Separator != "" && moved.Pos.Line > 1 {
		moved.Pos.Line--
	}
	return &moved
}
