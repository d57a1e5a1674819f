package check

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/build"
	"github.com/rollstamp/rollstamp/hashing"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/manifest/generated"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/render"
)

// FindRolledByName returns the ConfigMaps and Secrets of a text whose names end in kustomize's hash of their content:
// whoever refers to them restarts by that name, with a stamp or without.
func FindRolledByName(text []byte) (out []config.ContentMatch, err error) {
	for reader := manifest.NewReader(text); ; {
		d, err := reader.Next()
		if err != nil || d == nil {
			return out, err
		}
		for o := range d.Objects() {
			if generated.HasHash(o) {
				out = append(out, config.ContentMatch{Kind: config.ContentKind(strings.Clone(o.Kind)),
					Name: config.Glob(strings.Clone(o.Name)), Namespace: config.Glob(strings.Clone(o.Namespace))})
			}
		}
	}
}

// FindNamedByPlaintext returns the Secrets of a text that kustomize generated from files which SOPS encrypted, and
// what is not known of them: a name that ends in a hash is rolled by that, and the hash may be of what is encrypted,
// which no printed manifest has.
func FindNamedByPlaintext(text []byte) (out []config.ContentMatch, found []diag.Finding, err error) {
	for reader := manifest.NewReader(text); ; {
		d, err := reader.Next()
		if err != nil || d == nil {
			return out, found, err
		}
		for o := range d.Objects() {
			_, named := generated.Base(o.Name)
			if !named || o.Kind != "Secret" || o.Group() != "" || generated.HasHash(o) || !holdsCiphertext(o.Node) {
				continue
			}
			out = append(out, config.ContentMatch{Kind: config.ContentKind(strings.Clone(o.Kind)),
				Name: config.Glob(strings.Clone(o.Name)), Namespace: config.Glob(strings.Clone(o.Namespace))})
			f := diag.New(diag.StampUnchecked, o.String(),
				"the hash in its name is not that of its ciphertext: it may be that of what is encrypted, and is not checked")
			f.Severity, f.Hint = diag.Info, "A build with --open-sops names it so, as Flux does."
			found = append(found, f)
		}
	}
}

// holdsCiphertext reports whether values of a Secret that is not encrypted itself are: files, or what stands for the
// values of an encrypted file of variables.
func holdsCiphertext(secret manifest.Node) bool {
	if build.IsOfEncryptedFiles(secret) {
		return true
	}
	for _, value := range secret.Get("data").Entries() {
		text, err := base64.StdEncoding.DecodeString(value.Text())
		if err == nil && !secret.Get("sops").Valid() && bytes.HasPrefix(text, []byte("ENC[")) {
			return true
		}
	}
	return false
}

// WithFinalNames returns manifests in which stamps about objects that are rolled by name have the names that these
// objects have now: a function of kustomize only knew those without the hash. Where an object has such a name, too, a
// stamp is about that one. The keys of stamps have the prefix.
func WithFinalNames(
	out *render.Output, rolled []config.ContentMatch, all Manifests, prefix hashing.Prefix,
) *render.Output {
	var names []string
	for _, o := range rolled {
		name := string(o.Name)
		base, _ := generated.Base(name)
		if _, taken := all[object{"", string(o.Kind), cmp.Or(string(o.Namespace), out.Namespace), base}]; !taken {
			names = append(names, prefix.Annotation("", string(o.Kind), base)+":",
				prefix.Annotation("", string(o.Kind), name)+":")
		}
	}
	return withReplaced(out, names)
}

// WithGeneratorNames returns manifests in which objects that are rolled by name, and what refers to them, have the
// names that a function of kustomize knew, without the hash; and those of them that it stamps nothing for, as they do
// not ask for that. An object keeps its name where another one has the one without the hash.
func WithGeneratorNames(
	out *render.Output, rolled []config.ContentMatch, all Manifests,
) (before *render.Output, unstamped []config.ContentMatch, err error) {
	var names []string
	for reader := manifest.NewReader(out.Text); ; {
		d, err := reader.Next()
		if err != nil || d == nil {
			return withReplaced(out, names), unstamped, err
		}
		for o := range d.Objects() {
			is := func(r config.ContentMatch) bool {
				return string(r.Kind) == o.Kind && string(r.Name) == o.Name && string(r.Namespace) == o.Namespace
			}
			i := slices.IndexFunc(rolled, is)
			if i < 0 {
				continue
			}
			match := rolled[i]
			base, _ := generated.Base(string(match.Name))
			if _, taken := all[object{"", o.Kind, cmp.Or(o.Namespace, out.Namespace), base}]; !taken {
				names = append(names, string(match.Name), base)
				match.Name = config.Glob(base)
			}
			if o.Annotation(policy.SkipAnnotation) == "" {
				unstamped = append(unstamped, match)
			}
		}
	}
}

// withReplaced returns manifests with texts, each before the one that it is replaced by.
func withReplaced(out *render.Output, pairs []string) *render.Output {
	if len(pairs) == 0 {
		return out
	}
	replaced, begin := *out, 0
	replaced.Text, replaced.Origins = nil, slices.Clone(out.Origins)
	replacer := strings.NewReplacer(pairs...)
	for i, origin := range out.Origins {
		replaced.Text = append(replaced.Text, replacer.Replace(string(out.Text[begin:origin.Offset]))...)
		replaced.Origins[i].Offset, begin = len(replaced.Text), origin.Offset
	}
	replaced.Text = append(replaced.Text, replacer.Replace(string(out.Text[begin:]))...)
	return &replaced
}
