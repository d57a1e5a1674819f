package build

import (
	"bytes"
	"context"
	"encoding/base64"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
)

// markers are what the formats of SOPS write into a file that is encrypted.
var markers = [][]byte{
	[]byte("mac: ENC["), []byte(`"mac": "ENC[`), []byte("sops_mac=ENC["), []byte("[sops]"),
}

// dotenvMark is the key by which an encrypted file of variables shows where its lines became keys.
const dotenvMark = "sops_mac"

// Encrypted returns what reports Secrets that are generated from files which SOPS encrypted. The controller decrypts
// the files before it builds, so that the suffix of their names is another one in the cluster; here they stay
// ciphertext.
func Encrypted(k *objects.Kustomization) render.Transform {
	return func(_ context.Context, out *render.Output) (*render.Output, error) {
		if k.Spec.Decryption == nil || !bytes.Contains(out.Text, []byte("kind: Secret\n")) {
			return out, nil
		}
		var found []diag.Finding
		for reader := manifest.NewReader(out.Text); ; {
			d, err := reader.Next()
			if err != nil {
				return nil, err
			}
			if d == nil {
				break
			}
			for o := range d.Objects() {
				if o.Kind == "Secret" && o.Group() == "" && isEncrypted(o.Node) {
					line := 1 + bytes.Count(out.Text[:o.Node.Offset()], []byte("\n"))
					found = append(found, diag.New(diag.GeneratedEncrypted, o.String(),
						"it is generated from a file that SOPS encrypted, which the controller decrypts before it names the Secret").
						At(diag.Position{Line: line}))
				}
			}
		}
		if len(found) == 0 {
			return out, nil
		}
		changed := *out
		changed.Findings = append(out.Findings[:len(out.Findings):len(out.Findings)], found...)
		return &changed, nil
	}
}

// isEncrypted reports whether values of a Secret are encrypted files, while the Secret itself is not encrypted.
func isEncrypted(secret manifest.Node) bool {
	if secret.Get("sops").Valid() {
		return false
	}
	for f := secret.Get("data").Fields(); f.Next(); {
		text, err := base64.StdEncoding.DecodeString(f.Value.Text())
		if err != nil {
			continue
		}
		if f.Key.Text() == dotenvMark && bytes.HasPrefix(text, []byte("ENC[")) {
			return true
		}
		for _, mark := range markers {
			if bytes.Contains(text, mark) {
				return true
			}
		}
	}
	return false
}
