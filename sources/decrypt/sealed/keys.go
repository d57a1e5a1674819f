package sealed

import (
	"bytes"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/sources"
)

// What can be wrong with a file of sealing keys. Errors of Load are *diag.Error with exit code 2 and wrap one of these.
var (
	ErrKeyMissing    = errors.New("no such file")
	ErrKeyUnreadable = errors.New("cannot be read")
	ErrKeyFormat     = errors.New("holds no RSA private key that can be used")
)

const keyHint = "Save the controller's keys with: kubectl -n kube-system get secret -l sealedsecrets.bitnami.com/sealed-secrets-key -o yaml"

// maxKeyFile is more than thousands of keys need.
const maxKeyFile = 32 << 20

// For returns how to make what decrypts for applications with some settings, nil where nothing does, and what is the
// same for settings that one Decrypter serves.
func For(s *config.Settings) (id string, load func() (sources.Decrypter, error)) {
	files := s.SealingKeys()
	if len(files) == 0 {
		return "", nil
	}
	return strings.Join(files, "\x00"), func() (sources.Decrypter, error) { return Load(files) }
}

// Load reads the private keys of controllers from files: PEM, or Secrets with the field tls.key as 'kubectl get secret
// -o yaml' prints them, one or a List. Old keys belong to them as long as something is sealed for them.
func Load(files []string) (*Decrypter, error) {
	var keys []*rsa.PrivateKey
	for _, file := range files {
		more, err := load(file)
		if err != nil {
			return nil, diag.Usage(fmt.Errorf("read sealing keys: %s: %w", file, err), keyHint)
		}
		keys = append(keys, more...)
	}
	if len(keys) == 0 {
		return nil, diag.Usage(errors.New("read sealing keys: no file is named"), keyHint)
	}
	return &Decrypter{keys: func() []*rsa.PrivateKey { return keys }, last: new(atomic.Int64)}, nil
}

func load(file string) ([]*rsa.PrivateKey, error) {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, ErrKeyMissing
	case err != nil, info.IsDir(), info.Size() > maxKeyFile:
		return nil, ErrKeyUnreadable
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, ErrKeyUnreadable
	}
	keys, err := parsePEM(text)
	if err != nil || len(keys) > 0 {
		return keys, err
	}
	return parseSecrets(text)
}

// parsePEM returns the private keys among the PEM blocks of text. Certificates, which lie beside them, are passed over.
func parsePEM(text []byte) ([]*rsa.PrivateKey, error) {
	var keys []*rsa.PrivateKey
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		switch block.Type {
		case "CERTIFICATE", "PUBLIC KEY":
			continue
		case "RSA PRIVATE KEY", "PRIVATE KEY":
		default:
			return nil, fmt.Errorf("%w: a PEM block of another type", ErrKeyFormat)
		}
		key, err := parseKey(block)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// parseKey reads one private key. The library's errors are not passed on: they may quote what they read.
func parseKey(block *pem.Block) (*rsa.PrivateKey, error) {
	if block.Headers["DEK-Info"] != "" {
		return nil, fmt.Errorf("%w: the key is encrypted", ErrKeyFormat)
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%w: a PEM block is damaged", ErrKeyFormat)
	}
	key, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("%w: the key is not of RSA", ErrKeyFormat)
	}
	return key, nil
}

// parseSecrets returns the private keys of the Secrets in text.
func parseSecrets(text []byte) ([]*rsa.PrivateKey, error) {
	var keys []*rsa.PrivateKey
	for r := manifest.NewReader(text); ; {
		d, err := r.Next()
		switch {
		case err != nil:
			return nil, fmt.Errorf("%w: neither PEM nor YAML", ErrKeyFormat)
		case d == nil && len(keys) == 0:
			return nil, ErrKeyFormat
		case d == nil:
			return keys, nil
		}
		for o := range d.Objects() {
			more, err := secretKeys(o)
			if err != nil {
				return nil, err
			}
			keys = append(keys, more...)
		}
	}
}

func secretKeys(o manifest.Object) ([]*rsa.PrivateKey, error) {
	if o.Kind != "Secret" {
		return nil, nil
	}
	text := o.Node.At("stringData", "tls.key").Value()
	if len(text) == 0 {
		var err error
		if text, err = base64.StdEncoding.AppendDecode(nil,
			bytes.TrimSpace(o.Node.At("data", "tls.key").Value())); err != nil {
			return nil, fmt.Errorf("%w: %s: invalid base64", ErrKeyFormat, o)
		}
	}
	keys, err := parsePEM(text)
	if err == nil && len(keys) == 0 {
		err = fmt.Errorf("%w: %s", ErrKeyFormat, o)
	}
	return keys, err
}
