package sops

import (
	"errors"
	"time"

	"github.com/rollstamp/rollstamp/redact"
)

// What can be wrong with a document that is to be decrypted. Errors of Decrypt are *diag.Error with exit code 3, or 4
// where only a key service was asked without success; they name the object and wrap one of these. They hold nothing of
// a value.
var (
	ErrFormat  = errors.New("is not a SOPS document that can be read")
	ErrNoKey   = errors.New("no key at hand opens it")
	ErrService = errors.New("the key service did not decrypt the data key")
	ErrValue   = errors.New("a value cannot be decrypted: it was changed or moved")
	ErrMAC     = errors.New("the message authentication code does not fit: something was changed after it was encrypted")
	ErrContent = errors.New("Kubernetes would not take what is decrypted")
)

// MACRule says what happens where the message authentication code of a document does not fit. Each value is
// authenticated by itself, together with its place, whatever the rule.
type MACRule string

// The rules. The code is one over all values in the order of the file, so a build of kustomize, which sorts fields and
// keys, breaks it even where it changes nothing; so does a document that was one of several in its file. Flux does not
// check it, SOPS itself does.
const (
	CheckMAC  MACRule = "check"
	IgnoreMAC MACRule = "ignore"
)

// Options say which keys may be used. They come from the operator, never from what is rendered.
type Options struct {
	AgeKeys     []redact.Secret // texts of age identities, one a line, or one SSH private key each
	AgeKeyFiles []string        // files with the same
	GnuPG       bool            // whether gpg may be run, with the user's keyring
	// KeyServices lists the keys of clouds and Vaults that may be asked, as SOPS names them (an ARN, a resource id, a
	// URL); one that ends in * stands for all that begin so. A document's own text is not enough: it names the server
	// that our credentials go to.
	KeyServices []string
	MAC         MACRule       // "" is CheckMAC, but for a file that a build wrote again
	Timeout     time.Duration // for all keys of one document; 0 is 30 seconds
}

const defaultTimeout = 30 * time.Second
