package main

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/rollstamp/rollstamp/release/image"
	"github.com/rollstamp/rollstamp/release/registry"
)

func runPush(ctx context.Context, flags *flag.FlagSet, args []string) error {
	var w where
	var opts registry.Options
	flags.BoolVar(&opts.Force, "force", false, "move tags that lead to another image")
	flags.Func("also-host", "another host that the registry may send uploads to; can be given again",
		func(host string) error {
			opts.AlsoHosts = append(opts.AlsoHosts, host)
			return nil
		})
	flags.BoolVar(&opts.Untagged, "untagged", false, "upload and sign by digest only; the tags are put by another push")
	var s signing
	s.define(flags)
	if err := w.parse(flags, args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("push needs one argument: REGISTRY/NAME, without a tag")
	}
	images, err := image.ReadLayout(w.layout())
	if err != nil {
		return err
	}
	if s.keyless || s.key != "" { // before they get their tags
		signer, err := s.cosign(ctx, w.source)
		if err != nil {
			return err
		}
		opts.Sign = func(ctx context.Context, d name.Digest) error { return signer.SignImage(ctx, d.String()) }
	}
	published, err := registry.Push(ctx, flags.Arg(0), images, opts)
	if err != nil {
		return err
	}
	for _, p := range published {
		note := ""
		if p.Was {
			note = " (was there)"
		}
		fmt.Printf("%s@%s%s\n", p.Tag, p.Digest, note)
	}
	return nil
}
