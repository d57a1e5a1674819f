package sources

import (
	"context"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/redact"
)

// Answer is what a store, or the lock, says of a Ref: a version, a value or a digest.
type Answer struct {
	Version string        // the store's name for what is there now; of a Find, of all that fits
	Value   redact.Secret // only where the store has no versions and the user said so
	Digest  string        // the keyed digest of such a value, as the lock holds it
	// ByManifest is no answer: what the manifest says counts, because the configuration lets it.
	ByManifest bool
	// which hash key that was made with, by which the lock distinguishes keys; "" where that is not known
	Key string
}

// Lease is the Version of what a store makes again for each that reads it, a user of a database or a certificate: it
// has none, and what the manifest says of it counts. In the lock it stands as a version, so that whoever renders from
// there needs no asking either.
const Lease = "lease"

// Versions is one store. An error is a *diag.Error without any text of the store's.
type Versions interface {
	Version(ctx context.Context, ref Ref) (Answer, error)
}

// VersionResolver answers for what lies in no manifest. It is asked once for each render, for all distinct refs
// together, sorted by ID, and returns an answer for each, in their order, and what is to be reported of them; or an
// error, with which nothing is stamped.
type VersionResolver interface {
	Resolve(ctx context.Context, refs []Ref) ([]Answer, []diag.Finding, error)
}

// Decrypter decrypts an encrypted manifest, a SealedSecret or one by SOPS as its YAML text; namespace is where
// it lies if it names none, "" where that is not known. It returns the values by key; nil where it is not meant to open
// this one, whose ciphertext counts then.
type Decrypter interface {
	Decrypt(ctx context.Context, namespace string, doc []byte) (map[string]redact.Secret, error)
}

// FileFormat is a format of files that SOPS encrypts, as it names them.
type FileFormat string

// The formats. A file of FileBinary is a mapping of JSON with the content as one value.
const (
	FileYAML   FileFormat = "yaml"
	FileJSON   FileFormat = "json"
	FileDotenv FileFormat = "dotenv"
	FileINI    FileFormat = "ini"
	FileBinary FileFormat = "binary"
)

// EncryptedFile is a file that SOPS encrypted in one format, with the format that its content is wanted in.
type EncryptedFile struct {
	Text     []byte
	From, To FileFormat
	// Rewritten: a build wrote the text again, so that its message authentication code is checked only where the operator
	// asks for that.
	Rewritten bool
}

// FileDecrypter decrypts whole files that SOPS encrypted. An error is a *diag.Error without anything of the content.
type FileDecrypter interface {
	DecryptFile(ctx context.Context, file EncryptedFile) (redact.Secret, error)
}
