// Package redact holds a secret value in a type that no printer, logger or encoder can show, and takes credentials out
// of addresses.
package redact

import (
	"fmt"
	"io"
	"log/slog"
	"unsafe"
)

// Mask is what every printed form of a Secret shows.
const Mask = "[redacted]"

// Secret is a value that must not be printed. The zero value is the empty secret. It keeps the bytes it was given; it
// does not copy them.
//
// The bytes are held by a bare pointer: fmt asks no method of a value in an unexported field, and would print a slice
// there.
type Secret struct {
	p *byte
	n int
}

// New wraps b.
func New(b []byte) Secret { return Secret{unsafe.SliceData(b), len(b)} }

// Reveal returns the bytes. Only package hashing and decoders of content call it; a test holds that.
func (s Secret) Reveal() []byte { return unsafe.Slice(s.p, s.n) }

// String, GoString, Format, MarshalJSON, MarshalText and LogValue all return the mask.
func (s Secret) String() string { return Mask }

// GoString returns the mask.
func (s Secret) GoString() string { return Mask }

// Format returns the mask for every verb and flag.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, Mask) }

// MarshalText returns the mask.
func (s Secret) MarshalText() ([]byte, error) { return []byte(Mask), nil }

// MarshalJSON returns the mask as a JSON string.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + Mask + `"`), nil }

// MarshalYAML returns the mask.
func (s Secret) MarshalYAML() (any, error) { return Mask, nil }

// LogValue returns the mask.
func (s Secret) LogValue() slog.Value { return slog.StringValue(Mask) }
