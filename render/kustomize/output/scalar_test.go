package output

import (
	"bytes"
	"fmt"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/manifest"
)

// alphabet has every character that means something in YAML or in a number, and one of each other sort.
var alphabet = strings.Split("0 1 8 . _ - + : e E x o b n y T Z a # ' \" \\ ~ = < ! & * % @ ` "+
	"[ ] { } , ? | > / $ ( é 日 📋 \u0085 \u00a0 \ufeff", " ")

// words mean something in some version of YAML, or are the longer spellings of a number or time.
var words = []string{"true", "false", "null", "y", "n", "yes", "no", "on", "off", "t", "f", "none", "nil", ".inf", "-.inf",
	"+.inf", ".nan", "inf", "nan", "+inf", "infinity", "0x1f", "0b11", "-0b11", "0o17", "1e10", "1.5e+3", "<<"}

// scalarValues yields every casing of the words, and every text of at most n characters.
func scalarValues(n int) iter.Seq[string] {
	letters := append([]string{" ", "\t", "\n"}, alphabet...)
	return func(yield func(string) bool) {
		for _, w := range words {
			for bits := range 1 << len(w) {
				b := []byte(w)
				for i := range b {
					if bits>>i&1 == 1 {
						b[i] = bytes.ToUpper(b[i : i+1])[0]
					}
				}
				if (bits == 0 || string(b) != w) && !yield(string(b)) {
					return
				}
			}
		}
		last := []string{""}
		for range n {
			var next []string
			for _, s := range last {
				for _, c := range letters {
					if next = append(next, s+c); !yield(s + c) {
						return
					}
				}
			}
			last = next
		}
	}
}

// scalarSources are the ways to write a text, whether or not they are that text's.
var scalarSources = map[string]func(s string) string{
	"plain":   func(s string) string { return s },
	"single":  func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" },
	"double":  strconv.Quote,
	"literal": func(s string) string { return "|-\n      " + strings.ReplaceAll(s, "\n", "\n      ") },
	"kept":    func(s string) string { return "|+\n      " + strings.ReplaceAll(s, "\n", "\n      ") },
	"folded":  func(s string) string { return ">-\n      " + strings.ReplaceAll(s, "\n", "\n      ") },
}

// scalarPlaces are where a scalar can be in a document.
var scalarPlaces = map[string]string{
	"value":  "  k%d:\n    a: %s\n",
	"item":   "  k%d:\n    - %s\n",
	"nested": "  k%d:\n    - - %s\n",
	"key":    "  k%d:\n    %s: a\n",
	"flow":   "  k%d: {a: %s}\n",
	"list":   "  k%d: [%s]\n",
}

const scalarHead = "apiVersion: v1\nkind: A\nmetadata:\n  name: a\nspec:\n"

// ROLLSTAMP_FUZZ has it go through texts of three characters, too, which takes minutes.
func TestEveryShortScalarIsPrintedAsKustomizeDoes(t *testing.T) {
	n := 2
	if os.Getenv("ROLLSTAMP_FUZZ") != "" {
		n = 3
	}
	for source, write := range scalarSources {
		for place, format := range scalarPlaces {
			t.Run(source+"/"+place, func(t *testing.T) {
				t.Parallel()
				var p Documents
				all, few := 0, []string(nil)
				for s := range scalarValues(n) {
					line := fmt.Sprintf(format, len(few), write(s))
					if !isPrinted(&p, scalarHead+line) {
						continue
					}
					all++
					if few = append(few, line); len(few) == 200 {
						compareScalars(t, &p, few)
						few = few[:0]
					}
				}
				compareScalars(t, &p, few)
				t.Logf("%d texts", all)
			})
		}
	}
}

func isPrinted(p *Documents, text string) bool {
	_, ok := printOne(p, text)
	return ok
}

// printOne prints a text that is one document.
func printOne(p *Documents, text string) (string, bool) {
	for doc, err := range manifest.Documents([]byte(text), "") {
		if err != nil || len(doc.Bytes()) != len(text) {
			return "", false
		}
		got, ok := p.Append(nil, doc)
		return string(got), ok
	}
	return "", false
}

// compareScalars halves lines that are printed differently or refused until one is left.
func compareScalars(t *testing.T, p *Documents, lines []string) {
	t.Helper()
	text := scalarHead + strings.Join(lines, "")
	got, ok := printOne(p, text)
	want, err := asYAML(text)
	switch {
	case len(lines) == 0 || ok && err == nil && got == want:
	case len(lines) > 1:
		half := len(lines) / 2
		compareScalars(t, p, slices.Clone(lines[:half]))
		compareScalars(t, p, slices.Clone(lines[half:]))
	default:
		t.Errorf("of %q\n got %q\nwant %q, %v", lines[0], strings.TrimPrefix(got, scalarHead),
			strings.TrimPrefix(want, scalarHead), err)
	}
}

func asYAML(text string) (string, error) {
	rs, err := factory().SliceFromBytes([]byte(text))
	if err != nil {
		return "", err
	}
	if len(rs) != 1 {
		return "", fmt.Errorf("%d objects", len(rs))
	}
	b, err := rs[0].AsYAML()
	return string(b), err
}
