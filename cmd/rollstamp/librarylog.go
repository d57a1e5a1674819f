package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"os"
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

// hold collects what libraries log, until the function that it returns is called: it must not stand before an error, of
// which the Application's condition shows the beginning. What goes through package log is collected; kustomize's advice
// about outdated fields, which it writes to standard error by itself, is dropped.
func hold(logged *bytes.Buffer) (release func()) {
	writer, standard := log.Writer(), os.Stderr
	log.SetOutput(libraryLog{logged})
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err == nil {
		os.Stderr = null
	}
	return func() {
		log.SetOutput(writer)
		if err == nil {
			os.Stderr = standard
			_ = null.Close() // nothing was written that could be lost
		}
	}
}
