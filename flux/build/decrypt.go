package build

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources"
)

// disabledKey is the annotation by which an object is applied as it is encrypted.
const disabledKey = objects.KustomizeGroup + "/decrypt"

// Decryption is what a Kustomization has encrypted, and what decrypts it. The controller decrypts the files of
// generators and patches before it builds, and objects after that. Here the text of a build always has ciphertexts.
// What they hold counts in the suffixes of names, and is in Output.Decrypted.
type Decryption struct {
	of      *objects.Kustomization
	files   []encryptedFile
	with    sources.FileDecrypter // nil where nothing is decrypted
	engine  render.Engine
	request render.Request // of a build that reads the files as they are
}

// NewDecryption returns the decryption of a Kustomization with its request, nil where its spec has none.
func NewDecryption(k *objects.Kustomization, request render.Request, engine render.Engine,
	with sources.FileDecrypter) *Decryption {
	if k.Spec.Decryption == nil {
		return nil
	}
	d := &Decryption{of: k, with: with, engine: engine, request: request}
	d.files = encryptedFiles(request.Files, request.Kustomize.Overlay.Root, request.Path, k.Spec.Components)
	return d
}

// Request returns the request with the ciphertexts of files in the form of what they hold.
func (d *Decryption) Request() render.Request {
	if !d.ReadsFiles() {
		return d.request
	}
	contents := map[string][]byte{}
	for _, f := range d.files {
		contents[f.path] = f.standIn()
	}
	return d.reading(contents)
}

// ReadsFiles reports whether files are decrypted before the build. Nil decrypts none.
func (d *Decryption) ReadsFiles() bool { return d != nil && d.with != nil && len(d.files) > 0 }

// reading returns the request of a build that reads other contents of the files.
func (d *Decryption) reading(contents map[string][]byte) render.Request {
	request := d.request
	request.Files = files.Replaced{System: d.request.Files, Contents: contents}
	return request
}

// Engine returns the engine of the request: where it does not build with ciphertexts, that is the reason.
func (d *Decryption) Engine() render.Engine {
	if !d.ReadsFiles() {
		return d.engine
	}
	return ciphertextEngine{d}
}

// ciphertextEngine builds with ciphertexts.
type ciphertextEngine struct{ of *Decryption }

// Render is render.Engine's.
func (e ciphertextEngine) Render(ctx context.Context, request render.Request) (*render.Output, error) {
	out, err := e.of.engine.Render(ctx, request)
	if err == nil || ctx.Err() != nil || request.Kustomize.TraceOf != nil {
		return out, err
	}
	if _, failed := e.of.plain(ctx); failed != nil {
		return nil, err
	}
	return nil, e.of.fail(otherObjects, valuesHint)
}

// Reasons why ciphertexts cannot stand in a build for what they hold.
const (
	otherObjects = "its objects are others then, so that no ciphertext can stand for what is encrypted"
	valuesHint   = "Encrypt values alone, not names (sops --encrypted-regex), and copy no part of them with replacements."
)

// plain returns the build with the files as they are decrypted.
func (d *Decryption) plain(ctx context.Context) (*render.Output, error) {
	contents := map[string][]byte{}
	for _, f := range d.files {
		content, err := d.with.DecryptFile(ctx, sources.EncryptedFile{Text: f.text, From: f.format, To: f.format})
		if err != nil {
			return nil, &fileError{placeAt(err, files.FromHere(f.path))}
		}
		contents[f.path] = content.Reveal()
	}
	request := d.reading(contents)
	request.Once = true
	return d.engine.Render(ctx, request)
}

// fileError is the error of a file that is not decrypted.
type fileError struct{ error }

// Transforms returns what is done with the build.
func (d *Decryption) Transforms() []render.Transform {
	switch {
	case d.with == nil:
		return []render.Transform{Encrypted(d.of), d.reportPatches}
	case !d.ReadsFiles():
		return []render.Transform{d.decryptObjects}
	}
	return []render.Transform{d.decryptFiles, d.decryptObjects}
}

// decryptFiles builds once more, with the files as they are decrypted, and takes the names over.
func (d *Decryption) decryptFiles(ctx context.Context, out *render.Output) (*render.Output, error) {
	built, err := d.plain(ctx)
	var ofFile *fileError
	switch {
	case err == nil:
		return d.pair(out, built.Text)
	case errors.As(err, &ofFile):
		return nil, ofFile.error
	case ctx.Err() != nil:
		return nil, err
	}
	return nil, d.fail("kustomize does not build it with what they hold", // its words may quote that
		"Decrypt them with sops, and look at what kustomize build reports.")
}

// fail returns an error about all encrypted files, at the first of them.
func (d *Decryption) fail(why, hint string) error {
	var names []string
	for _, f := range d.files {
		names = append(names, files.FromHere(f.path))
	}
	return &diag.Error{Exit: diag.ExitInput, Object: d.of.String(), Pos: d.files[0].named, Hint: hint,
		Err: fmt.Errorf("build with %s decrypted: %s", strings.Join(names, ", "), why)}
}

// placeAt puts an error of a decrypter at a file.
func placeAt(err error, file string) error {
	var known *diag.Error
	if !errors.As(err, &known) {
		return err
	}
	return &diag.Error{Exit: known.Exit, Object: known.Object, Pos: diag.Position{File: file}, Err: known.Err,
		Hint: known.Hint}
}

// decryptObjects decrypts ConfigMaps and Secrets, and files in Secrets that no generator read.
func (d *Decryption) decryptObjects(ctx context.Context, out *render.Output) (*render.Output, error) {
	if !bytes.Contains(out.Text, []byte("ENC[")) && !bytes.Contains(out.Text, []byte("kind: Secret\n")) {
		return out, nil
	}
	known, err := documentsOf(out.Decrypted)
	if err != nil {
		return nil, err
	}
	changed := *out
	changed.Decrypted = nil
	err = eachObject(out.Text, func(o manifest.Object, line int) error {
		before := known[o.String()]
		delete(known, o.String())
		if isReportedEncrypted(o) {
			changed.Findings = append(changed.Findings[:len(changed.Findings):len(changed.Findings)], remains(o, line))
			return nil
		}
		document, err := d.decryptObject(ctx, o, before)
		if document != nil {
			changed.Decrypted = append(changed.Decrypted, redact.New(document))
		}
		return atObject(err, o, line)
	})
	if err != nil {
		return nil, err
	}
	return &changed, nil
}

// documentsOf returns decrypted documents by the object that each is.
func documentsOf(all []redact.Secret) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, one := range all {
		err := eachObject(one.Reveal(), func(o manifest.Object, _ int) error {
			out[o.String()] = one.Reveal()
			return nil
		})
		if err != nil {
			return nil, errors.New("read a decrypted object: it is no YAML")
		}
	}
	return out, nil
}

// eachObject calls visit with each object of a text, and the line that it begins in.
func eachObject(text []byte, visit func(o manifest.Object, line int) error) error {
	lines := manifest.NewLines(text)
	for reader := manifest.NewReader(text); ; {
		doc, err := reader.Next()
		if doc == nil || err != nil {
			return err
		}
		for o := range doc.Objects() {
			if err := visit(o, lines.At(o.Node.Offset())); err != nil {
				return err
			}
		}
	}
}

// atObject puts an error of a decrypter at an object.
func atObject(err error, o manifest.Object, line int) error {
	var known *diag.Error
	if !errors.As(err, &known) {
		return err
	}
	return &diag.Error{Exit: known.Exit, Object: o.String(), Pos: diag.Position{Line: line}, Err: err, Hint: known.Hint}
}

// decryptObject returns an object as the controller decrypts it; nil where nothing of it is encrypted. Before is what
// the files that it was generated from hold.
func (d *Decryption) decryptObject(ctx context.Context, o manifest.Object, before []byte) ([]byte, error) {
	switch {
	case o.Group() != "" || o.Kind != "Secret" && o.Kind != "ConfigMap":
		return before, nil
	case isDisabled(o):
		return before, nil
	case isEncrypted(o):
		content, err := d.with.DecryptFile(ctx, sources.EncryptedFile{Text: o.Node.Document().Body(),
			From: sources.FileYAML, To: sources.FileYAML, Rewritten: true})
		return content.Reveal(), err
	case o.Kind == "Secret" && before != nil:
		return before, eachObject(before, func(plain manifest.Object, _ int) (err error) {
			before, err = d.decryptKeys(ctx, plain.Node, before)
			return err
		})
	case o.Kind == "Secret":
		return d.decryptKeys(ctx, o.Node, nil)
	}
	return before, nil
}

// isDisabled reports whether an object is applied as it is encrypted.
func isDisabled(o manifest.Object) bool {
	return strings.EqualFold(o.Annotation(disabledKey), "disabled")
}

// isEncrypted reports whether SOPS encrypted an object as a whole.
func isEncrypted(o manifest.Object) bool { return o.Node.At("sops", "mac").Text() != "" }

// decryptKeys returns a Secret with the files in its data decrypted, or what is known of it where there are none.
func (d *Decryption) decryptKeys(ctx context.Context, secret manifest.Node, known []byte) ([]byte, error) {
	changed := map[string]any{}
	for f := secret.Get("data").Fields(); f.Next(); {
		text, err := base64.StdEncoding.DecodeString(f.Value.Text())
		from := formatIn(text)
		if err != nil || from == "" {
			continue
		}
		key := f.Key.Text()
		content, err := d.with.DecryptFile(ctx, sources.EncryptedFile{Text: text, From: from, To: formatOf(key)})
		if err != nil {
			return nil, fmt.Errorf("field '%s': %w", key, err)
		}
		changed[key] = base64.StdEncoding.EncodeToString(content.Reveal())
	}
	if len(changed) == 0 {
		return known, nil
	}
	var object map[string]any
	if err := yaml.Unmarshal(secret.Document().Body(), &object); err != nil {
		return nil, errors.New("read the Secret: it is no YAML")
	}
	data, _ := object["data"].(map[string]any)
	for key, value := range changed {
		data[key] = value
	}
	return yaml.Marshal(object)
}
