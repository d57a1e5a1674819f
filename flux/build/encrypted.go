package build

import (
	"bytes"
	"context"
	"encoding/base64"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
)

// dotenvMark is the key by which an encrypted file of variables shows where its lines became keys.
const dotenvMark = "sops_mac"

// Encrypted returns what reports Secrets that are generated from files which SOPS encrypted, and objects other than
// ConfigMaps and Secrets that it encrypted, where nothing is decrypted. The controller decrypts the files before it
// builds, so that the suffix of their names is another one in the cluster; here they stay ciphertext.
func Encrypted(k *objects.Kustomization) render.Transform {
	return func(_ context.Context, out *render.Output) (*render.Output, error) {
		if k.Spec.Decryption == nil || !bytes.Contains(out.Text, []byte("kind: Secret\n")) &&
			!bytes.Contains(out.Text, []byte("\nsops:\n")) {
			return out, nil
		}
		var found []diag.Finding
		err := eachObject(out.Text, func(o manifest.Object, line int) error {
			switch {
			case isReportedEncrypted(o):
				found = append(found, remains(o, line))
			case o.Kind == "Secret" && o.Group() == "" && IsOfEncryptedFiles(o.Node):
				found = append(found, diag.New(diag.GeneratedEncrypted, o.String(),
					"it is generated from a file that SOPS encrypted, which the controller decrypts before it names the Secret").
					At(diag.Position{Line: line}))
			}
			return nil
		})
		return withFindings(out, found), err
	}
}

// Refused returns what reports Secrets by which kustomize-controller applies nothing of the Kustomization: they are
// still marked as encrypted by SOPS after the controller has decrypted what spec.decryption has it decrypt.
func Refused(k *objects.Kustomization) render.Transform {
	return func(_ context.Context, out *render.Output) (*render.Output, error) {
		if !bytes.Contains(out.Text, []byte("\nsops:")) {
			return out, nil
		}
		var found []diag.Finding
		err := eachObject(out.Text, func(o manifest.Object, line int) error {
			isDecrypted := k.Spec.Decryption != nil && isEncrypted(o)
			if o.Kind == "Secret" && o.Group() == "" && o.Node.Get("sops").Valid() && !isDecrypted && !isDisabled(o) {
				found = append(found, diag.New(diag.FluxDecryption, o.String(), "it is encrypted by SOPS, and "+
					refusal(k)).At(diag.Position{Line: line}))
			}
			return nil
		})
		return withFindings(out, found), err
	}
}

// refusal returns why a Secret stays encrypted.
func refusal(k *objects.Kustomization) string {
	if k.Spec.Decryption == nil {
		return k.String() + " has no spec.decryption"
	}
	return "has no sops.mac, by which " + k.String() + " would decrypt it"
}

// IsOfEncryptedFiles reports whether values of a Secret are encrypted files, while the Secret itself is not encrypted.
func IsOfEncryptedFiles(secret manifest.Node) bool {
	if secret.Get("sops").Valid() {
		return false
	}
	for f := secret.Get("data").Fields(); f.Next(); {
		text, err := base64.StdEncoding.DecodeString(f.Value.Text())
		if err != nil {
			continue
		}
		if f.Key.Text() == dotenvMark && bytes.HasPrefix(text, []byte("ENC[")) || formatIn(text) != "" {
			return true
		}
	}
	return false
}

// isReportedEncrypted reports whether an object is encrypted whose values no stamp has: it stays ciphertext.
func isReportedEncrypted(o manifest.Object) bool {
	return isEncrypted(o) && (o.Group() != "" || o.Kind != "Secret" && o.Kind != "ConfigMap")
}

// remains reports an object that stays ciphertext.
func remains(o manifest.Object, line int) diag.Finding {
	return diag.New(diag.Ciphertext, o.String(), "it holds what SOPS encrypted, as ciphertext; Flux applies it decrypted").
		At(diag.Position{Line: line})
}

// reportPatches reports patches that are encrypted, where nothing is decrypted.
func (d *Decryption) reportPatches(_ context.Context, out *render.Output) (*render.Output, error) {
	var found []diag.Finding
	for _, f := range d.files {
		if f.isPatch {
			found = append(found, diag.New(diag.Ciphertext, d.of.String(), "the patch "+files.FromHere(f.path)+
				" is encrypted by SOPS, and patches with ciphertext here; Flux decrypts it before. What reads the values restarts "+
				"once when a run begins to decrypt it, unless adopt --from-ciphertext is run first").At(f.named))
		}
	}
	return withFindings(out, found), nil
}

// withFindings returns the output with further findings.
func withFindings(out *render.Output, found []diag.Finding) *render.Output {
	if len(found) == 0 {
		return out
	}
	changed := *out
	changed.Findings = slices.Concat(out.Findings, found)
	return &changed
}
