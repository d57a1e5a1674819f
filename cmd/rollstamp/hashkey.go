package main

import (
	"bytes"
	"crypto/rand"
	"errors"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
)

func newHashKey(p *program) *cobra.Command {
	c := &cobra.Command{
		Use:   "hash-key",
		Short: "Make hash keys",
		Long: `A hash key keeps the digests of Secrets from being guessed: without it, whoever can read the
manifests can try likely values until one has the digest that is written there.`,
		Example: "  umask 077 && rollstamp hash-key new > hash-key",
		Args:    subcommand,
		RunE: func(*cobra.Command, []string) error {
			// No help on standard output: it would become the key of "rollstamp hash-key > hash-key", and everybody
			// knows it.
			return diag.Usage(errors.New("hash-key needs a command"), "Make a key with 'rollstamp hash-key new'.")
		},
	}
	c.AddCommand(&cobra.Command{
		Use:   "new",
		Short: "Print a new hash key",
		Long: `Print a new hash key. The text, less its line end, is the key: keep it in a file that only
rollstamp can read, and pass the file with --hash-key-file. Whoever loses it restarts every
consumer of a Secret once, with the next key.`,
		Example: "  umask 077 && rollstamp hash-key new > hash-key",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			key, err := hashing.NewKey(rand.Reader)
			if err != nil {
				return err
			}
			return p.emit(bytes.NewBufferString(key + "\n"))
		},
	})
	return c
}
