package substitute

import (
	"strings"

	"github.com/fluxcd/pkg/envsubst"

	"github.com/rollstamp/rollstamp/redact"
)

// secretText is a text that is secret, and what stands there where the hidden variables have stand-ins.
type secretText struct{ shown, replaced string }

// derived returns what the expressions of the object make of hidden variables: parts of them, in another case, or with
// other signs in them. Other is the object with stand-ins for these.
func (o *object) derived(other *object) (out []secretText) {
	for expression := range expressions(o.known) {
		shown, used, err := o.expand(expression)
		if err != nil || len(used) == 0 {
			continue
		}
		if replaced, _, err := other.expand(expression); err == nil && replaced != shown {
			out = append(out, secretText{shown, replaced})
		}
	}
	return out
}

// expressions goes through the expressions of a text that are more than a variable's name.
func expressions(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for {
			start := strings.Index(text, "${")
			if start < 0 {
				return
			}
			text = text[start:]
			if end := endOfExpression(text); end > 0 && strings.ContainsAny(text[len("${"):end], "#^,:/%=?+-") {
				if !yield(text[:end]) {
					return
				}
			}
			text = text[len("${"):] // another one may be inside
		}
	}
}

// endOfExpression returns where the expression ends that a text begins with; 0 where none does.
func endOfExpression(text string) int {
	line, _, _ := strings.Cut(text, "\n")
	for end := 0; ; {
		n := strings.IndexByte(line[end:], '}')
		if n < 0 {
			return 0
		}
		end += n + 1
		isWhole := strings.Count(line[:end], "${") <= strings.Count(line[:end], "}")
		if _, err := envsubst.Parse(line[:end]); err == nil && isWhole {
			return end
		}
	}
}

// noteWord notes the text of a scalar in which a value is a part of a word: where it is mentioned elsewhere, the value
// would not be found in it.
func (f *finder) noteWord(shown any) {
	text, is := shown.(string)
	if !is || strings.ContainsAny(text, " \t\n") {
		return
	}
	isLeft := false
	f.secrets.Replace(f.secrets.In(text), func(value string) string {
		isLeft = isLeft || redact.NewValues(value).In(value) != value
		return ""
	})
	if isLeft {
		f.words = append(f.words, text)
	}
}
