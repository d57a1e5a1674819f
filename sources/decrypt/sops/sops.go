// Package sops decrypts Secrets, ConfigMaps and whole files that are encrypted with SOPS, with SOPS's own code for
// ciphers and keys.
//
// What SOPS says of an error is never passed on: where the message authentication code does not fit, its text holds an
// unkeyed SHA-512 of all values. It links the SDKs of all clouds, so cmd/rollstamp does not import this package.
package sops

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/getsops/sops/v3"
	"github.com/getsops/sops/v3/aes"
	"github.com/getsops/sops/v3/keyservice"
	"github.com/getsops/sops/v3/logging"
	"github.com/getsops/sops/v3/stores"
	"github.com/sirupsen/logrus"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/fault"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
)

var _ sources.Decrypter = (*Decrypter)(nil)

// Decrypter decrypts documents. It may be used by several goroutines at a time, and cannot be printed.
type Decrypter struct {
	keys    func() *keyring // behind a function, which no printer looks into
	mac     MACRule
	timeout time.Duration
}

// New prepares a Decrypter. Errors are *diag.Error with exit code 2.
func New(o Options) (*Decrypter, error) {
	ring, err := newKeyring(o)
	if err != nil {
		return nil, err
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	logging.SetLevel(logrus.PanicLevel) // its warnings quote comments, which may be secret
	return &Decrypter{func() *keyring { return ring }, o.MAC, o.Timeout}, nil
}

// Format returns the mask for every verb and flag.
func (o *Decrypter) Format(f fmt.State, verb rune) { redact.Secret{}.Format(f, verb) }

// Decrypt returns the content of the Secret or ConfigMap that is doc, by key, as a container reads it; nil where it is
// not encrypted.
func (o *Decrypter) Decrypt(ctx context.Context, _ string, doc []byte) (values map[string]redact.Secret, err error) {
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	defer fault.Catch(&err)
	branch, object, err := read(doc)
	if err != nil {
		return nil, problem(object, err)
	}
	if get(branch, stores.SopsMetadataKey) == nil {
		return nil, nil
	}
	tree, err := metadata(branch)
	if err != nil {
		return nil, problem(object, err)
	}
	if err := o.decrypt(ctx, &tree, false); err != nil {
		return nil, problem(object, err)
	}
	values, err = content(tree.Branches[0], object.kind)
	if err != nil {
		return nil, problem(object, err)
	}
	return values, nil
}

// decrypt decrypts the tree in its place. Of one that was rewritten the code is checked only where the operator says
// so.
func (o *Decrypter) decrypt(ctx context.Context, tree *sops.Tree, rewritten bool) error {
	asked := &service{ctx: ctx, keyring: o.keys()}
	key, err := tree.Metadata.GetDataKeyWithKeyServices([]keyservice.KeyServiceClient{asked}, []string{"age", "pgp"})
	if err != nil {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%w: %w", ErrService, err)
		}
		return asked.failure()
	}
	c := &cipher{Cipher: aes.NewCipher()}
	computed, err := tree.Decrypt(key, c)
	switch {
	case c.bytes:
		return fmt.Errorf("%s: a value of type bytes is not text that an object can hold: %w", c.failed, ErrFormat)
	case err != nil && c.failed != "":
		return fmt.Errorf("%s: %w", c.failed, ErrValue)
	case err != nil:
		return fmt.Errorf("a value has a type that SOPS does not know: %w", ErrFormat)
	case o.mac == IgnoreMAC, o.mac == "" && rewritten:
		return nil
	}
	written, err := c.Decrypt(tree.Metadata.MessageAuthenticationCode, key,
		tree.Metadata.LastModified.Format(time.RFC3339))
	if err != nil || written != computed {
		return ErrMAC
	}
	return nil
}

// cipher remembers the place of the value that could not be decrypted.
type cipher struct {
	sops.Cipher
	failed string
	bytes  bool // that value is of type bytes, which SOPS's own code fails on with a panic
}

func (c *cipher) Decrypt(text string, key []byte, place string) (value any, err error) {
	if strings.Contains(text, "type:bytes]") {
		c.bytes, err = c.failed == "", ErrFormat
	} else {
		value, err = c.Cipher.Decrypt(text, key, place)
	}
	if err != nil && c.failed == "" {
		c.failed = strings.ReplaceAll(strings.TrimSuffix(place, ":"), ":", ".")
	}
	return value, err
}

func problem(o object, err error) error {
	exit := diag.ExitInput
	if errors.Is(err, ErrService) {
		exit = diag.ExitSource
	}
	return &diag.Error{Exit: exit, Object: o.String(), Err: fmt.Errorf("decrypt with SOPS: %w", err), Hint: hint(err)}
}

func hint(err error) string {
	switch {
	case errors.Is(err, ErrMAC):
		return "Behind a build of kustomize, which sorts fields, and for a file of several documents it never fits: say mac: ignore under sops in the operator's policy file, as Flux has it. Else restore the file."
	case errors.Is(err, ErrNoKey):
		return "Pass the private key of one of these: of age by SOPS_AGE_KEY_FILE or SOPS_AGE_KEY. Keys of clouds and Vaults must be listed by the operator before they are asked."
	case errors.Is(err, ErrService):
		return "Check the credentials of this process and its permission to decrypt with that key."
	case errors.Is(err, ErrEmit):
		return "The extension of the key, or of the file, names the format: give the key that of the file, such as config.yaml."
	case errors.Is(err, ErrValue), errors.Is(err, ErrFormat):
		return "Restore the file as SOPS wrote it, or encrypt it again."
	case errors.Is(err, ErrContent):
		return "Correct the value with 'sops edit'."
	}
	return ""
}
