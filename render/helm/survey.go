package helm

import (
	"path"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
)

// survey tells what templates do that a single render does not show, from their text.
type survey struct {
	random       bool   // the render may differ from the next one
	capabilities *place // where the Kubernetes version or the list of APIs is read first; nil where it is not

	dns        bool
	tpl, files bool                // what is reached uses them
	named      map[string][]*block // by the name that "define" gives them
	all        []*block
	roots      []*block // what is rendered by itself, in order
}

// place is a line of a template.
type place struct {
	template string
	line     int
}

// block is the text of a template outside its definitions, or one definition.
type block struct {
	uses         []string // names of definitions
	dynamic      bool     // it uses a definition whose name is not written there
	random       bool
	tpl, files   bool
	capabilities *place
	seen         bool
}

// look reads the templates of charts, the text in values that tpl may get, and answers.
func look(charts []*chart.Chart, values map[string]any, dns bool) *survey {
	s := &survey{dns: dns, named: map[string][]*block{}}
	for _, c := range charts {
		for _, t := range c.Templates {
			if rendered(c, t.Name) {
				s.read(path.Join(c.ChartFullPath(), t.Name), string(t.Data))
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

// rendered tells whether helm parses the template: of a library chart, only partials.
func rendered(c *chart.Chart, name string) bool {
	return !strings.EqualFold(c.Metadata.Type, "library") || strings.HasPrefix(path.Base(name), "_")
}

// texts reads the strings in v that are templates.
func (s *survey) texts(v any) {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, "{{") {
			s.read("", v)
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

// read cuts a template into blocks.
func (s *survey) read(name, text string) {
	top := &block{}
	if !strings.HasSuffix(name, notesSuffix) {
		s.roots = append(s.roots, top)
	}
	r := blockReader{survey: s, template: name, text: text, block: top}
	actions(text, r.token)
}

// blockReader takes in the tokens of one template.
type blockReader struct {
	survey         *survey
	template, text string
	block          *block
	outer          []*block // of each "end" to come
	expects        string   // the word whose argument is to come: include, template, define, block
	nested         bool     // the argument is in parentheses
}

func (r *blockReader) token(t token) {
	if r.expects != "" {
		r.argument(t)
	}
	switch {
	case t.kind == fieldToken:
		r.field(t)
	case t.kind == wordToken:
		r.word(t)
	}
}

func (r *blockReader) word(t token) {
	switch t.text {
	case "if", "range", "with", "define", "block":
		if t.lead {
			r.outer = append(r.outer, r.block)
		}
	case "end":
		if n := len(r.outer); t.lead && n > 0 {
			r.block, r.outer = r.outer[n-1], r.outer[:n-1]
		}
	case "tpl":
		r.block.tpl = true
	case "getHostByName":
		r.block.random = r.block.random || r.survey.dns
	}
	switch t.text {
	case "include", "template", "define", "block":
		r.expects, r.nested = t.text, false
	}
	r.block.random = r.block.random || randomWords[t.text]
}

// argument takes the name that a definition gets or is used by.
func (r *blockReader) argument(t token) {
	what := r.expects
	switch {
	case t.kind == openToken && !r.nested:
		r.nested = true
		return
	case r.nested && t.kind == wordToken && (t.text == "print" || t.text == "printf"):
		return
	case r.nested && t.kind == fieldToken && strings.HasSuffix(t.text, ".Template.BasePath"):
		// A file of the chart, which is rendered by itself too.
	case t.kind == literalToken && !r.nested && len(t.text) >= 2:
		name := t.text[1 : len(t.text)-1]
		if what == "define" || what == "block" {
			b := &block{}
			r.survey.named[name] = append(r.survey.named[name], b)
			r.survey.all = append(r.survey.all, b)
			if what == "block" {
				r.block.uses = append(r.block.uses, name)
			}
			r.block = b
		} else {
			r.block.uses = append(r.block.uses, name)
		}
	default:
		r.block.dynamic = true
	}
	r.expects = ""
}

func (r *blockReader) field(t token) {
	_, of, ok := strings.Cut(t.text, ".Capabilities")
	if ok && r.block.capabilities == nil && !strings.HasPrefix(of, ".HelmVersion") {
		r.block.capabilities = &place{r.template, 1 + strings.Count(r.text[:t.start], "\n")}
	}
	r.block.files = r.block.files || strings.Contains(t.text, ".Files")
}

// reach goes through the blocks that the roots use, and sums up what they do.
func (s *survey) reach() {
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
		for _, name := range b.uses {
			queue = append(queue, s.named[name]...)
		}
		if b.dynamic {
			queue = append(queue, s.all...)
		}
	}
}

// randomWords are the functions whose result depends on chance or on the clock. With anything but a time to format, date
// and its relatives take the present; the others are random by nature. "keys" is not among them: see sortedKeys.
var randomWords = map[string]bool{
	"randAlphaNum": true, "randAlpha": true, "randAscii": true, "randNumeric": true, "randInt": true, "randBytes": true, "shuffle": true,
	"uuidv4": true, "bcrypt": true, "htpasswd": true, "encryptAES": true, "values": true,
	"genPrivateKey": true, "genCA": true, "genCAWithKey": true, "genSelfSignedCert": true, "genSelfSignedCertWithKey": true,
	"genSignedCert": true, "genSignedCertWithKey": true,
	"now": true, "ago": true, "date": true, "date_in_zone": true, "dateInZone": true, "htmlDate": true, "htmlDateInZone": true, "durationRound": true,
}
