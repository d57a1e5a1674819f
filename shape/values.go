package shape

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// values are those of the ConfigMaps and Secrets of a text and its context.
type values struct {
	out       *render.Output
	text      []byte
	embedded  func(start, end int) *redact.Embedded // the values of Secrets in a document; nil where none are known
	settings  *config.Settings
	decrypter sources.Decrypter // nil for none
	index     *objects.Index    // nil before it is needed
	known     []objects.Plaintext
}

// value is what an object has under a key.
type value struct {
	text                  string
	isHidden, isDecrypted bool
}

// of returns the value of a key of an object. The error says why it is not known, or must not be copied.
func (v *values) of(ctx context.Context, of manifest.Object, key string) (out value, err error) {
	if v.index == nil {
		if err := v.read(ctx); err != nil {
			return out, err
		}
	}
	object, _ := v.index.Find(of.Kind, of.Namespace, of.Name)
	if object == nil {
		return out, input(fmt.Errorf("%s is not in the render", of),
			"Render it with the resource, or name where it lies under context.")
	}
	plaintexts, err := v.plaintexts(ctx, object)
	if err != nil {
		return out, err
	}
	var c objects.Content
	objects.Resolve(v.index, plaintexts...).ReadKeys(object, &c, func(k string) bool { return k == key })
	i := slices.IndexFunc(c.Pairs, func(p objects.Pair) bool { return p.Key == key })
	switch {
	case i < 0 && !slices.ContainsFunc(c.Pairs, func(p objects.Pair) bool { return p.Key == objects.Anything }):
		return out, input(fmt.Errorf("%s has no key %s", of, diag.Quote(key)),
			"Add the key, or correct the rule under kinds.")
	case i < 0 || c.Pairs[i].StandIn:
		return out, input(fmt.Errorf("the value of key %s of %s is not known here", diag.Quote(key), of),
			"Only a value that the manifests have, or that is decrypted, can be copied.")
	}
	p := c.Pairs[i]
	isSecret := of.Kind == "Secret"
	out.isDecrypted = c.Fetched || p.Secrecy == redact.HoldsDecrypted
	out.isHidden = isSecret || out.isDecrypted || p.Secrecy != redact.Public
	isPlain := !c.Fetched && !object.IsProduced()
	if isSecret { // whose value may be one that was decrypted for a chart or a variable
		isPlain = isPlain && (p.Secrecy == redact.Public || p.Secrecy == redact.HoldsSecret)
	}
	if !isPlain && !v.settings.CopySecrets.Value {
		return value{}, notPermitted(of)
	}
	out.text = string(p.Value.Reveal())
	return out, nil
}

// read reads the objects of the text and of its context.
func (v *values) read(ctx context.Context) error {
	v.index = objects.NewIndex(objects.Options{
		Namespace: string(cmp.Or(v.settings.Namespace.Value, config.NonEmpty(v.out.Namespace))),
		Level:     cmp.Or(int(v.settings.Level.Value), config.MaxLevel), Rules: v.settings.Producers.Value,
	})
	if len(v.out.Context) > 0 {
		context := v.index.NewContext()
		for _, c := range v.out.Context {
			if err := addObjects(ctx, context, c.Text, c.Namespace, c.Embedded); err != nil {
				return fmt.Errorf("read the context: %w", render.NewPlaces(c.Text, c.Origins).Move(err))
			}
			more, err := context.Plaintexts(c.Decrypted, c.Namespace)
			if err != nil {
				return err
			}
			v.known = append(v.known, more...)
		}
	}
	if err := addObjects(ctx, v.index, v.text, "", v.embedded); err != nil {
		return err
	}
	more, err := v.index.Plaintexts(v.out.Decrypted, v.index.Namespace())
	v.known = append(v.known, more...)
	return err
}

// addObjects adds the objects of a text to an index; those that name no namespace lie in the one that is given.
func addObjects(
	ctx context.Context, to *objects.Index, text []byte, namespace string,
	embedded func(start, end int) *redact.Embedded,
) error {
	return eachDocument(ctx, text, func(d *manifest.Document) error {
		clone := sync.OnceValue(d.Clone)
		var in *redact.Embedded
		if embedded != nil {
			in = embedded(d.Start, d.End)
		}
		for o := range d.Objects() {
			if to.Concerns(o) {
				o.Namespace = cmp.Or(o.Namespace, namespace)
				to.AddWith(o, clone, objects.About{Embedded: in})
			}
		}
		return nil
	})
}

// plaintexts returns what is decrypted of an object. Where that is not permitted, it is an error.
func (v *values) plaintexts(ctx context.Context, object *objects.Object) ([]objects.Plaintext, error) {
	switch {
	case !object.IsEncrypted():
		return nil, nil
	case !v.settings.CopySecrets.Value:
		return nil, notPermitted(manifest.Object{Kind: object.Kind, Namespace: object.Namespace, Name: object.Name})
	case v.decrypter == nil || slices.ContainsFunc(v.known, func(p objects.Plaintext) bool { return p.Of(object) }):
		return v.known, nil
	}
	more, err := object.Decrypt(ctx, v.decrypter)
	return slices.Concat(v.known, more), err
}

func notPermitted(of manifest.Object) error {
	return diag.Usage(
		fmt.Errorf("the value of %s is not in the manifests in plain, and copying it is not permitted", of),
		"Permit it with --allow copy-secrets, "+config.EnvAllow+" or the operator's policy file.")
}

func input(err error, hint string) error { return diag.Input(diag.Position{}, err, hint) }
