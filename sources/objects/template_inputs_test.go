package objects

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/template"

	"github.com/Masterminds/sprig/v3"
)

// operatorFunctions returns those that External Secrets has, but for the ones that are random, read the clock or take
// long.
var operatorFunctions = sync.OnceValue(func() template.FuncMap {
	out := maps.Clone(sprig.TxtFuncMap())
	for name := range out {
		for _, no := range []string{"env", "rand", "gen", "now", "ago", "date", "uuid", "until", "seq", "repeat", "indent",
			"bcrypt", "htpasswd", "encryptAES", "derivePassword", "getHostByName", "shuffle", "fail"} {
			if strings.Contains(strings.ToLower(name), strings.ToLower(no)) {
				delete(out, name)
			}
		}
	}
	return out
})

// execute renders a template as External Secrets does.
func execute(text string, inputs map[string]string) (string, error) {
	t, err := template.New("key").Option("missingkey=error").Funcs(operatorFunctions()).Parse(text)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = t.Execute(&out, inputs)
	return out.String(), err
}

// checkInputs reports an input that the text does not name and that moves what it renders to. It returns whether the
// text could be rendered and some input is not named.
func checkInputs(t *testing.T, text string) bool {
	t.Helper()
	in := inputsOf([]byte(text))
	if in.all {
		return false
	}
	inputs := map[string]string{"a": `{"x":["1","2"],"b":"z"}`, "b": "two", "c": "a", "x": "b"}
	want, err := execute(text, inputs)
	if err != nil {
		return false
	}
	unnamed := false
	for name := range inputs {
		if in.needs(name) {
			continue
		}
		unnamed = true
		changed := maps.Clone(inputs)
		changed[name] = "changed"
		without := maps.Clone(inputs)
		delete(without, name)
		for _, other := range []map[string]string{changed, without} {
			if got, err := execute(text, other); err != nil || got != want {
				t.Fatalf("%s does not name %s, and is %q with it and %q, %v without", text, name, want, got, err)
			}
		}
	}
	return unnamed
}

// pieces are what random templates are put together from; T is another one.
var pieces = []string{
	"{{ .a }}", "{{ .b | quote }}", "{{ $.c }}", "text", "{{ index . \"a\" }}", "{{ index $ \"b\" | upper }}",
	"{{ . | toString }}", "{{ $ | toJson }}", "{{ len . }}", "{{ printf \"%v\" . }}", "{{ printf \"%s %s\" .a $.b }}",
	"{{ $v := .a }}T{{ $v }}", "{{ $v := . }}T{{ $v }}", "{{ $v := fromJson .a }}T{{ $v.b }}",
	"{{ if .a }}T{{ end }}", "{{ if eq .a \"x\" }}T{{ else if .b }}T{{ else }}T{{ end }}", "{{ if . }}T{{ end }}",
	"{{ with .a }}T{{ end }}", "{{ with . }}T{{ end }}", "{{ with .c }}T{{ else }}T{{ end }}", "{{ with $ }}T{{ end }}",
	"{{ with fromJson .a }}T{{ .b }}T{{ end }}",
	"{{ with fromJson .a }}{{ with .x }}T{{ . }}{{ end }}{{ end }}",
	"{{ range (fromJson .a).x }}T{{ . }}{{ else }}T{{ end }}", "{{ range $k, $v := . }}{{ $k }}T{{ end }}",
	"{{ range . }}T{{ . }}{{ end }}", "{{ range $k, $v := fromJson .a }}{{ $v }}T{{ end }}",
	"{{ with \"\" }}T{{ else with .b }}T{{ . }}{{ end }}",
	"{{ define \"t\" }}{{ . }}{{ end }}T", "{{ index . .c }}", "{{ (index . \"a\") }}", "{{ index (fromJson .a) \"b\" }}",
	"{{ list .a . | join \",\" }}", "{{ dict \"k\" .b | toJson }}", "{{ dict \"k\" $ | toJson }}", "{{ coalesce .a .b }}",
	"{{ ternary .a .b (eq .c \"a\") }}", "{{ \"a\" | index . }}", "{{ .c | index . }}", "{{ (.).a }}", "{{ tpl }}",
}

func TestAnInputThatATemplateDoesNotNameDoesNotMoveIt(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var random func(depth int) string
	random = func(depth int) string {
		if depth == 0 {
			return ""
		}
		var out strings.Builder
		for range 1 + r.IntN(3) {
			piece := pieces[r.IntN(len(pieces))]
			for strings.Contains(piece, "T") {
				piece = strings.Replace(piece, "T", random(depth-1), 1)
			}
			out.WriteString(piece)
		}
		return out.String()
	}
	checked := 0
	for range 5000 {
		if checkInputs(t, random(3)) {
			checked++
		}
	}
	if checked < 300 {
		t.Errorf("only %d templates of 5000 name some inputs and not all: nothing is proven", checked)
	}
}

func FuzzAnInputThatATemplateDoesNotNameDoesNotMoveIt(f *testing.F) {
	for _, piece := range pieces {
		f.Add(strings.ReplaceAll(piece, "T", "{{ .b }}"))
	}
	f.Fuzz(func(t *testing.T, text string) { checkInputs(t, text) })
}

func TestATemplateNamesItsInputs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "{{ now }}": "", "{{ .a }}{{ .b }}": "a b", "{{ with .a }}{{ .b }}{{ $.c }}{{ end }}": "a c",
		"{{ . }}": "all", "{{ $x := $ }}": "all", "{{ .a": "all", "{{ template \"x\" .a }}": "all",
		"{{ index . \"a-b\" }}": "a-b", "{{ unknownFunction .a }}": "a",
	} {
		in := inputsOf([]byte(text))
		got := strings.Join(slices.Sorted(maps.Keys(in.names)), " ")
		if in.all {
			got = "all"
		}
		if got != want {
			t.Errorf("%s names %q, want %q", text, got, want)
		}
	}
}
