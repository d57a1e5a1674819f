package determinism

import (
	"path"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
)

// Place is a line of a template.
type Place struct {
	Template string
	Line     int
}

// block is what the text of a template outside its definitions does, or one definition.
type block struct {
	file         *chart.File // nil in values
	template     string
	outer        *block   // it is defined in; nil for the text of a template itself
	start, end   int      // of a definition in the text, with its actions; end is 0 where it is not known
	uses         []string // names of definitions
	includes     []string // how the paths of templates end that it uses; "" is any
	dynamic      bool     // it uses a definition whose name is not written there
	random       bool
	tpl, files   bool
	path         bool // it asks where templates lie
	mutates      bool // it may change the values
	capabilities *Place
	seen         bool
	varies       bool // it is random, or uses what is
}

// randomWords are the functions whose result depends on chance or on the clock. With anything but a time to format,
// date and its relatives take the present; the others are random by nature. "keys" is not among them: see sortKeys.
var randomWords = map[string]bool{
	"randAlphaNum": true, "randAlpha": true, "randAscii": true, "randNumeric": true, "randInt": true, "randBytes": true,
	"shuffle": true, "uuidv4": true, "bcrypt": true, "htpasswd": true, "encryptAES": true, "values": true,
	"genPrivateKey": true, "genCA": true, "genCAWithKey": true, "genSelfSignedCert": true,
	"genSelfSignedCertWithKey": true,
	"genSignedCert":            true, "genSignedCertWithKey": true,
	"now": true, "ago": true, "date": true, "date_in_zone": true, "dateInZone": true, "htmlDate": true,
	"htmlDateInZone": true,
	"durationRound":  true,
}

// blockReader reads the tokens of one template into blocks.
type blockReader struct {
	survey  *Survey
	text    string
	block   *block
	outer   []*block // of each "end" to come
	expects string   // the word whose argument is to come: include, template, define, block
	nested  bool     // the argument is in parentheses
	opens   int      // offset of the "define" whose argument is to come; -1 where it is none of the file's
}

func (r *blockReader) begin(file *chart.File, template string) {
	r.block = &block{file: file, template: template}
	r.survey.blocks = append(r.survey.blocks, r.block)
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
			if r.block != r.outer[n-1] && r.block.start >= 0 {
				r.block.end = after(r.text, t.end, "}}")
			}
			r.block, r.outer = r.outer[n-1], r.outer[:n-1]
		}
	case "tpl":
		r.block.tpl = true
	case "set", "unset", "merge", "mergeOverwrite", "mustMerge", "mustMergeOverwrite":
		r.block.mutates = true
	case "getHostByName":
		r.block.random = r.block.random || r.survey.options.DNS
	}
	switch t.text {
	case "include", "template", "define", "block":
		r.expects, r.nested, r.opens = t.text, false, -1
		if t.text == "define" && t.lead {
			r.opens = strings.LastIndex(r.text[:t.start], "{{")
		}
	}
	r.block.random = r.block.random || randomWords[t.text]
}

// argument reads the name with which a definition is made or used.
func (r *blockReader) argument(t token) {
	what := r.expects
	switch {
	case t.kind == openToken && !r.nested:
		r.nested = true
		return
	case r.nested && t.kind == wordToken && (t.text == "print" || t.text == "printf"):
		return
	case r.nested && t.kind == fieldToken && strings.HasSuffix(t.text, ".Template.BasePath"):
		r.expects = aFile
		return
	case what == aFile:
		r.block.includes = append(r.block.includes, namedFile(t))
	case t.kind == literalToken && !r.nested && len(t.text) >= 2:
		name := t.text[1 : len(t.text)-1]
		if what == "define" || what == "block" {
			if what == "block" {
				r.block.uses = append(r.block.uses, name)
			}
			outer := r.block
			r.begin(outer.file, outer.template)
			r.block.outer, r.block.start = outer, r.opens
			r.survey.named[name] = append(r.survey.named[name], r.block)
			r.survey.defined = append(r.survey.defined, r.block)
		} else {
			r.block.uses = append(r.block.uses, name)
		}
	default:
		r.block.dynamic = true
	}
	r.expects = ""
}

// aFile is expected after the folder of the templates.
const aFile = "file"

// namedFile returns how the path of a template ends that a token names, or "" where it may be any.
func namedFile(t token) string {
	if t.kind != literalToken || len(t.text) < 2 || path.Ext(t.text[:len(t.text)-1]) == "" {
		return ""
	}
	return t.text[1 : len(t.text)-1]
}

func (r *blockReader) field(t token) {
	_, of, ok := strings.Cut(t.text, ".Capabilities")
	if ok && r.block.capabilities == nil && !strings.HasPrefix(of, ".HelmVersion") {
		r.block.capabilities = &Place{r.block.template, 1 + strings.Count(r.text[:t.start], "\n")}
		if r.block.file == nil {
			r.block.capabilities.Line = 0 // it counts in a value
		}
	}
	r.block.files = r.block.files || strings.Contains(t.text, ".Files")
	r.block.path = r.block.path || strings.Contains(t.text, ".Template")
}
