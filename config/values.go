package config

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
)

// KeyRule reports whether a run needs a hash key.
type KeyRule string

// The rules; KeyOptional is the default.
const (
	KeyOptional KeyRule = "optional"
	KeyRequired KeyRule = "required"
)

// Choices lists the values.
func (KeyRule) Choices() []string { return []string{string(KeyOptional), string(KeyRequired)} }

// UnmarshalText takes one of Choices.
func (k *KeyRule) UnmarshalText(b []byte) error { return choose(k, string(b)) }

// Mode is what happens to a workload, as rollstamp.dev/mode spells it.
type Mode string

// The modes; ModeAuto is the default.
const (
	ModeAuto Mode = "auto"
	ModeOn   Mode = "on"
	ModeOff  Mode = "off"
)

// Choices lists the values.
func (Mode) Choices() []string { return []string{string(ModeAuto), string(ModeOn), string(ModeOff)} }

// UnmarshalText takes one of Choices.
func (m *Mode) UnmarshalText(b []byte) error { return choose(m, string(b)) }

// Foreign is what becomes of the hashes that charts write themselves.
type Foreign string

// The ways; ForeignKeep is the default.
const (
	ForeignKeep    Foreign = "keep"
	ForeignDrop    Foreign = "drop"
	ForeignReplace Foreign = "replace"
)

// Choices lists the values.
func (Foreign) Choices() []string {
	return []string{string(ForeignKeep), string(ForeignDrop), string(ForeignReplace)}
}

// UnmarshalText takes one of Choices.
func (f *Foreign) UnmarshalText(b []byte) error { return choose(f, string(b)) }

// FluxWrite is where rollstamp flux stamp writes the stamps of what a Kustomization of Flux applies.
type FluxWrite string

// The places; WritePatches is the default.
const (
	WritePatches FluxWrite = "patches"
	WriteInPlace FluxWrite = "inPlace" // where an object lies in Git as it is, and nothing else reads it
)

// Choices lists the values.
func (FluxWrite) Choices() []string { return []string{string(WritePatches), string(WriteInPlace)} }

// UnmarshalText takes one of Choices.
func (w *FluxWrite) UnmarshalText(b []byte) error { return choose(w, string(b)) }

// foreignAnnotations are how charts usually call their hashes.
var foreignAnnotations = []Glob{"checksum/*", "checksum-*", "*/checksum", "config-hash", "*/config-hash"}

// SeverityOff drops findings of a code; the other severities are diag's.
const SeverityOff = "off"

// CheckSeverity reports whether a code is one of ours and a severity one that it can have.
func CheckSeverity(code, severity string) error {
	if !diag.IsKnown(diag.Code(code)) {
		return fmt.Errorf("no finding has the code %q", code)
	}
	if !slices.Contains(Severities(), severity) {
		return fmt.Errorf("%q is not one of %s", severity, strings.Join(Severities(), ", "))
	}
	if code == string(diag.ProtectedObject) && severity == SeverityOff {
		return fmt.Errorf("%s cannot be switched off: an object that nobody is to protect has no rule under protect:", code)
	}
	return nil
}

// Severities lists what a code can be.
func Severities() []string {
	return []string{string(diag.Failure), string(diag.Warning), string(diag.Info), SeverityOff}
}

// Regrade returns findings with the severities that a table says by code, and drops those that are off.
func Regrade(found []diag.Finding, levels map[string]string) []diag.Finding {
	if len(levels) == 0 {
		return found
	}
	out := make([]diag.Finding, 0, len(found))
	for _, f := range found {
		switch level := levels[string(f.Code)]; level {
		case SeverityOff:
			continue
		case "":
		default:
			f.Severity = diag.Severity(level)
		}
		out = append(out, f)
	}
	return out
}

// FailOn is the least severity of a finding that makes the exit code 1.
type FailOn string

// FailNever is the default; the others are severities.
const (
	FailOnError   FailOn = FailOn(diag.Failure)
	FailOnWarning FailOn = FailOn(diag.Warning)
	FailOnInfo    FailOn = FailOn(diag.Info)
	FailNever     FailOn = "never"
)

// Choices lists the values.
func (FailOn) Choices() []string {
	return []string{string(FailOnError), string(FailOnWarning), string(FailOnInfo), string(FailNever)}
}

// UnmarshalText takes one of Choices.
func (f *FailOn) UnmarshalText(b []byte) error { return choose(f, string(b)) }

// IsReached reports whether a finding of severity s makes the exit code 1.
func (f FailOn) IsReached(s diag.Severity) bool {
	return f != FailNever && f != "" && s.AtLeast(diag.Severity(f))
}

// Stricter returns the one of two that more findings reach.
func (f FailOn) Stricter(o FailOn) FailOn {
	more := slices.Index(f.Choices(), string(o)) > slices.Index(f.Choices(), string(f))
	if f == FailNever || more && o != FailNever {
		return o
	}
	return f
}

// ContentKind is a kind whose content restarts workloads.
type ContentKind string

// The kinds that a reference can name.
const (
	ConfigMap ContentKind = "ConfigMap"
	Secret    ContentKind = "Secret"
)

// Choices lists the values.
func (ContentKind) Choices() []string { return []string{string(ConfigMap), string(Secret)} }

// UnmarshalText takes one of Choices.
func (c *ContentKind) UnmarshalText(b []byte) error { return choose(c, string(b)) }

// choice is a string with few values.
type choice interface {
	~string
	Choices() []string
}

// choose sets a string that takes one of a few words.
func choose[T choice](to *T, s string) error {
	all := (*to).Choices()
	if !slices.Contains(all, s) {
		return fmt.Errorf("%q is not one of %s%s", s, list(all), didYouMean(s, all))
	}
	*to = T(s)
	return nil
}

// list reads "a, b or c".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// Level is a level of coverage, from 1 to MaxLevel.
type Level int

func (l *Level) check() error {
	if *l < 1 || *l > MaxLevel {
		return fmt.Errorf("level %d is not known to this version, whose newest is %d", *l, MaxLevel)
	}
	return nil
}

// NonEmpty is a string that says something where it is given.
type NonEmpty string

// UnmarshalText refuses the empty string.
func (n *NonEmpty) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		return errors.New("is empty")
	}
	*n = NonEmpty(b)
	return nil
}

// KubeVersion is a version of Kubernetes: "1.34", "v1.34.2", "v1.34.2-gke.100".
type KubeVersion string

// UnmarshalText refuses what cannot be a version; the engine that uses it reads it closely.
func (k *KubeVersion) UnmarshalText(b []byte) error {
	major, rest, dotted := strings.Cut(strings.TrimPrefix(string(b), "v"), ".")
	if !dotted || !isDigits(major) || rest == "" || !isDigits(rest[:1]) {
		return fmt.Errorf("%q is not a version of Kubernetes, such as v1.34.2", b)
	}
	*k = KubeVersion(b)
	return nil
}

// isDigits reports whether s is a number of digits.
func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// Glob is a pattern with *, ? and [a-z], in which no wildcard matches a slash.
type Glob string

// UnmarshalText refuses a pattern that could never be matched.
func (g *Glob) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		return errors.New("pattern is empty")
	}
	if _, err := path.Match(string(b), ""); err != nil {
		return fmt.Errorf("pattern %q: %w", b, err)
	}
	*g = Glob(b)
	return nil
}

// Match reports whether s fits the pattern. The empty pattern matches nothing.
func (g Glob) Match(s string) bool {
	ok, err := path.Match(string(g), s)
	return ok && err == nil && g != ""
}
