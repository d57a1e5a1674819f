package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/plan"
)

// explainText writes a plan for a person: each workload, below it a line for each reference with its findings, and at
// the end the findings that concern no reference.
func explainText(out *bytes.Buffer, p *plan.Plan, style Style) error {
	shown, pick := map[diag.Finding]bool{}, Pick{Style: style}
	for i, w := range p.Workloads {
		if i > 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(out, "%s %s\n", visible(w.Kind), visible(qualifiedName(w.Namespace, w.Name)))
		rows := make([][]string, 0, len(w.References))
		for _, ref := range w.References {
			rows = append(rows, []string{ref.Kind + " " + qualifiedName(unless(ref.Namespace, w.Namespace), ref.Name),
				keysOf(ref), strings.Join(ref.Forms, ", "), ref.Source, digestOf(ref)})
		}
		for i, row := range align(rows) {
			fmt.Fprintf(out, "  %s\n", row)
			producers(out, w.Namespace, w.References[i].Producers)
			for _, f := range w.References[i].Findings {
				shown[f] = true
				f.Object = ""
				pick.write(out, "    ", f)
			}
		}
		if len(rows) == 0 {
			out.WriteString("  refers to nothing\n")
		}
	}
	rest := slices.DeleteFunc(slices.Clone(p.Findings), func(f diag.Finding) bool {
		return shown[f] || !f.Severity.AtLeast(style.Least)
	})
	if len(rest) > 0 && len(p.Workloads) > 0 {
		out.WriteByte('\n')
	}
	for _, f := range rest {
		pick.write(out, "", f)
	}
	return nil
}

// producers writes what produces an object, and the place in a store that each key of it comes from. A namespace that
// the reader has just seen is left out.
func producers(out *bytes.Buffer, seen string, all []plan.Producer) {
	for _, p := range all {
		out.WriteString("    ")
		if p.Copied {
			out.WriteString("copied ")
		}
		out.WriteString("from " + visible(p.Kind))
		if p.Name != "" {
			out.WriteString(" " + visible(qualifiedName(unless(p.Namespace, seen), p.Name)))
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
			if store := s.Store(); store != "" {
				row = append(row, "from "+store)
			}
			remote := s.Remote()
			row = append(row, remote)
			if s.Version != "" && !strings.HasSuffix(remote, "@"+s.Version) {
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
			row[i] = visible(cell)
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
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

func qualifiedName(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// unless returns the namespace where it is not the one that the reader has just seen.
func unless(namespace, seen string) string {
	if namespace == seen {
		return ""
	}
	return namespace
}

func keysOf(ref plan.Reference) string {
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

func digestOf(ref plan.Reference) string {
	if ref.Digest == "" {
		return "no digest"
	}
	stays := ""
	if ref.Stamp != "" {
		stays = ", " + ref.Stamp + " stays"
	}
	switch ref.Held {
	case plan.Adopted:
		return ref.Digest + " (adopted" + stays + ")"
	case plan.Waiting:
		return ref.Digest + " (waits for approval" + stays + ")"
	}
	if ref.Renamed != "" {
		return ref.Digest + " (in its name, " + ref.Renamed + ")"
	}
	return ref.Digest
}
