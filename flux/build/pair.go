package build

import (
	"bytes"
	"encoding/base64"
	"errors"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/splice"
)

// errOther is the reason why one build cannot be set against the other.
var errOther = errors.New("the builds differ in more than values and names")

// pairing sets a build with ciphertexts against one with what they hold.
type pairing struct {
	names     *strings.Replacer // from the names there to those here
	edits     []splice.Edit
	decrypted []redact.Secret
	kept      []manifest.Object // others than ConfigMaps and Secrets, with values that stay encrypted
}

// pair returns a build with the names that it has once its files are decrypted, and with what these hold.
func (d *Decryption) pair(out *render.Output, plain []byte) (*render.Output, error) {
	p := pairing{}
	if err := p.compare(out.Text, plain); err != nil {
		return nil, d.fail(otherObjects, valuesHint)
	}
	changed := *out.Edit(p.edits, nil)
	changed.Decrypted = p.decrypted
	if len(p.kept) > 0 {
		changed.Findings = slices.Clone(changed.Findings)
		lines := manifest.NewLines(out.Text)
		for _, o := range p.kept {
			changed.Findings = append(changed.Findings, remains(o, lines.At(o.Node.Offset())))
		}
	}
	return &changed, nil
}

// compare goes through the documents of both builds, which are in the same order.
func (p *pairing) compare(ciphers, plain []byte) error {
	here, err := clonesOf(ciphers)
	if err != nil {
		return err
	}
	there, err := clonesOf(plain)
	if err != nil || len(here) != len(there) {
		return errOther
	}
	var names []string
	for i := range here {
		was, is := nameOf(here[i]), nameOf(there[i])
		if was != is {
			names = append(names, was, is)
		}
	}
	p.names = strings.NewReplacer(names...)
	for i := range here {
		if err := p.compareDocuments(here[i], there[i]); err != nil {
			return err
		}
	}
	return nil
}

// clonesOf returns the documents of a text.
func clonesOf(text []byte) (out []*manifest.Document, err error) {
	for reader := manifest.NewReader(text); ; {
		doc, err := reader.Next()
		if doc == nil || err != nil {
			return out, err
		}
		out = append(out, doc.Clone())
	}
}

func nameOf(d *manifest.Document) string { return d.Root().At("metadata", "name").Text() }

func (p *pairing) compareDocuments(here, there *manifest.Document) error {
	hasCiphertext, err := p.compareNodes(here.Root(), there.Root())
	if err != nil || !hasCiphertext {
		return err
	}
	for o := range here.Objects() {
		if o.Group() == "" && (o.Kind == "Secret" || o.Kind == "ConfigMap") {
			p.decrypted = append(p.decrypted, redact.New(bytes.Clone(there.Body())))
			continue
		}
		p.kept = append(p.kept, o)
	}
	return nil
}

// compareNodes goes through two values, and reports whether one here is a ciphertext.
func (p *pairing) compareNodes(here, there manifest.Node) (found bool, err error) {
	switch {
	case here.IsMap() && there.IsMap() && here.Len() == there.Len():
		for key, value := range here.Entries() {
			other := there.Get(key.Text())
			if !other.Valid() {
				return false, errOther
			}
			below, err := p.compareNodes(value, other)
			if err != nil {
				return false, err
			}
			found = found || below
		}
		return found, nil
	case here.IsSeq() && there.IsSeq():
		return p.compareItems(here, there)
	case !here.IsScalar() || !there.IsScalar():
		return false, errOther
	}
	was, is := here.Text(), there.Text()
	switch {
	case was == is:
		return false, nil
	case isCiphertext(was):
		return true, nil
	case p.names.Replace(was) != is:
		return false, errOther
	}
	edits, err := splice.SetString(here, is)
	p.edits = append(p.edits, edits...)
	return false, err
}

func (p *pairing) compareItems(here, there manifest.Node) (found bool, err error) {
	a, b := slices.Collect(here.Items()), slices.Collect(there.Items())
	if len(a) != len(b) {
		return false, errOther
	}
	for i := range a {
		below, err := p.compareNodes(a[i], b[i])
		if err != nil {
			return false, err
		}
		found = found || below
	}
	return found, nil
}

// isCiphertext reports whether a value is a ciphertext, or a file with such, as it is or in base64.
func isCiphertext(value string) bool {
	if strings.Contains(value, "ENC[") {
		return true
	}
	text, err := base64.StdEncoding.DecodeString(value)
	return err == nil && bytes.Contains(text, []byte("ENC["))
}
