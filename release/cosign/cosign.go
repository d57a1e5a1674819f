// Package cosign signs and verifies by the cosign that tools/ pins, built when it is needed and kept in the cache.
package cosign

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/release/tool"
)

// ErrNoKey reports that there is nothing to sign with.
var ErrNoKey = errors.New("no signing key: -key FILE, or COSIGN_KEY=FILE, as `cosign generate-key-pair` makes one, " +
	"with its password in COSIGN_PASSWORD")

// Cosign is a cosign program and the key that it uses.
type Cosign struct {
	Program string
	// Key is a file, or a key service as cosign names it; to verify, the public one. Without one, cosign signs by the
	// identity of the workflow that runs it, which Sigstore certifies.
	Key string
}

// New builds the pinned cosign of a checkout, to sign, where that was not done yet. An empty key is an error, before anything is
// built.
func New(ctx context.Context, root, key string) (Cosign, error) {
	if key == "" {
		return Cosign{}, ErrNoKey
	}
	return withKey(ctx, root, "signing key", key)
}

// NewVerifier builds the pinned cosign as New does, to verify by a public key.
func NewVerifier(ctx context.Context, root, key string) (Cosign, error) {
	return withKey(ctx, root, "public key", key)
}

func withKey(ctx context.Context, root, kind, key string) (Cosign, error) {
	if !strings.Contains(key, "://") {
		if _, err := os.Stat(key); err != nil {
			return Cosign{}, fmt.Errorf("%s: %w", kind, err)
		}
	}
	c, err := Keyless(ctx, root)
	c.Key = key
	return c, err
}

// Keyless builds the pinned cosign of a checkout as New does, for a workflow that signs by its identity.
func Keyless(ctx context.Context, root string) (Cosign, error) {
	program, err := tool.Build(ctx, filepath.Join(root, "tools", "cosign"), "github.com/sigstore/cosign/v3/cmd/cosign")
	return Cosign{Program: program}, err
}

// noServices makes cosign keep to the key: no log on the network and no time stamps of others.
const noServices = `{
  "mediaType": "application/vnd.dev.sigstore.signingconfig.v0.2+json", "rekorTlogConfig": {}, "tsaConfig": {}
}`

// SignFile writes the signature of a file to bundle.
func (c Cosign) SignFile(ctx context.Context, file, bundle string) error {
	return c.sign(ctx, "sign-blob", "--bundle", bundle, file)
}

// SignImage puts the signature of an image, named by digest, beside it in its registry.
func (c Cosign) SignImage(ctx context.Context, image string) error { return c.sign(ctx, "sign", image) }

func (c Cosign) sign(ctx context.Context, command string, args ...string) error {
	if c.Key == "" {
		return c.run(ctx, append([]string{command, "--yes"}, args...)...)
	}
	config, err := os.CreateTemp("", "signing-config-*.json")
	if err != nil {
		return err
	}
	defer os.Remove(config.Name())
	_, err = config.WriteString(noServices)
	if err := errors.Join(err, config.Close()); err != nil {
		return err
	}
	return c.run(ctx, append([]string{command, "--yes", "--key", c.Key, "--signing-config", config.Name()}, args...)...)
}

// VerifyFile verifies a file by its signature in bundle.
func (c Cosign) VerifyFile(ctx context.Context, file, bundle string) error {
	return c.run(ctx, "verify-blob", "--key", c.Key, "--insecure-ignore-tlog", "--bundle", bundle, file)
}

// VerifyImage verifies an image in a registry by its signature there.
func (c Cosign) VerifyImage(ctx context.Context, image string) error {
	return c.run(ctx, "verify", "--key", c.Key, "--insecure-ignore-tlog", image)
}

func (c Cosign) run(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, c.Program, args...)
	cmd.Env = os.Environ()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if _, ok := os.LookupEnv("COSIGN_PASSWORD"); !ok {
		cmd.Stdin, cmd.Stderr = os.Stdin, io.MultiWriter(&stderr, os.Stderr) // cosign asks for it
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("cosign %s: %w: %s", args[0], err, lastLine(stderr.Bytes()))
	}
	return nil
}

// lastLine is what cosign says of an error; before it come warnings.
func lastLine(out []byte) []byte {
	out = bytes.TrimSpace(out)
	return bytes.TrimPrefix(out[bytes.LastIndexByte(out, '\n')+1:], []byte("error during command execution: "))
}
