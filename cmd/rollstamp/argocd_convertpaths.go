package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/argocd/apps"
	"github.com/rollstamp/rollstamp/argocd/appset"
	"github.com/rollstamp/rollstamp/argocd/convert"
	"github.com/rollstamp/rollstamp/argocd/paths"
	"github.com/rollstamp/rollstamp/argocd/rounds"
	"github.com/rollstamp/rollstamp/diag"
)

// annotate writes into a converted text which paths its Applications read, and reports those for which it cannot.
func (v *convertCommand) annotate(ctx context.Context, p *program, path string, text []byte) ([]byte, error) {
	w, err := v.world(p, []string{path})
	if err != nil {
		return nil, err
	}
	defer func() { _ = w.Repositories.Close() }() // it was only read
	objects, err := appset.Parse(text, path)
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	var hints []string // each once, below what they are for
	note := func(object string, err error) {
		p.exit = diag.ExitFindings
		fmt.Fprintf(p.err, "%s: no paths: %s\n", object, strings.TrimPrefix(err.Error(), object+": "))
		if hint := diag.HintOf(err); hint != "" && !slices.Contains(hints, hint) {
			hints = append(hints, hint)
		}
	}
	for _, a := range objects.Applications {
		value, err := v.annotation(ctx, p, w, []*apps.Application{a})
		if err != nil {
			note(a.String(), err)
			continue
		}
		values[a.String()] = value
	}
	for _, set := range objects.Sets {
		made, err := w.OfSet(ctx, set)
		value := ""
		switch {
		case err != nil:
		case len(made) == 0:
			err = errors.New("it generates no Application whose paths could be looked for")
		default:
			value, err = v.annotation(ctx, p, w, made)
		}
		if err != nil {
			note(set.String(), err)
			continue
		}
		values[set.String()] = value
	}
	for _, hint := range hints {
		fmt.Fprintf(p.err, "hint: %s\n", hint)
	}
	return convert.Annotate(text, path, paths.Annotation, values)
}

// annotation returns the one value that fits Applications which are made from one template, "" where it needs none. A
// value that they have, and that covers what they read, is left as it is.
func (v *convertCommand) annotation(
	ctx context.Context, p *program, w *rounds.World, made []*apps.Application,
) (string, error) {
	var want []string
	for _, a := range made {
		if !a.ReadsPaths() {
			continue
		}
		sources, err := v.sources(ctx, p, w, a)
		if err != nil {
			return "", err
		}
		if len(sources) == 0 {
			continue
		}
		if has := a.Annotation(paths.Annotation); has != "" {
			if left := sources.Missing(has); len(left) > 0 {
				return "", fmt.Errorf("%s has the annotation, and it leaves out %s: take it out, or name them there",
					a, strings.Join(left[:min(3, len(left))], ", "))
			}
			continue
		}
		items, err := sources.Items(a.SharesPaths())
		if err != nil {
			return "", err
		}
		if a.Set != "" {
			items = sources.OfTemplate(items)
		}
		if value := paths.Value(items); !slices.Contains(want, value) {
			want = append(want, value)
		}
	}
	switch len(want) {
	case 0:
		return "", nil
	case 1:
		return want[0], nil
	}
	return "", fmt.Errorf("its Applications read different paths, %s and %s: write what covers all of them into its "+
		"template", want[0], want[1])
}

// sources returns what those sources of an Application read that the plugin renders, and that lie in Git.
func (v *convertCommand) sources(
	ctx context.Context, p *program, w *rounds.World, a *apps.Application,
) (paths.Sources, error) {
	parts, err := w.Parts(ctx, a)
	if err != nil {
		return nil, err
	}
	var out paths.Sources
	for _, part := range parts {
		if !part.Plugin || part.Call.Path == "" {
			continue
		}
		reads, err := v.reads(ctx, p, part.Call)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part.Name, err)
		}
		out = append(out, reads)
	}
	return out, nil
}
