package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
)

// findingSection lists what is new on the new side.
func findingSection(c *diff.Comparison, style Style) section {
	out := section{Part: found, Title: "New findings"}
	hidden := 0
	var about []diag.Finding
	for _, f := range c.Findings {
		if f.Code == diag.ProtectedObject {
			continue // it has a section of its own
		}
		if f.Severity == diag.Info && !style.All {
			hidden++
			continue
		}
		one := item{Head: string(f.Severity) + " " + string(f.Code), Lines: []line{{At: f.Position().String()}}}
		one.Lines[0].Text = strings.TrimPrefix(f.Object+": "+f.Message, ": ")
		if f.Hint != "" && style.All {
			one.Lines = append(one.Lines, line{Text: "hint: " + f.Hint})
		}
		out.Items = append(out.Items, one)
		about = append(about, f)
	}
	out.Items = foldFindings(out.Items, about)
	if hidden > 0 && len(out.Items) > 0 {
		out.Note = fmt.Sprintf("%d more that are for information; -v shows them", hidden)
	}
	return out
}

// foldFindings groups the items of findings that have one message, where there are many.
func foldFindings(items []item, about []diag.Finding) []item {
	type message struct{ head, text string }
	same := map[message][]string{}
	of := func(i int) message { return message{items[i].Head, about[i].Message} }
	for i, f := range about {
		if f.Object != "" {
			same[of(i)] = append(same[of(i)], f.Object)
		}
	}
	var out []item
	shown := map[message]bool{}
	for i, one := range items {
		switch key := of(i); {
		case about[i].Object == "" || len(same[key]) <= maxSame:
			out = append(out, one)
		case !shown[key]:
			shown[key] = true
			one.Lines = slices.Clone(one.Lines)
			one.Lines[0] = line{Text: diag.Count(len(same[key]), "object") + ": " + key.text}
			one.Names = same[key]
			out = append(out, one)
		}
	}
	return out
}

// failureSection lists what could not be rendered: what is news by itself, and in one item what fails as before.
func failureSection(c *diff.Comparison, style Style) section {
	out := section{Part: failures, Title: "Could not be rendered"}
	var before item
	alike := 0
	nothing := !slices.ContainsFunc(c.Apps, func(a diff.AppChange) bool { return !a.Alike })
	for _, a := range c.Apps {
		if a.Alike && !nothing {
			alike++
			if name := or(a.Name, "."); style.All {
				before.Lines = append(before.Lines, line{Text: named(name, oneLine(a.Problems[0].Error))})
			} else {
				before.Names = append(before.Names, name)
			}
			continue
		}
		problems := a.Problems
		both := len(problems) == 2 && (a.OneFailure || problems[0].Error == problems[1].Error)
		if both {
			problems = problems[1:]
		}
		for _, p := range problems {
			at := side(p.Side, c)
			if both {
				at = "both sides"
			}
			one := item{Head: or(a.Name, "."), Notes: []string{at}}
			for l := range strings.SplitSeq(strings.TrimSpace(p.Error), "\n") {
				one.Lines = append(one.Lines, line{Text: l})
			}
			if p.Hint != "" {
				one.Lines = append(one.Lines, line{Text: "hint: " + p.Hint})
			}
			out.Items = append(out.Items, one)
		}
	}
	out.Items = fold(withoutOwnNames(out.Items), countOf("application"))
	if alike > 0 {
		before.Head = fmt.Sprintf("%d applications fail as before", alike)
		if alike == 1 {
			before.Head = "1 application fails as before"
		}
		out.Items = append(out.Items, before)
	}
	return out
}

// withoutOwnNames returns the items of failed applications with "<application>" instead of their names in their
// errors, where that makes at least three alike that are not so already.
func withoutOwnNames(items []item) []item {
	neutral, same := make([]item, len(items)), map[string]int{}
	for i, one := range items {
		one.Lines = slices.Clone(one.Lines)
		for k := range one.Lines {
			one.Lines[k].Text = strings.ReplaceAll(one.Lines[k].Text, one.Head, "<application>")
		}
		neutral[i] = one
		same[one.body()]++
		if body := items[i].body(); body != one.body() {
			same[body]++
		}
	}
	for i := range items {
		if same[neutral[i].body()] < few || same[items[i].body()] >= few {
			neutral[i] = items[i]
		}
	}
	return neutral
}

// named returns an error with the application that it is of, which an error about the object of that name is already.
func named(app, text string) string {
	if _, rest, found := strings.Cut(text, " "); found && strings.HasPrefix(rest, app+": ") {
		return text
	}
	return app + ": " + text
}

func side(name string, c *diff.Comparison) string {
	if name == "from" {
		return c.From
	}
	return c.To
}
