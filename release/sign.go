package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rollstamp/rollstamp/release/cosign"
	"github.com/rollstamp/rollstamp/release/dist"
	"github.com/rollstamp/rollstamp/release/image"
	"github.com/rollstamp/rollstamp/release/provenance"
)

// signing are the flags that say what to sign with.
type signing struct {
	key     string
	keyless bool
}

func (s *signing) define(flags *flag.FlagSet) {
	flags.StringVar(&s.key, "key", os.Getenv("COSIGN_KEY"), "the private key: a file, or a key service as cosign names it")
	flags.BoolVar(&s.keyless, "keyless", false, "sign by the identity of the workflow that runs this, without a key")
}

// cosign returns what signs. Neither a key nor -keyless is an error.
func (s *signing) cosign(ctx context.Context, source string) (cosign.Cosign, error) {
	if s.keyless && s.key != "" {
		return cosign.Cosign{}, errors.New("-keyless and a key, by -key or COSIGN_KEY: one of them signs")
	}
	if s.keyless {
		return cosign.Keyless(ctx, source)
	}
	return cosign.New(ctx, source, s.key)
}

// runSign signs the sums, and by them all files.
func runSign(ctx context.Context, flags *flag.FlagSet, args []string) error {
	var w where
	var s signing
	s.define(flags)
	if err := w.parse(flags, args); err != nil {
		return err
	}
	if err := dist.Verify(w.out); err != nil {
		return err
	}
	signer, err := s.cosign(ctx, w.source)
	if err != nil {
		return err
	}
	bundle := filepath.Join(w.out, dist.Signature)
	if err := signer.SignFile(ctx, filepath.Join(w.out, dist.Checksums), bundle); err != nil {
		return err
	}
	fmt.Println(bundle)
	return nil
}

// runVerify verifies all files by their sums, and the sums by their signature; and the image, where it is, by the
// provenance, which has a sum.
func runVerify(ctx context.Context, flags *flag.FlagSet, args []string) error {
	var w where
	key := flags.String("key", "", "the public key; without it only the sums are looked at")
	if err := w.parse(flags, args); err != nil {
		return err
	}
	if err := dist.Verify(w.out); err != nil {
		return err
	}
	if err := verifyLayout(w); err != nil {
		return err
	}
	if *key == "" {
		fmt.Println("all files have their sums; who made these was not asked: no -key")
		return nil
	}
	bundle := filepath.Join(w.out, dist.Signature)
	if _, err := os.Stat(bundle); err != nil {
		return fmt.Errorf("there is no signature: %w", err)
	}
	verifier, err := cosign.NewVerifier(ctx, w.source, *key)
	if err != nil {
		return err
	}
	err = verifier.VerifyFile(ctx, filepath.Join(w.out, dist.Checksums), bundle)
	if err != nil {
		return errors.Join(errors.New(dist.Checksums+" is not what was signed"), err)
	}
	fmt.Println("all files have their sums, and these are signed by", *key)
	return nil
}

// verifyLayout verifies the image in a folder. A release that was downloaded has none there.
func verifyLayout(w where) error {
	if _, err := os.Stat(w.layout()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	images, err := image.ReadLayout(w.layout())
	if err != nil {
		return err
	}
	if err := image.Validate(images); err != nil {
		return err
	}
	statement, err := provenance.Read(filepath.Join(w.out, provenanceName))
	if err != nil {
		return fmt.Errorf("which image was built: %w", err)
	}
	digest, err := images[0].Index.Digest()
	if err != nil {
		return err
	}
	if digest.String() != statement.Image() {
		return fmt.Errorf("the image in %s is %s, and %s names %q", w.layout(), digest, provenanceName, statement.Image())
	}
	fmt.Println("the image is that of the provenance:", digest)
	return nil
}

// runVerifyImage verifies an image in a registry by its signature there.
func runVerifyImage(ctx context.Context, flags *flag.FlagSet, args []string) error {
	var w where
	key := flags.String("key", "", "the public key")
	if err := w.parse(flags, args); err != nil {
		return err
	}
	if *key == "" || flags.NArg() != 1 {
		return errors.New("verify-image needs -key and one argument: REGISTRY/NAME@DIGEST or REGISTRY/NAME:TAG")
	}
	verifier, err := cosign.NewVerifier(ctx, w.source, *key)
	if err != nil {
		return err
	}
	if err := verifier.VerifyImage(ctx, flags.Arg(0)); err != nil {
		return err
	}
	fmt.Println(flags.Arg(0), "is signed by", *key)
	return nil
}
