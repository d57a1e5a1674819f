package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/flux/artifact"
	"github.com/rollstamp/rollstamp/flux/publish"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/redact"
)

type fluxPushCommand struct {
	renderFlags
	findings      findingsTo
	origin        artifact.Origin
	tags          []string
	user          string
	passwordStdin bool
	provider      string
	dryRun        bool
	fluxObjects   bool
	plaintext     bool
	output        string
}

func newFluxPush(p *program) *cobra.Command {
	var f fluxPushCommand
	c := &cobra.Command{
		Use:   "push oci://HOST/REPO [PATH...]",
		Short: "Publish stamped manifests for Flux's OCIRepository",
		Long: `Render and stamp each PATH, as rollstamp render does, and publish the manifests as an OCI artifact that
Flux's OCIRepository consumes: PATH/manifests.yaml in it is what PATH renders to, and manifests.yaml what the
working folder does. Standard output has the digest of what the tags have then, as HOST/REPO@sha256:..., which is
what cosign signs.

The same manifests, --source and --revision have the same digest on every machine. Where a tag has the
manifests of that source already, nothing is published, whatever their revision. Nothing is published,
either, unless all of it could be rendered, or where findings reach --fail-on.

Objects in which a ${ is left get the label kustomize.toolkit.fluxcd.io/substitute: disabled, so that
no Kustomization of Flux takes it for a variable. With --as flux, the artifact has NAMESPACE/NAME.yaml
for each Kustomization, and one Kustomization is to apply all of it: one whose manifests are in it is left
out of those of others, and a HelmRelease, which helm-controller renders, has the stamps of its chart's
workloads as patches. Without it, a Kustomization that applies what lies in Git is an error: published as it
is, it would apply that without stamps. --flux-objects has it published so.

The registry is asked with the credentials that docker has for it, with --username and a password on
standard input, or with the identity that this machine has in a cloud: --provider. Naming it here is the
permission to ask it; another host, such as one that issues its tokens, needs --allow network=HOST.`,
		Example: `  rollstamp flux push oci://ghcr.io/example/shop apps/shop
  rollstamp flux push oci://ghcr.io/example/shop --tag main --revision "main@sha1:$(git rev-parse HEAD)" 'apps/*'
  cosign sign --yes "$(rollstamp flux push oci://ghcr.io/example/shop apps/shop)"`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return diag.Usage(errors.New("the address of a repository is missing"), "Write it as oci://HOST/REPO.")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c.Context(), p, args[0], args[1:]) },
	}
	f.add(c)
	f.findings.add(c)
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	own.StringArrayVar(&f.tags, "tag", nil, `tag that the artifact gets (default that of the address, else "latest")`)
	if folders := c.Flags().Lookup("source"); folders != nil {
		own.Var(&pushSource{address: &f.origin.Source, folders: folders.Value}, "source",
			"address of the repository that the manifests are made of, for Flux to show; or where the files of another "+
				"source lie on this machine: KIND/NAMESPACE/NAME=DIR")
	}
	own.StringVar(&f.origin.Revision, "revision", "", "its revision, as BRANCH@sha1:COMMIT")
	own.StringVar(&f.user, "username", "", "user of the registry")
	own.BoolVar(&f.passwordStdin, "password-stdin", false, "read the password of --username from standard input")
	own.StringVar(&f.provider, "provider", string(config.RegistryGeneric),
		"whose identity the registry is asked with: "+strings.Join(config.RegistryProviders(), ", "))
	own.BoolVar(&f.plaintext, plaintextFlag, false,
		"publish values of Secrets that were decrypted, or come from --vars, in clear text")
	own.BoolVar(&f.fluxObjects, fluxObjectsFlag, false,
		"publish Kustomizations of Flux as they are, that apply what lies in Git without stamps")
	own.BoolVar(&f.dryRun, "dry-run", false, "print the digest, and publish nothing")
	replaceFlags(c, own)
	addFormat(c, &f.output, formats...)
	offer(c, "provider", config.RegistryProviders()...)
	return c
}

// pushSource is the value of --source, which says two things of a push.
type pushSource struct {
	address *string
	folders pflag.Value // of other sources: KIND/NAMESPACE/NAME=DIR
}

func (s *pushSource) String() string {
	if s.address == nil {
		return ""
	}
	return *s.address
}

// Type returns what help calls the value.
func (s *pushSource) Type() string { return "string" }

// Set takes a folder where the value begins with an object's kind, and else an address.
func (s *pushSource) Set(value string) error {
	name, _, isFolder := strings.Cut(value, "=")
	if isFolder && strings.Count(name, "/") == 2 && 'A' <= name[0] && name[0] <= 'Z' {
		return s.folders.Set(value)
	}
	*s.address = value
	return nil
}

// replaceFlags adds flags to a command. One of a name that the command has already takes its place.
func replaceFlags(c *cobra.Command, own *pflag.FlagSet) {
	own.VisitAll(func(f *pflag.Flag) {
		if there := c.Flags().Lookup(f.Name); there != nil {
			*there = *f
			return
		}
		c.Flags().AddFlag(f)
	})
}

// pushedArtifact is what is printed of a push.
type pushedArtifact struct {
	Repository string   `json:"repository"`
	Digest     string   `json:"digest"`
	Pushed     []string `json:"pushed"` // the tags that were moved
	Blobs      int      `json:"blobs"`  // how many were uploaded
}

func (f *fluxPushCommand) run(ctx context.Context, p *program, address string, paths []string) error {
	if err := errors.Join(f.check(), f.validate(paths), oneOf("output", f.output, formats...),
		oneOf("provider", f.provider, config.RegistryProviders()...)); err != nil {
		return err
	}
	to, err := artifact.Parse(address)
	if err != nil {
		return err
	}
	if err := f.publishedSource(p.err); err != nil {
		return err
	}
	files, failed, err := f.render(ctx, p, paths)
	if err != nil {
		return err
	}
	if failed {
		fmt.Fprintln(p.err, "nothing is published: findings reach --fail-on")
		return nil
	}
	a, err := artifact.New(files, f.origin)
	if err != nil {
		return err
	}
	out := pushedArtifact{Repository: to.Name(), Digest: a.Digest(), Pushed: []string{}}
	if !f.dryRun {
		done, err := f.push(ctx, p, to, a)
		if err != nil {
			return err
		}
		out.Digest, out.Blobs, out.Pushed = done.Digest, done.Blobs, append(out.Pushed, done.Tags...)
	}
	if f.output == "json" {
		return p.emitJSON("artifact", out, indentedJSON)
	}
	return p.emit(bytes.NewBufferString(out.Repository + "@" + out.Digest + "\n"))
}

// validate finds combinations that cannot work.
func (f *fluxPushCommand) validate(paths []string) error {
	stdin := slices.Contains(paths, "-") || slices.Contains(f.helm.ValuesFiles, "-")
	switch {
	case f.passwordStdin && stdin:
		return diag.Usage(errors.New("standard input can be read once only"), "Put the manifests or values into a file.")
	case f.provider != string(config.RegistryGeneric) && f.user != "":
		return diag.Usage(errors.New("--provider and --username are two ways to log in"), "Pass one of them.")
	case f.passwordStdin != (f.user != ""):
		return diag.Usage(errors.New("--username and --password-stdin belong together"),
			"Or leave both out, and log in with docker login.")
	case f.noStamp:
		return diag.Usage(errors.New("what is published is stamped"), "")
	}
	for _, tag := range f.tags {
		if err := artifact.CheckTag(tag); err != nil {
			return err
		}
	}
	return nil
}

// publishedSource takes credentials out of the address that is published, and says so.
func (f *fluxPushCommand) publishedSource(notes io.Writer) error {
	source, err := artifact.Address(f.origin.Source)
	if err != nil {
		return err
	}
	if source != f.origin.Source {
		fmt.Fprintf(notes, "note: --source is published as %s, without what may be credentials in it\n", source)
	}
	f.origin.Source = source
	return nil
}

// render returns the files of the artifact, and whether findings reach --fail-on.
func (f *fluxPushCommand) render(ctx context.Context, p *program, paths []string) ([]artifact.File, bool, error) {
	source, err := f.source(ctx, p, paths)
	if err != nil {
		return nil, false, err
	}
	source = f.published(source, publishedSecrets(f.plaintext))
	names, err := source.Names(ctx)
	if err != nil {
		return nil, false, err
	}
	if names, err = publishedNames(ctx, p.err, source, names); err != nil {
		return nil, false, err
	}
	places, err := fleet.LayoutOf(config.AppKind(f.as)).Places("", names)
	if err != nil {
		return nil, false, err
	}
	done := newRendered(len(names))
	merge, _ := source.(sourcesOfApplications)
	if merge != nil {
		done.several = merge.Several(names)
	}
	done.plaintext = f.plaintext
	if f.as != "flux" {
		source = byKustomizeController{source}
	}
	errs := fleet.Run(ctx, source, names, func(ctx context.Context, i int, a *app.Application, r *pipeline.Result) error {
		return errors.Join(done.refuse(ctx, a, r.Output), done.use(ctx, i, a, pipeline.NewRendered(r)))
	}, p.progress())
	if merge != nil {
		done.merge(ctx, merge, errs)
	}
	if err := errors.Join(f.findings.report(ctx, p, done.outcomes), fleet.Join(names, errs)); err != nil {
		return nil, false, err
	}
	if _, ok := f.engine(); !ok {
		if err := f.checkFluxObjects(p.err, done.outcomes); err != nil {
			return nil, false, err
		}
	}
	files, err := filesOf(done.outcomes, places)
	if _, isPublished := source.(*publish.Source); isPublished && err == nil {
		files, err = onceEach(files, p.err)
	}
	return files, slices.ContainsFunc(done.outcomes, func(o fleet.Outcome) bool { return o.Failed }), err
}

// byKustomizeController is a source whose applications kustomize-controller applies, whatever they are: an artifact is
// for that. Where Flux's objects describe applications, they say so themselves.
type byKustomizeController struct{ app.Source }

// Application returns the one of a name.
func (s byKustomizeController) Application(ctx context.Context, name string) (*app.Application, error) {
	a, err := s.Source.Application(ctx, name)
	if err != nil {
		return nil, err
	}
	origin := a.Origin()
	origin.Applier = app.KustomizeController
	return a.WithOrigin(origin), nil
}

// push publishes the artifact under the tags that are meant.
func (f *fluxPushCommand) push(
	ctx context.Context, p *program, to *artifact.Repository, a *artifact.Artifact,
) (artifact.Pushed, error) {
	settings, err := p.wiring.Settings(f.flags(), p.wiring.Disk(), "")
	if err != nil {
		return artifact.Pushed{}, err
	}
	login := artifact.Credentials{User: f.user, Provider: config.RegistryProvider(f.provider), Logins: p.wiring.Logins()}
	if f.passwordStdin {
		text, err := io.ReadAll(p.in)
		if err != nil {
			return artifact.Pushed{}, diag.Input(diag.Position{File: "-"}, fmt.Errorf("read the password: %w", err), "")
		}
		login.Password = redact.New(bytes.TrimRight(text, "\r\n"))
	}
	if err := to.Connect(login, settings.Permissions()); err != nil {
		return artifact.Pushed{}, err
	}
	tags := f.tagsOf(to)
	done, err := to.Push(ctx, a, tags)
	if err == nil && len(done.Tags) == 0 {
		have := "has"
		if len(tags) > 1 {
			have = "have"
		}
		fmt.Fprintf(p.err, "nothing is published: %s %s this content already\n", strings.Join(tags, ", "), have)
	}
	return done, err
}

// tagsOf returns the tags that are meant, each once.
func (f *fluxPushCommand) tagsOf(to *artifact.Repository) (tags []string) {
	for _, tag := range append([]string{to.Tag()}, f.tags...) {
		if tag != "" && !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	if len(tags) == 0 {
		tags = []string{"latest"}
	}
	return tags
}
