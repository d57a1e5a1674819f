package determinism

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"text/template"
	"text/template/parse"

	"github.com/Masterminds/sprig/v3"
	"helm.sh/helm/v3/pkg/chart"
)

func TestTheTextOfTemplatesShowsWhetherARenderIsRandom(t *testing.T) {
	helper := `{{ define "rnd" }}{{ uuidv4 }}{{ end }}{{ define "fix" }}{{ if true }}x{{ end }}{{ end }}{{ define "via" }}{{ include "rnd" . }}{{ end }}`
	for _, c := range []struct {
		template string
		want     bool
	}{
		{`a: {{ randAlpha 3 }}`, true}, {`a: {{ .Values.randAlpha }}`, false}, {`a: randAlpha`, false}, {`{{/* randAlpha 3 */}}a: b`, false}, {`a: {{ "randAlpha" }}`, false},
		{`a: {{- (genCA "x" 1).Cert -}}`, true}, {`a: {{ now.Year }}`, true}, {`a: {{ .x | sha256sum | htpasswd "u" }}`, true},
		{`{{ if eq 1 2 }}{{ shuffle "abc" }}{{ end }}`, true}, {`a: {{ derivePassword 1 "long" "m" "u" "s" }}`, false},
		{`a: {{ include "fix" . }}`, false}, {`a: {{ include "rnd" . }}`, true}, {`{{ template "via" . }}`, true}, {`a: {{ include (printf "%s" "fix") . }}`, true},
		{`a: {{ include .Values.name . }}`, true}, {`a: {{ .x | include "rnd" }}`, true}, {`a: {{ include (print $.Template.BasePath "/b.yaml") . | sha256sum }}`, false},
		{`{{ block "own" . }}{{ uuidv4 }}{{ end }}`, true}, {`{{ define "own" }}{{ uuidv4 }}{{ end }}a: b`, false},
		{`{{ range .x }}{{ end }}{{ define "own" }}{{ with .y }}{{ end }}{{ uuidv4 }}{{ end }}`, false}, {`a: {{ tpl "{{ uuidv4 }}" . }}`, true},
		{`a: {{ tpl .Values.fixed . }}`, false}, {`a: {{ tpl .Values.random . }}`, true}, {`a: {{ .Values.random }}`, false},
		{`a: {{ tpl (.Files.Get "f.txt") . }}`, true}, {`a: {{ .Files.Get "f.txt" }}`, false},
	} {
		ch := &chart.Chart{Metadata: &chart.Metadata{Name: "c"}, Values: map[string]any{}}
		for name, text := range map[string]string{"templates/a.yaml": c.template, "templates/_h.tpl": helper, "templates/NOTES.txt": "{{ now }}"} {
			ch.Templates = append(ch.Templates, &chart.File{Name: name, Data: []byte(text)})
		}
		for name, value := range map[string]any{"fixed": "{{ .Release.Name }}", "random": []any{"{{ uuidv4 }}"}} {
			if strings.Contains(c.template, ".Values."+name) {
				ch.Values[name] = value
			}
		}
		if strings.Contains(c.template, ".Files") {
			ch.Files = []*chart.File{{Name: "f.txt", Data: []byte("{{ uuidv4 }}")}}
		}
		if got := Look([]*chart.Chart{ch}, ch.Values, Options{}).random; got != c.want {
			t.Errorf("%s: random %v", c.template, got)
		}
	}
}

func TestASecondRenderOfIsolatedTemplatesIsOfThoseThatMayDiffer(t *testing.T) {
	ch := &chart.Chart{Metadata: &chart.Metadata{Name: "c"}}
	for name, text := range map[string]string{
		"templates/_h.tpl": `{{ define "pw" }}{{ $_ := set (dict) "a" "b" }}{{ randAlpha 3 }}{{ end }}`, "templates/a.yaml": `{{ include "pw" . }}`,
		"templates/sum.yaml": `{{ include (print .Template.BasePath "/a.yaml") . | sha256sum }}`, "templates/b.yaml": `{{ .Values }}`,
	} {
		ch.Templates = append(ch.Templates, &chart.File{Name: name, Data: []byte(text)})
	}
	first := map[string]string{"c/templates/a.yaml": "1", "c/templates/b.yaml": "2", "c/templates/sum.yaml": "3"}
	for isolated, want := range map[bool][]string{
		true: {"_h.tpl", "a.yaml", "sum.yaml"}, false: {"_h.tpl", "a.yaml", "b.yaml", "sum.yaml"},
	} {
		var rendered []string
		again, err := Look([]*chart.Chart{ch}, nil, Options{}).SecondRender(First{first, isolated},
			func(func(map[string]any) map[string]any) (map[string]string, error) {
				for _, f := range ch.Templates {
					if len(f.Data) > 0 {
						rendered = append(rendered, strings.TrimPrefix(f.Name, "templates/"))
					}
				}
				return map[string]string{"c/templates/a.yaml": "one", "c/templates/b.yaml": "2", "c/templates/sum.yaml": "3"}, nil
			})
		slices.Sort(rendered)
		if rendered = slices.Compact(rendered); err != nil || !slices.Equal(rendered, want) {
			t.Errorf("isolated %v: rendered %v, want %v, %v", isolated, rendered, want, err)
		}
		if want := map[string]string{"c/templates/a.yaml": "one", "c/templates/b.yaml": "2", "c/templates/sum.yaml": "3"}; !maps.Equal(again, want) {
			t.Errorf("isolated %v: the second render is %v", isolated, again)
		}
	}
}

func TestTemplatesAreRewrittenInTheirActionsOnly(t *testing.T) {
	const later = "((now.AddDate 3 4 4).Add 45449000000000)"
	for _, c := range [][2]string{
		{"now {{ now }} now", "now {{ " + later + " }} now"},
		{`{{ now | date "2006 now" }}{{ .now }}{{ $now }}`, `{{ ` + later + ` | date "2006 now" }}{{ .now }}{{ $now }}`},
		{`{{ now.Year }}{{/* now */}}`, `{{ ` + later + `.Year }}{{/* now */}}`},
		{`{{ ago .x }}{{ .x | ago }}`, `{{ list .x }}{{ .x | list }}`},
		{`{{ tpl "{{ now }}" . }}`, `{{ tpl "{{ ` + later + ` }}" . }}`},
		{"{{ unclosed now", "{{ unclosed " + later},
	} {
		if got := moveClock(c[0]); got != c[1] {
			t.Errorf("%s\n got %s\nwant %s", c[0], got, c[1])
		}
	}
	for _, c := range [][2]string{
		{"{{ keys .x }}", "{{ keys .x | sortAlpha }}"}, {"{{- keys .x -}}", "{{- keys .x | sortAlpha -}}"},
		{`{{ (keys (dict "a" 1) .y) | join "," }}`, `{{ (keys (dict "a" 1) .y | sortAlpha) | join "," }}`},
		{`{{ keys .x | join ")" }}`, `{{ keys .x | sortAlpha | join ")" }}`}, {`{{ keys .x | sortAlpha }}`, `{{ keys .x | sortAlpha }}`},
		{`{{ if keys (keys .y | first) }}`, `{{ if keys (keys .y | sortAlpha | first) | sortAlpha }}`},
		{`{{ $k := keys .x }}{{ has "keys" .keys }}`, `{{ $k := keys .x | sortAlpha }}{{ has "keys" .keys }}`},
		{`{{ printf "%v" keys }}`, `{{ printf "%v" keys }}`}, {"keys {{ .keys }}", "keys {{ .keys }}"},
	} {
		if got := sortKeys(c[0]); got != c[1] {
			t.Errorf("%s\n got %s\nwant %s", c[0], got, c[1])
		}
	}
}

// corners are templates at the edges of the language.
var corners = []string{
	"{{ now }}", "{{ keys .x | join \",\" }}", "{{- range $k, $v := keys (dict \"a\" now) -}}{{ end }}", "{{ if keys .a }}{{ else if keys .b }}{{ end }}",
	"{{ tpl \"{{ now }}\" . }}", "{{ with `{{ keys .x }}` }}{{ end }}", "{{/* keys */}}{{ ago .x }}", "{{ $x := keys .y }}{{ $x = keys .z }}", "{{ (keys .x).y }}",
	"{{ keys .x | keys }}", "{{ template \"a\" keys .x }}{{ define \"a\" }}{{ end }}", "{{ keys\n.x\n}}", "{{ printf `}}` | keys }}", "{{ block \"b\" keys .x }}{{ end }}", "{{ '\"' | keys }}",
	"{{- /* now */ -}}{{ now }}", "{{ define `now` }}{{ now.Year }}{{ end }}", "{{ (now).Year }}", "{{ nil | now }}", "{{ 'n' | now 1.5e3 true }}",
	"{{ with $now := now }}{{ break_ $now }}{{ else with ago .x }}{{ end }}", "{{ range $i, $e := list 1 now }}{{ continue }}{{ end }}",
}

// FuzzRewrittenTemplatesParse holds that a template which parses still does when it has been rewritten.
func FuzzRewrittenTemplatesParse(f *testing.F) {
	for _, text := range corners {
		f.Add(text)
	}
	funcs := sprig.TxtFuncMap()
	funcs["tpl"] = func(string, any) string { return "" }
	parses := func(text string) error {
		_, err := template.New("t").Funcs(funcs).Parse(text)
		return err
	}
	f.Fuzz(func(t *testing.T, text string) {
		if parses(text) != nil {
			t.Skip()
		}
		for name, changed := range map[string]string{"sortKeys": sortKeys(text), "moveClock": moveClock(text)} {
			if err := parses(changed); err != nil {
				t.Errorf("%s: %v\n%s\n%s", name, err, text, changed)
			}
		}
	})
}

func TestKeysOfTheSecondRenderAreQuickToMake(t *testing.T) {
	for _, c := range [][2]string{
		{`a: {{- (genCA "x" 1).Cert -}}`, `a: {{- (genCAWithKey "x" 1 (genPrivateKey "ecdsa")).Cert -}}`},
		{`{{- $ca := genCA (print "x" ")") 365 -}}`, `{{- $ca := genCAWithKey (print "x" ")") 365 (genPrivateKey "ecdsa") -}}`},
		{`{{ $c := genSignedCert "x" nil (list "a") 365 (genCA "c" 1) }}`,
			`{{ $c := genSignedCertWithKey "x" nil (list "a") 365 (genCAWithKey "c" 1 (genPrivateKey "ecdsa")) (genPrivateKey "ecdsa") }}`},
		{`{{ genPrivateKey "rsa" | b64enc }}{{ genPrivateKey "ed25519" }}`, `{{ genPrivateKey "ecdsa" | b64enc }}{{ genPrivateKey "ed25519" }}`},
		{`{{ genPrivateKey .kind }} {{ eq .kind "rsa" }}`, `{{ genPrivateKey .kind }} {{ eq .kind "rsa" }}`},
		{`{{ tpl "{{ genCA 1 2 }}" . }} {{ .genCA }} genCA {{/* genCA */}}`, `{{ tpl "{{ genCA 1 2 }}" . }} {{ .genCA }} genCA {{/* genCA */}}`},
	} {
		if got := quickenKeys(c[0]); got != c[1] {
			t.Errorf("%s\nbecomes %s\nwant    %s", c[0], got, c[1])
		}
	}
}

// identifiers returns the names of functions in a template by their offsets, as the language's own parser reads them.
func identifiers(text string) (map[int]string, error) {
	set := map[string]*parse.Tree{}
	tree := parse.New("t")
	tree.Mode = parse.SkipFuncCheck
	if _, err := tree.Parse(text, "", "", set); err != nil {
		return nil, err
	}
	found := map[int]string{}
	for _, tree := range append(slices.Collect(maps.Values(set)), tree) {
		visit(reflect.ValueOf(tree.Root), func(id *parse.IdentifierNode) { found[int(id.Pos)] = id.Ident })
	}
	return found, nil
}

// visit finds the identifiers below a node, whatever its type.
func visit(v reflect.Value, found func(*parse.IdentifierNode)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if id, ok := v.Interface().(*parse.IdentifierNode); ok {
			found(id)
		} else if _, ok := v.Interface().(*parse.Tree); !ok && !v.IsNil() {
			visit(v.Elem(), found)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				visit(v.Field(i), found)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			visit(v.Index(i), found)
		}
	}
}

// language are the words of the language that are no functions.
var language = []string{
	"if", "else", "range", "with", "define", "block", "template", "end", "break", "continue", "nil", "true", "false",
}

// FuzzFunctionsAreFoundWhereTheParserFindsThem holds the tokens of templates that parse against the parser of
// text/template.
func FuzzFunctionsAreFoundWhereTheParserFindsThem(f *testing.F) {
	for _, text := range corners {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, err := identifiers(text)
		if err != nil {
			t.Skip()
		}
		got := map[int]string{}
		until := 0 // the end of the quoted text whose tokens come next
		actions(text, func(token token) {
			switch {
			case token.kind == literalToken && token.start >= until:
				until = token.end
			case token.kind == wordToken && token.start >= until && !slices.Contains(language, token.text):
				got[token.start] = token.text
			}
		})
		if !maps.Equal(got, want) {
			t.Errorf("%q: found %v, the parser %v", text, got, want)
		}
	})
}
