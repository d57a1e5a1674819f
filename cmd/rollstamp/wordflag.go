package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// word is the value of a flag that takes one of a few words.
type word struct {
	to  *string
	all []string
}

// wordFlag adds a flag that takes one of a few words, and completes it. What else is given is refused as the command
// line is read, before anything runs.
func wordFlag(c *cobra.Command, to *string, name, fallback, usage string, words ...string) {
	*to = fallback
	c.Flags().Var(word{to, words}, name, usage)
	offer(c, name, words...)
}

// Set takes the text of the command line.
func (w word) Set(text string) error {
	if !slices.Contains(w.all, text) {
		return errors.New("want one of " + strings.Join(w.all, ", "))
	}
	*w.to = text
	return nil
}

// String returns the value as help shows a default.
func (w word) String() string {
	if w.to == nil {
		return ""
	}
	return *w.to
}

// Type names what the flag takes, in help.
func (w word) Type() string { return "string" }
