package diff

import (
	"strings"

	"github.com/rollstamp/rollstamp/manifest/generated"
	"github.com/rollstamp/rollstamp/redact"
)

// secretHashes are the ends of names of Secrets that kustomize generated: each is a digest of the values without a key,
// and could be tried against guesses.
type secretHashes map[string]bool

// add takes those of the objects of an application.
func (h secretHashes) add(all []*object) {
	for _, o := range all {
		if o.Group != "" || o.Kind != "Secret" {
			continue
		}
		if base, ok := generated.Base(o.Name.Name); ok {
			h[strings.TrimPrefix(o.Name.Name, base+"-")] = true
		}
	}
}

// in returns a text with a mask instead of the ends. It goes through the text once, however many there are.
func (h secretHashes) in(text string) string {
	const length = 10
	from := 0 // of what is not written yet
	var out strings.Builder
	for at := 0; at+length < len(text); at++ {
		if text[at] == '-' && h[text[at+1:at+1+length]] {
			out.WriteString(text[from : at+1])
			out.WriteString(isSecret)
			from = at + 1 + length
		}
	}
	if from == 0 {
		return text
	}
	out.WriteString(text[from:])
	return out.String()
}

// withoutHashes returns the comparison with a mask in all texts instead of the ends. Until here names tell objects
// apart.
func (c *Comparison) withoutHashes(hashes secretHashes) *Comparison {
	if len(hashes) == 0 {
		return c
	}
	out := redact.Rewrite(hashes.in, c, "App", "File")
	for i := range out.Apps {
		out.Apps[i].Name = c.Apps[i].Name
	}
	return out
}
