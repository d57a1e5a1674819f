package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/flux/publish"
	"github.com/rollstamp/rollstamp/wiring"
)

// published returns the applications of Flux's objects as an artifact or a branch holds them; other ones, and those
// that are to have no stamps, as they are. What is said of values in clear text holds for names with one, too.
func (r *renderFlags) published(source app.Source, secrets publish.Secrets) app.Source {
	if run, ok := source.(publish.Run); ok && !r.noStamp {
		return publish.New(run, secrets)
	}
	return source
}

// besideEarlier returns the source whose named applications go to files of an output folder and know what was rendered
// into these before; and Flux's ones among them, nil where there are none.
func besideEarlier(source app.Source, o *outputFolder, names []string) (app.Source, *publish.Beside, error) {
	var beside *publish.Beside
	if s, ok := source.(*publish.Source); ok {
		beside = s.Beside(func(ctx context.Context, name string) (app.Earlier, error) {
			file, err := o.layout().PlaceOf(o.run.Dir, name)
			if err != nil {
				return app.Earlier{}, err
			}
			return wiring.EarlierIn(file)(ctx)
		})
		source = beside
	}
	source, err := o.layout().IntoFiles(source, o.run.Dir, names)
	return wiring.WithEarlier(source), beside, err
}

// reportUnstamped says on w that HelmReleases that failed are written without stamps.
func reportUnstamped(w io.Writer, beside *publish.Beside) {
	if beside == nil || len(beside.Unstamped()) == 0 {
		return
	}
	ids := beside.Unstamped()
	more := ""
	if len(ids) > 1 {
		more = fmt.Sprintf(" and %d more", len(ids)-1)
	}
	fmt.Fprintf(w, "note: written without stamps of what its chart renders, which is not known and had none before: %s%s; "+
		"the first run that renders it adds them\n", ids[0], more)
}

// publishedNames returns the applications whose renders are published, and names on w what is not.
func publishedNames(ctx context.Context, w io.Writer, source app.Source, names []string) ([]string, error) {
	s, ok := source.(*publish.Source)
	if !ok {
		return names, nil
	}
	if err := reportUnapplied(ctx, w, s); err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !s.IsPublished(name) })
	return names, oneDestination(ctx, s, names)
}

// reportUnapplied names on w the HelmReleases of which nothing is published.
func reportUnapplied(ctx context.Context, w io.Writer, s *publish.Source) error {
	ids, err := s.Unapplied(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		fmt.Fprintf(w, "note: %s is not published: no Kustomization of the run applies it\n", id)
	}
	return nil
}

// checkFluxObjects names on w the applications that hold Flux's own objects: these are published, and what they apply
// is not. A Kustomization that applies what lies in Git would do so without stamps: an error, unless that is allowed.
func (f *fluxPushCommand) checkFluxObjects(w io.Writer, outcomes []fleet.Outcome) error {
	var errs []error
	for _, o := range outcomes {
		if o.Result == nil || !bytes.Contains(o.Result.Output.Text, []byte(".toolkit.fluxcd.io/")) {
			continue
		}
		found, _ := objects.Parse(o.Result.Output.Text, o.Name)
		for _, k := range found.Kustomizations {
			if k.Spec.SourceRef.Kind == "GitRepository" && !f.fluxObjects {
				errs = append(errs, unstampedError(o.Name, k))
			}
		}
		if n := len(found.Kustomizations) + len(found.Releases); n > 0 {
			fmt.Fprintf(w, "note: %s holds %s of Flux, published as they are, without the manifests that they apply, and "+
				"without stamps in these: pass --as flux to publish those\n", o.Name, diag.Count(n, "object"))
		}
	}
	return errors.Join(errs...)
}

// unstampedError is the error about a Kustomization that would apply manifests of Git as they are.
func unstampedError(app string, k *objects.Kustomization) error {
	return &diag.Error{Exit: diag.ExitUsage, Object: k.String(), Pos: diag.Position{File: app},
		Err: errors.New("it would be published as it is, and Flux would apply what it names without stamps"),
		Hint: "Pass --as flux to publish what it applies, with stamps; or --" + fluxObjectsFlag +
			" to publish the object itself."}
}

// fluxObjectsFlag allows Kustomizations of Flux as they are.
const fluxObjectsFlag = "flux-objects"

// oneDestination refuses applications of several clusters: one Kustomization applies all of an artifact.
func oneDestination(ctx context.Context, s *publish.Source, names []string) error {
	var first *app.Application
	for _, name := range names {
		a, err := s.Run.Application(ctx, name)
		if err != nil {
			continue // it is reported when it is rendered
		}
		if first == nil {
			first = a
		}
		if a.Destination() == first.Destination() {
			continue
		}
		return &diag.Error{Exit: diag.ExitInput, Object: strings.Join(s.Objects(name)[:1], ""), Pos: a.Origin().Pos,
			Err:  fmt.Errorf("it applies to %s, and %s to another cluster", a.Destination().Name, first.Name()),
			Hint: "Publish each cluster's Kustomizations as an artifact of their own: name their files."}
	}
	return nil
}
