package substitute_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/flux/substitute"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
)

func vars(pairs ...string) map[string]substitute.Var {
	out := map[string]substitute.Var{}
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		out[name] = substitute.Var{Value: value}
	}
	return out
}

func configMap(value string) string {
	return "apiVersion: v1\ndata:\n  k: " + value + "\nkind: ConfigMap\nmetadata:\n  name: c\n"
}

func run(t *testing.T, text string, values map[string]substitute.Var, o substitute.Options) (*render.Output, error) {
	t.Helper()
	before := &render.Output{Kind: render.KindKustomize, Text: []byte(text)}
	out, err := substitute.Variables(values, o)(t.Context(), before)
	if string(before.Text) != text {
		t.Error("the output that it got was changed")
	}
	return out, err
}

func TestVariablesAreReplacedAsTheControllerDoes(t *testing.T) {
	values := vars("V=value", "F=file.txt", "N=5432", "B=true", "L=a\nb", "M={x: 1}", "E=")
	for text, want := range map[string]string{
		"${V}":                  "value",
		"x-${V}-y":              "x-value-y",
		"${NO:=d}":              "d",
		"${NO:-d}":              "d",
		"${E:=d}":               "d",
		"${V:0:2}":              "va",
		"${V/a/b}":              "vblue",
		"${V^^}":                "VALUE",
		"${V,,}":                "value",
		"${F%.txt}":             "file",
		"${#V}":                 "5",
		"$${V}":                 "${V}",
		"$V":                    "$V",
		"a$$b":                  "a$b",
		"${N}":                  "5432",
		"'${N}'":                `'5432'`,
		"${B}":                  "true",
		"${L}":                  "ab",
		"${M}":                  "\n    x: 1",
		"${NO:=1234567}":        "1234567",
		"plain":                 "plain",
		"${NO:=a}-${V:=${F}}-$": "a-value-$",
	} {
		out, err := run(t, configMap(text), values, substitute.Options{Strict: true})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := strings.TrimSuffix(strings.TrimPrefix(string(out.Text), "apiVersion: v1\ndata:\n  k:"), "\nkind: ConfigMap\nmetadata:\n  name: c\n")
		if strings.TrimPrefix(got, " ") != want {
			t.Errorf("%s became %q, want %q", text, got, want)
		}
	}
}

func TestErrorsAreInTheControllersWordsWithTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"${#a[@]}":        "bad substitution",
		"${a[0]}":         "missing closing brace",
		"${a.b}":          "missing closing brace",
		"${a-b}":          "missing closing brace",
		"${a":             "missing closing brace",
		"${ A }":          "unable to parse variable name",
		"${{ x }}":        "unable to parse variable name",
		"${.Values.x}":    "unable to parse variable name",
		"${NO}":           `variable not set (strict mode): "NO"`,
		"${NO^^}":         `variable not set (strict mode): "NO"`,
		"a ${V} ${V} ${a": "missing closing brace",
	} {
		_, err := run(t, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: before\n---\n"+configMap("'"+text+"'"), vars("V=v"), substitute.Options{Strict: true})
		var e *diag.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", text, err)
			continue
		}
		full := "post build failed for 'ConfigMap.v1.[noGrp]/c': envsubst error: variable substitution failed: " + want
		if e.Err.Error() != full || e.Pos.Line != 8 || e.Object != "ConfigMap c" ||
			!strings.HasSuffix(e.Hint, " It stands in data.k.") || e.Exit != diag.ExitInput {
			t.Errorf("%s: %v at line %d, hint %q", text, err, e.Pos.Line, e.Hint)
		}
	}
}

func TestNamesOfVariablesAreChecked(t *testing.T) {
	_, err := run(t, configMap("x"), vars("a-b=1", "a.b=1", "ok=1"), substitute.Options{})
	if err == nil || !strings.HasSuffix(err.Error(), "envsubst error: 'a-b' var name is invalid, must match '^[_[:alpha:]][_[:alpha:][:digit:]]*$'") {
		t.Error(err)
	}
}

func TestWithoutVariablesNothingIsSubstitutedUnlessAlways(t *testing.T) {
	text := configMap("${NO:=d}")
	if out, err := run(t, text, nil, substitute.Options{}); err != nil || string(out.Text) != text {
		t.Errorf("%s, %v", out.Text, err)
	}
	if out, err := run(t, text, nil, substitute.Options{Always: true}); err != nil || string(out.Text) != configMap("d") {
		t.Errorf("%s, %v", out.Text, err)
	}
	if _, err := run(t, configMap("${NO}"), nil, substitute.Options{Always: true, Strict: true}); err == nil {
		t.Error("a missing variable is accepted")
	}
	if out, err := run(t, configMap("${NO}"), nil, substitute.Options{Always: true}); err != nil || string(out.Text) != configMap("null") {
		t.Errorf("%s, %v", out.Text, err)
	}
}

func TestADisabledObjectIsLeft(t *testing.T) {
	for _, where := range []string{"labels", "annotations"} {
		text := configMap("${ no }") + "  " + where + ":\n    kustomize.toolkit.fluxcd.io/substitute: disabled\n"
		if out, err := run(t, text, vars("V=v", "ok=1"), substitute.Options{Strict: true}); err != nil || string(out.Text) != text {
			t.Errorf("%s: %v, %v", where, out, err)
		}
	}
	text := configMap("${ no }") + "  labels:\n    kustomize.toolkit.fluxcd.io/substitute: Disabled\n"
	if _, err := run(t, text, vars("V=v"), substitute.Options{}); err == nil {
		t.Error("another value disables")
	}
}

func TestDataOfASecretIsNeverSubstituted(t *testing.T) {
	text := "apiVersion: v1\ndata:\n  a: JHtWfQ==\nkind: Secret\nmetadata:\n  name: s\nstringData:\n  b: ${V}\n"
	out, err := run(t, text, vars("V=v"), substitute.Options{})
	if err != nil || string(out.Text) != strings.Replace(text, "${V}", "v", 1) {
		t.Errorf("%s, %v", out.Text, err)
	}
}

func TestOtherDocumentsKeepTheirBytesAndOriginsMove(t *testing.T) {
	plain := "apiVersion: v1\nkind: A # written by hand\nmetadata: {name: a}\n"
	text := configMap("'${V}'") + "---\n" + plain + "---\n" + configMap("${V}")
	out := &render.Output{Text: []byte(text), SecondRender: []byte(text), Origins: []render.Origin{
		{Offset: 0, File: "c.yaml"}, {Offset: strings.Index(text, "---"), File: "a.yaml"}}}
	got, err := substitute.Variables(vars("V=a long value"), substitute.Options{})(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	want := configMap("'a long value'") + "---\n" + plain + "---\n" + configMap("a long value")
	if string(got.Text) != want || string(got.SecondRender) != want {
		t.Errorf("got %s", got.Text)
	}
	if o := got.Origins[1]; o.Offset != strings.Index(want, "---") {
		t.Errorf("the origin is at %d", o.Offset)
	}
	if got.Rendered() != out {
		t.Error("what the engine rendered is gone")
	}
}

func TestTwoObjectsOfOneNameAreAnError(t *testing.T) {
	text := strings.Replace(configMap("x"), "name: c", "name: ${A}", 1) + "---\n" + strings.Replace(configMap("x"), "name: c", "name: ${B}", 1)
	if _, err := run(t, text, vars("A=x", "B=y"), substitute.Options{}); err != nil {
		t.Error(err)
	}
	_, err := run(t, text, vars("A=x", "B=x"), substitute.Options{})
	if err == nil || !strings.HasSuffix(err.Error(), "in Replace: id matched 2 resources") {
		t.Error(err)
	}
}

func TestWhatIsMissingCanBeKept(t *testing.T) {
	keep := substitute.Options{KeepMissing: true, Strict: true}
	for text, want := range map[string]string{
		"${V}-${NO}":          "v-${NO}",
		"${NO:=d} ${V} ${NO}": "d v ${NO}",
		"${NO} ${#NO} $${NO}": "${NO} ${#NO} ${NO}",
		"${NO} $${V}":         "${NO} ${V}",
		"${E:=${NO}} ${V}":    "${E:=${NO}} ${V}", // what the other variable is depends on it
		"${NOT}${NO}${NO^^}":  "${NOT}${NO}${NO^^}",
	} {
		out, err := run(t, configMap(text), vars("V=v", "E="), keep)
		if err != nil || string(out.Text) != configMap(want) {
			t.Errorf("%s became %s, %v", text, out.Text, err)
			continue
		}
		if f := out.Findings; len(f) != 1 || f[0].Code != diag.MissingVariable || f[0].Line != 3 || f[0].Object != "ConfigMap c" {
			t.Errorf("%s: %v", text, f)
		}
	}
	for text, want := range map[string]string{"${V}": "v", "${NO:-d}": "d", "${NO:=${V}}": "v"} {
		out, err := run(t, configMap(text), vars("V=v"), keep)
		if err != nil || len(out.Findings) != 0 || string(out.Text) != configMap(want) {
			t.Errorf("%s: %v, %v", text, out, err)
		}
	}
	values := map[string]substitute.Var{"S": {Value: "canary", Secrecy: redact.HoldsSecret}}
	out, err := run(t, configMap("${S}\n  open: ${NO}"), values, keep)
	if err != nil || len(out.Hidden) != 1 || len(out.Hidden[0].Places) != 1 {
		t.Errorf("%v, %v", out, err)
	}
}

func TestValuesUnderNamesOfSecretsAreHiddenWhereTheyLand(t *testing.T) {
	values := vars("V=open")
	values["DB_PASSWORD"], values["DB_PASSWORD_FILE"] = substitute.Var{Value: "canary"}, substitute.Var{Value: "open"}
	values["S"] = substitute.Var{Value: "other", Secrecy: redact.HoldsSecret}
	text := configMap("${DB_PASSWORD}\n  b: x ${DB_PASSWORD^^}\n  c: ${DB_PASSWORD_FILE} ${V}\n  s: ${S}")
	out, err := run(t, text, values, substitute.Options{})
	if err != nil || len(out.Hidden) != 2 {
		t.Fatal(out, err)
	}
	for _, h := range out.Hidden {
		if want := map[bool]int{true: 2, false: 1}[h.InClear]; len(h.Places) != want {
			t.Errorf("in clear %v: %v", h.InClear, h.Places)
		}
	}
	if in := out.Embedded(0, len(out.Text)); len(in.Paths) != 1 || fmt.Sprint(in.Paths[0]) != "[data s]" {
		t.Errorf("a digest needs a key for %v", in.Paths)
	}
	if shown := out.Secrets().In("canary other"); shown != "canary [redacted]" {
		t.Error(shown)
	}
}

func TestPlacesOfSecretValuesAreKnown(t *testing.T) {
	text := "apiVersion: v1\ndata:\n  both: a ${S} b ${V}\n  plain: ${V}\n  upper: ${S^^}\n  whole: ${S}\n  number: ${N}\n  ${S}: x\nkind: ConfigMap\nmetadata:\n  name: c\n"
	values := vars("V=open")
	values["S"], values["N"] = substitute.Var{Value: "canary", Secrecy: redact.HoldsSecret}, substitute.Var{Value: "1", Secrecy: redact.HoldsSecret}
	out, err := run(t, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n---\n"+text, values, substitute.Options{})
	if err != nil || len(out.Hidden) != 1 {
		t.Fatal(out, err)
	}
	h := out.Hidden[0]
	got := map[string]bool{}
	for _, p := range h.Places {
		got[fmt.Sprint(p.Path, p.Key, p.Whole)] = true
	}
	for _, want := range []string{"[data both] false false", "[data upper] false false", "[data whole] false false",
		"[data number] false true", "[data canary] true true"} {
		if !got[strings.Replace(want, "] ", "]", 1)] && !got[want] {
			t.Errorf("%s is not hidden: %v", want, got)
		}
	}
	if got["[data plain] false false"] {
		t.Error("what holds no secret is hidden")
	}
	if shown := out.Secrets().In("a canary in 1 text"); shown != "a [redacted] in 1 text" {
		t.Error(shown)
	}
	if shown := fmt.Sprintf("%v %+v %#v %s %d", values, values, values, values["S"], values["S"]); strings.Contains(shown, "canary") {
		t.Error(shown)
	}
}

func TestErrorsQuoteNoSecretValue(t *testing.T) {
	values := map[string]substitute.Var{"S": {Value: "canary: {", Secrecy: redact.HoldsSecret}, "T": {Value: "x", Secrecy: redact.HoldsSecret}}
	for _, text := range []string{"${S}", "x: ${S}", "*${S}", "${T} ${ no }", "${S} ${NO}"} {
		_, err := run(t, configMap(text), values, substitute.Options{Strict: true})
		if err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
