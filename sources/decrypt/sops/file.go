package sops

import (
	"context"
	"errors"
	"fmt"

	"github.com/getsops/sops/v3"
	"github.com/getsops/sops/v3/stores"

	"github.com/rollstamp/rollstamp/internal/fault"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
)

var _ sources.FileDecrypter = (*Decrypter)(nil)

// ErrEmit is the cause where the content of a file cannot be written in the format that is asked for.
var ErrEmit = errors.New("its content has no such form")

// codec reads and writes the files of one format, byte for byte as SOPS does. The packages of SOPS that do it are not
// linked because they bring the SDKs of stores that SOPS can publish to.
type codec struct {
	name     string // in errors, as kustomize-controller has it
	load     func(text []byte) (sops.TreeBranches, error)
	emit     func(content sops.TreeBranches) ([]byte, error)
	metadata stores.MetadataOpts // how the fields of SOPS lie in it
}

// codecOf returns the codec of a format.
func codecOf(f sources.FileFormat) (codec, bool) {
	switch f {
	case sources.FileYAML:
		return codec{name: "YAML", load: loadYAML, emit: emitYAML}, true
	case sources.FileJSON:
		return codec{name: "JSON", load: loadJSON, emit: emitJSON}, true
	case sources.FileBinary:
		return codec{name: "binary", load: loadJSON, emit: emitBinary}, true
	case sources.FileDotenv:
		return codec{"dotenv", loadDotenv, emitDotenv, stores.MetadataOpts{Flatten: stores.MetadataFlattenFull}}, true
	case sources.FileINI:
		return codec{"INI", loadINI, emitINI,
			stores.MetadataOpts{Flatten: stores.MetadataFlattenBelowTop, EscapeNewlines: true}}, true
	}
	return codec{}, false
}

// DecryptFile returns the content of a file in the format that is asked for, byte for byte as kustomize-controller has
// it.
func (o *Decrypter) DecryptFile(ctx context.Context, file sources.EncryptedFile) (_ redact.Secret, err error) {
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	text, err := o.decryptFile(ctx, file)
	if err != nil {
		return redact.Secret{}, problem(object{}, err)
	}
	return redact.New(text), nil
}

func (o *Decrypter) decryptFile(ctx context.Context, file sources.EncryptedFile) (text []byte, err error) {
	defer fault.Catch(&err)
	from, known := codecOf(file.From)
	to, also := codecOf(file.To)
	if !known || !also {
		return nil, fmt.Errorf("the format is not known: %w", ErrFormat)
	}
	branches, err := from.load(file.Text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from.name, ErrFormat)
	}
	branches, m, err := stores.ExtractMetadata(branches, from.metadata)
	if err != nil {
		return nil, fmt.Errorf("the fields of SOPS in %s: %w", from.name, ErrFormat)
	}
	tree := sops.Tree{Branches: branches, Metadata: m}
	if err := o.decrypt(ctx, &tree, file.Rewritten); err != nil {
		return nil, err
	}
	if text, err = to.write(tree.Branches); err != nil {
		return nil, fmt.Errorf("failed to emit encrypted %s file as decrypted %s: %w", from.name, to.name, ErrEmit)
	}
	return text, nil
}

// write emits content of any form; what another format lets through may end SOPS's own code, too.
func (c codec) write(content sops.TreeBranches) (text []byte, err error) {
	defer fault.Catch(&err)
	return c.emit(content)
}
