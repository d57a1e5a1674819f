package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/stamp"
)

// Schema is the version of the JSON that Explanation encodes to. A field is added within a version, never removed or changed.
const Schema = 1

// Explanation is a Plan as it is shown: which workload consumes what.
type Explanation struct {
	Schema    int            `json:"schema"`
	Workloads []Workload     `json:"workloads"`
	Findings  []diag.Finding `json:"findings"`
}

// Workload is an object with pod templates and what they refer to.
type Workload struct {
	Kind       string      `json:"kind"`
	Namespace  string      `json:"namespace"` // "" where it is not known
	Name       string      `json:"name"`
	References []Reference `json:"references"`
}

// Reference is one object that a workload consumes.
type Reference struct {
	Kind       string         `json:"kind"`
	Namespace  string         `json:"namespace"`
	Name       string         `json:"name"`
	Keys       []string       `json:"keys"` // null: all
	Forms      []string       `json:"forms"`
	Optional   bool           `json:"optional"`
	Source     string         `json:"source"` // stream, absent, ambiguous, or KIND/NAME of what makes the object
	Digest     string         `json:"digest"`
	Annotation string         `json:"annotation"`
	Producers  []Producer     `json:"producers"` // what makes the object in the cluster, or adds to it
	Findings   []diag.Finding `json:"findings"`
}

// Producer is an object that makes another in the cluster, or that a tool copies; or the tool, SOPS or argocd-vault-plugin, that puts other
// values in the place of those in an object's text: then it has no name, and its file and line are the object's.
type Producer struct {
	Kind      string        `json:"kind"`
	Namespace string        `json:"namespace"`
	Name      string        `json:"name"`
	File      string        `json:"file,omitempty"`
	Line      int           `json:"line,omitempty"`
	Context   bool          `json:"context,omitempty"` // it is only looked up, not rendered
	Copied    bool          `json:"copied,omitempty"`  // it is copied by a tool, and makes nothing
	Sources   []StoreSource `json:"sources"`
}

// StoreSource is where a producer fetches a key from.
type StoreSource struct {
	Key     string `json:"key"`     // "*" where keys cannot be told
	Store   string `json:"store"`   // KIND/NAME; "" where the manifest names none
	Remote  string `json:"remote"`  // KEY#PROPERTY@VERSION, or find?...
	Version string `json:"version"` // that of the lock or the store, or the one that is pinned; "" where none is known
}

// Explain returns the view of workloads and of what there is to know about the input.
func Explain(workloads []stamp.Workload, findings []diag.Finding) *Explanation {
	e := &Explanation{Schema: Schema, Workloads: make([]Workload, 0, len(workloads)), Findings: list(findings)}
	for _, w := range workloads {
		view := Workload{Kind: w.Kind, Namespace: w.Namespace, Name: w.Name, References: make([]Reference, 0, len(w.References))}
		for _, r := range w.References {
			view.References = append(view.References, Reference{
				Kind: r.Kind, Namespace: r.Namespace, Name: r.Name, Keys: r.Keys, Forms: list(r.Forms), Optional: r.Optional,
				Source: r.Source, Digest: r.Digest, Annotation: r.Annotation, Producers: producers(r.Producers), Findings: list(r.Findings),
			})
		}
		e.Workloads = append(e.Workloads, view)
	}
	return e
}

func producers(all []stamp.Producer) []Producer {
	out := make([]Producer, 0, len(all))
	for _, p := range all {
		view := Producer{Kind: p.Kind, Namespace: p.Namespace, Name: p.Name, File: p.Position.File, Line: p.Position.Line, Context: p.Context, Copied: p.Copied,
			Sources: make([]StoreSource, 0, len(p.Sources))}
		for _, s := range p.Sources {
			store := ""
			if s.Ref.Store.Kind != "" {
				store = s.Ref.Store.Kind + "/" + s.Ref.Store.Name
			}
			view.Sources = append(view.Sources, StoreSource{Key: s.Key, Store: store, Remote: s.Ref.Place(), Version: s.Version})
		}
		out = append(out, view)
	}
	return out
}

// list makes a list that encodes as one also where it is empty.
func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}

// JSON writes the explanation for programs.
func (e *Explanation) JSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(e); err != nil {
		return fmt.Errorf("encode explanation: %w", err)
	}
	return nil
}

// Text writes the explanation for a person: each workload, below it a line for each reference with what there is to say of
// it, and at the end what concerns no reference.
func (e *Explanation) Text(out *bytes.Buffer, style Style) {
	said := map[diag.Finding]bool{}
	for i, work := range e.Workloads {
		if i > 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(out, "%s %s\n", work.Kind, named(work.Namespace, work.Name))
		rows := make([][]string, 0, len(work.References))
		for _, ref := range work.References {
			rows = append(rows, []string{ref.Kind + " " + named(other(ref.Namespace, work.Namespace), ref.Name),
				keys(ref), strings.Join(ref.Forms, ", "), ref.Source, digest(ref)})
		}
		for i, row := range align(rows) {
			fmt.Fprintf(out, "  %s\n", row)
			chain(out, work, work.References[i])
			for _, f := range work.References[i].Findings {
				said[f] = true
				f.Object = ""
				write(out, "    ", f, style)
			}
		}
		if len(rows) == 0 {
			out.WriteString("  refers to nothing\n")
		}
	}
	rest := slices.DeleteFunc(slices.Clone(e.Findings), func(f diag.Finding) bool { return said[f] || !f.Severity.AtLeast(style.Least) })
	if len(rest) > 0 && len(e.Workloads) > 0 {
		out.WriteByte('\n')
	}
	for _, f := range rest {
		write(out, "", f, style)
	}
}

// chain writes what makes an object, and where each key of it comes from.
func chain(out *bytes.Buffer, work Workload, ref Reference) {
	for _, p := range ref.Producers {
		out.WriteString("    ")
		if p.Copied {
			out.WriteString("copied ")
		}
		out.WriteString("from " + p.Kind)
		if p.Name != "" {
			out.WriteString(" " + named(other(p.Namespace, work.Namespace), p.Name))
		}
		switch {
		case p.Context:
			out.WriteString(" (context)")
		case p.File != "":
			fmt.Fprintf(out, " (%s)", diag.Position{File: p.File, Line: p.Line})
		}
		out.WriteByte('\n')
		rows := make([][]string, 0, len(p.Sources))
		for _, s := range p.Sources {
			row := []string{s.Key}
			if s.Store != "" {
				row = append(row, "from "+s.Store)
			}
			row = append(row, s.Remote)
			if s.Version != "" && !strings.HasSuffix(s.Remote, "@"+s.Version) {
				row = append(row, "version "+s.Version)
			}
			rows = append(rows, row)
		}
		for _, row := range align(rows) {
			fmt.Fprintf(out, "      %s\n", row)
		}
	}
}

// align pads the cells of each column to one width and joins them.
func align(rows [][]string) []string {
	var widths []int
	for _, row := range rows {
		widths = append(widths, make([]int, max(0, len(row)-len(widths)))...)
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	lines := make([]string, 0, len(rows))
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			fmt.Fprintf(&line, "%-*s  ", widths[i], cell)
		}
		lines = append(lines, strings.TrimRight(line.String(), " "))
	}
	return lines
}

func named(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// other returns the namespace where it is not the one that the reader has just seen.
func other(namespace, seen string) string {
	if namespace == seen {
		return ""
	}
	return namespace
}

func keys(ref Reference) string {
	text := "all keys"
	switch {
	case ref.Keys != nil && len(ref.Keys) == 0:
		text = "no key"
	case ref.Keys != nil:
		text = strings.Join(ref.Keys, ", ")
	}
	if ref.Optional {
		text += " (optional)"
	}
	return text
}

func digest(ref Reference) string {
	if ref.Digest == "" {
		return "no digest"
	}
	return ref.Digest
}
