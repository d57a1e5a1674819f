package build

import (
	"bytes"
	"encoding/base64"
	"errors"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/render"
)

// sopsValue begins each value that SOPS encrypted.
const sopsValue = "ENC[AES256_GCM,"

// RefuseCiphertext returns the error of a render that is to be kept or published with values which Flux decrypts before
// it builds, such as those of an encrypted patch: of what is built already it decrypts marked objects and whole files
// in Secrets alone, and would apply these values as ciphertext. It is nil where there are none.
func RefuseCiphertext(out *render.Output) error {
	inData := []byte(base64.StdEncoding.EncodeToString([]byte(sopsValue)))
	if !out.ByFlux || !bytes.Contains(out.Text, []byte(sopsValue)) && !bytes.Contains(out.Text, inData) {
		return nil
	}
	places := render.NewPlaces(out.Text, nil)
	for reader := manifest.NewReader(out.Text); ; {
		d, err := reader.Next()
		if d == nil || err != nil {
			return err
		}
		for o := range d.Objects() {
			if key := staysCiphertext(o); key != "" {
				return &diag.Error{Exit: diag.ExitInput, Object: o.String(), Pos: places.At(d.Start),
					Err: errors.New("key " + key + " is ciphertext of an encrypted patch or file of variables, and would be applied " +
						"as it is: Flux decrypts such a file before it builds, and not what it became"),
					Hint: "Encrypt the Secret itself instead of that file. Where Flux builds it, rollstamp flux stamp writes stamps alone."}
			}
		}
	}
}

// MayHoldCiphertext reports whether findings of a render say that it may be refused for that.
func MayHoldCiphertext(found []diag.Finding) bool {
	return slices.ContainsFunc(found, func(f diag.Finding) bool {
		return f.Code == diag.Ciphertext || f.Code == diag.GeneratedEncrypted
	})
}

// staysCiphertext returns a key under which an object has a value that Flux does not decrypt; "" for none.
func staysCiphertext(o manifest.Object) string {
	isSecret := o.Kind == "Secret"
	if o.Group() != "" || !isSecret && o.Kind != "ConfigMap" || o.Node.Get("sops").Valid() || isDisabled(o) {
		return ""
	}
	for _, field := range []string{"data", "stringData"} {
		for f := o.Node.Get(field).Fields(); f.Next(); {
			value := f.Value.Text()
			if text, err := base64.StdEncoding.DecodeString(value); err == nil && isSecret && field == "data" {
				value = string(text)
			}
			if strings.HasPrefix(value, sopsValue) {
				return f.Key.Text()
			}
		}
	}
	return ""
}
