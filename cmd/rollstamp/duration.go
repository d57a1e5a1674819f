package main

import (
	"errors"
	"time"

	"github.com/spf13/pflag"
)

// duration is the value of a flag that takes a length of time, which is not negative.
type duration time.Duration

// durationFlag adds a flag that takes a length of time.
func durationFlag(flags *pflag.FlagSet, to *time.Duration, name string, fallback time.Duration, usage string) {
	*to = fallback
	flags.Var((*duration)(to), name, usage)
}

// Set takes the text of the command line.
func (d *duration) Set(text string) error {
	v, err := time.ParseDuration(text)
	if err == nil && v < 0 {
		err = errors.New("want 0 or more")
	}
	if err == nil {
		*d = duration(v)
	}
	return err
}

// String returns the value as help shows a default, which is not shown where it is 0.
func (d *duration) String() string {
	if *d == 0 {
		return "0"
	}
	return time.Duration(*d).String()
}

// Type names what the flag takes, in help.
func (d *duration) Type() string { return "duration" }
