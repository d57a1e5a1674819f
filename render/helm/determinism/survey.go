// Package determinism finds out whether a chart renders the same each time: it reads what templates do that a single
// render does not show, and renders a second time, with another clock and other keys, what may come out differently.
package determinism

import (
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
)

// notesSuffix is how the files end that Helm renders and does not print with the manifests.
const notesSuffix = "NOTES.txt"

// Survey is what templates do that a single render does not show.
type Survey struct {
	charts  []*chart.Chart
	options Options

	random       bool
	capabilities *Place
	tpl, files   bool                // what is reached uses them
	blocks       []*block            // all
	defined      []*block            // the definitions among them
	roots        []*block            // those that are rendered by themselves, in order, and those in values
	named        map[string][]*block // those that "define" names
}

// Options are what a survey has to know of a render.
type Options struct {
	DNS        bool // templates can ask for the address of a host
	RandomName bool // the release's name may be another one each time
}

// Look reads the templates of a chart and of the subcharts that are switched on, and the text in values that tpl may
// get.
func Look(charts []*chart.Chart, values map[string]any, o Options) *Survey {
	s := &Survey{charts: charts, options: o, random: o.RandomName, named: map[string][]*block{}}
	for _, c := range charts {
		for _, t := range c.Templates {
			if isParsed(c, t.Name) {
				s.read(t, path.Join(c.ChartFullPath(), t.Name), string(t.Data))
			}
		}
	}
	s.reach()
	if s.tpl {
		s.texts(values)
	}
	if s.tpl && s.files {
		for _, c := range charts {
			for _, f := range c.Files {
				s.texts(string(f.Data))
			}
		}
	}
	s.reach()
	return s
}

// Capabilities returns the place where the Kubernetes version or the list of APIs is read first; nil where it is not.
func (s *Survey) Capabilities() *Place { return s.capabilities }

// MayDiffer reports whether a second render may come out differently.
func (s *Survey) MayDiffer() bool { return s.random }

// texts reads the strings in v that are templates.
func (s *Survey) texts(v any) {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, "{{") {
			s.read(nil, "", v)
		}
	case []any:
		for _, x := range v {
			s.texts(x)
		}
	case map[string]any:
		for _, x := range v {
			s.texts(x)
		}
	}
}

// isParsed reports whether Helm parses the template: of a library chart, only partials.
func isParsed(c *chart.Chart, name string) bool {
	return !strings.EqualFold(c.Metadata.Type, "library") || strings.HasPrefix(path.Base(name), "_")
}

// read reads a template as blocks.
func (s *Survey) read(file *chart.File, name, text string) {
	r := blockReader{survey: s, text: text}
	r.begin(file, name)
	if !strings.HasSuffix(name, notesSuffix) {
		s.roots = append(s.roots, r.block)
	}
	actions(text, r.token)
}

// reach goes through the blocks that the roots use, and sums up what they do.
func (s *Survey) reach() {
	for queue := s.roots; len(queue) > 0; {
		b := queue[0]
		queue = queue[1:]
		if b.seen {
			continue
		}
		b.seen = true
		s.random, s.tpl, s.files = s.random || b.random, s.tpl || b.tpl, s.files || b.files
		if s.capabilities == nil {
			s.capabilities = b.capabilities
		}
		queue = append(queue, s.callees(b)...)
	}
}

// callees returns the blocks that b may use by name, which are definitions or, by their paths, whole templates.
func (s *Survey) callees(b *block) []*block {
	var used []*block
	for _, name := range b.uses {
		used = append(used, s.named[name]...)
	}
	if b.dynamic {
		used = slices.Clone(s.defined)
	}
	includes := b.includes
	if b.dynamic && b.path {
		includes = []string{""}
	}
	for _, end := range includes {
		for _, root := range s.roots {
			if root.file != nil && strings.HasSuffix(root.template, end) {
				used = append(used, root)
			}
		}
	}
	return used
}

// varying returns the templates that may come out differently, and the blocks that rendering just these takes. It is
// contained unless they may leave something in the values for other templates to find.
func (s *Survey) varying() (templates []string, used map[*block]bool, contained bool) {
	s.spread()
	var queue []*block
	for _, b := range s.roots {
		if b.varies && b.file != nil {
			templates = append(templates, b.template)
			queue = append(queue, b)
		}
	}
	used, contained = map[*block]bool{}, true
	for len(queue) > 0 {
		b := queue[0]
		queue = queue[1:]
		if used[b] {
			continue
		}
		used[b] = true
		contained = contained && !b.mutates
		queue = append(queue, s.callees(b)...)
		if b.tpl {
			queue = append(queue, s.inValues()...)
		}
	}
	return templates, used, contained
}

// spread marks the blocks that use random ones, until there are no more.
func (s *Survey) spread() {
	users := map[*block][]*block{}
	for _, b := range s.blocks {
		uses := s.callees(b)
		if b.tpl {
			uses = append(uses, s.inValues()...)
		}
		for _, used := range uses {
			users[used] = append(users[used], b)
		}
	}
	queue := slices.DeleteFunc(slices.Clone(s.blocks), func(b *block) bool { return !b.random })
	for len(queue) > 0 {
		b := queue[0]
		queue = queue[1:]
		if !b.varies {
			b.varies = true
			queue = append(queue, users[b]...)
		}
	}
}

// inValues returns the blocks of text that tpl may get.
func (s *Survey) inValues() []*block {
	return slices.DeleteFunc(slices.Clone(s.roots), func(b *block) bool { return b.file != nil })
}
