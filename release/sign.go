package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rollstamp/rollstamp/release/cosign"
	"github.com/rollstamp/rollstamp/release/dist"
)

// bundleName is the file with the signature of the sums.
const bundleName = dist.Checksums + ".sigstore.json"

// runSign signs the sums, and by them all files.
func runSign(ctx context.Context, flags *flag.FlagSet, args []string) error {
	var w where
	key := flags.String("key", os.Getenv("COSIGN_KEY"), "the private key: a file, or a key service as cosign names it")
	if err := w.parse(flags, args); err != nil {
		return err
	}
	if err := dist.Verify(w.out); err != nil {
		return err
	}
	signer, err := cosign.New(ctx, w.source, *key)
	if err != nil {
		return err
	}
	bundle := filepath.Join(w.out, bundleName)
	if err := signer.SignFile(ctx, filepath.Join(w.out, dist.Checksums), bundle); err != nil {
		return err
	}
	fmt.Println(bundle)
	return nil
}

// runVerify holds all files against their sums, and the sums against their signature.
func runVerify(ctx context.Context, flags *flag.FlagSet, args []string) error {
	var w where
	key := flags.String("key", "", "the public key; without it only the sums are looked at")
	if err := w.parse(flags, args); err != nil {
		return err
	}
	if err := dist.Verify(w.out); err != nil {
		return err
	}
	if *key == "" {
		fmt.Println("all files have their sums; who made these was not asked: no -key")
		return nil
	}
	bundle := filepath.Join(w.out, bundleName)
	if _, err := os.Stat(bundle); err != nil {
		return fmt.Errorf("there is no signature: %w", err)
	}
	verifier, err := cosign.New(ctx, w.source, *key)
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

// runVerifyImage holds an image in a registry against its signature.
func runVerifyImage(ctx context.Context, flags *flag.FlagSet, args []string) error {
	var w where
	key := flags.String("key", "", "the public key")
	if err := w.parse(flags, args); err != nil {
		return err
	}
	if *key == "" || flags.NArg() != 1 {
		return errors.New("verify-image needs -key and one argument: REGISTRY/NAME@DIGEST or REGISTRY/NAME:TAG")
	}
	verifier, err := cosign.New(ctx, w.source, *key)
	if err != nil {
		return err
	}
	if err := verifier.VerifyImage(ctx, flags.Arg(0)); err != nil {
		return err
	}
	fmt.Println(flags.Arg(0), "is signed by", *key)
	return nil
}
