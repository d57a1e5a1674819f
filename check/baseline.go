package check

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
)

// Baseline lists findings that are known, by what of them stays the same: neither their line nor their words.
type Baseline struct {
	Schema int `json:"schema"`
	// Folder is where it was made, as seen from its own folder, and Paths is what was looked at.
	Folder   string         `json:"folder,omitempty"`
	Paths    []string       `json:"paths,omitempty"`
	Findings []diag.Finding `json:"findings"`
}

// BaselineSchema is the version of a Baseline's JSON.
const BaselineSchema = 2

// NewBaseline makes one of what was found.
func NewBaseline(found []diag.Finding) *Baseline {
	b := Baseline{Schema: BaselineSchema, Findings: []diag.Finding{}}
	for _, f := range found {
		f.Line, f.RenderLine, f.Severity, f.Hint = 0, 0, "", ""
		b.Findings = append(b.Findings, f)
	}
	slices.SortStableFunc(b.Findings, func(x, y diag.Finding) int {
		return cmp.Or(cmp.Compare(x.Identity(), y.Identity()), cmp.Compare(x.Message, y.Message))
	})
	return &b
}

// In returns the same as made in a folder, which is seen from that of the baseline, for these applications.
func (b *Baseline) In(folder string, paths []string) *Baseline {
	out := *b
	out.Folder, out.Paths = folder, paths
	return &out
}

// Unlike returns how a run in a folder for these applications is not one that the baseline was made for; "" where it
// may be, or that is not known.
func (b *Baseline) Unlike(folder string, paths []string) string {
	const may = ", so what it knows may have other names here"
	shared := slices.ContainsFunc(paths, func(p string) bool { return slices.Contains(b.Paths, p) })
	switch {
	case b.Folder != "" && folder != "" && b.Folder != folder:
		return "the baseline was made in another folder" + may
	case len(b.Paths) > 0 && len(paths) > 0 && !shared:
		return "the baseline was made for other paths (" + some(b.Paths) + ")" + may
	}
	return ""
}

// some joins names, not all where there are many.
func some(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// ReadBaseline reads the file that WriteTo wrote.
func ReadBaseline(name string) (*Baseline, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, diag.Usage(fmt.Errorf("read baseline: %w", err), "Make it with --write-baseline.")
	}
	var b Baseline
	if err := json.Unmarshal(text, &b); err != nil || b.Schema != BaselineSchema {
		return nil, diag.Usage(fmt.Errorf("read baseline: %s is none of this version", name),
			"Write it again with --write-baseline.")
	}
	return &b, nil
}

// New returns the findings that are not known, in their order. Of several with one identity as many are known as the
// baseline lists.
func (b *Baseline) New(found []diag.Finding) []diag.Finding {
	known := map[string]int{}
	for _, f := range b.Findings {
		known[f.Identity()]++
	}
	return slices.DeleteFunc(slices.Clone(found), func(f diag.Finding) bool {
		id := f.Identity()
		known[id]--
		return known[id] >= 0
	})
}

// With returns a baseline that has those findings of an older one, too, that are not in it and that belong there. What
// was not looked at again stays known so.
func (b *Baseline) With(older *Baseline, belongs func(diag.Finding) bool) *Baseline {
	more := slices.DeleteFunc(b.New(older.Findings), func(f diag.Finding) bool { return !belongs(f) })
	return NewBaseline(slices.Concat(b.Findings, more)).In(b.Folder, b.Paths)
}

// WriteTo writes the JSON.
func (b *Baseline) WriteTo(w io.Writer) (int64, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(b); err != nil {
		return 0, fmt.Errorf("write baseline: %w", err)
	}
	return out.WriteTo(w)
}
