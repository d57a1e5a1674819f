package main

import (
	"bytes"
	"fmt"
	"io"
)

// libraryLog prints what the engines' libraries write to package log. Helm quotes values of the chart there, in
// parentheses; they are left out, because any of them may be a secret.
type libraryLog struct{ w io.Writer }

func (l libraryLog) Write(message []byte) (int, error) {
	text := bytes.TrimSpace(message)
	if open, shut := bytes.Index(text, []byte(" (")), bytes.LastIndexByte(text, ')'); open >= 0 && shut > open {
		text = append(bytes.Clone(text[:open]), text[shut+1:]...)
	}
	for _, said := range [...]string{"warning: ", "Warning: "} {
		text = bytes.TrimPrefix(text, []byte(said))
	}
	if _, err := fmt.Fprintf(l.w, "warning: %s\n", text); err != nil {
		return 0, err
	}
	return len(message), nil
}
