package lint

import (
	"strings"
	"testing"
)

// What gojq v0.12.19 says to del(EXPRESSION), of which hundreds of thousands were compared with what is said here.
func TestOnlyExpressionsThatDoNotCompileAreRefused(t *testing.T) {
	for _, text := range []string{
		".spec.replicas", ".", "..", "..|.a?", "..[0]", `..["a"]`, ".. .a", "...a", `."a"."b"`, ".a.[0]", `.a."b"`, ".[1:]",
		".a[-1:]", ".a[]?", ".a??", ".e0", ".1", "1.5e3.a", ".and", "{and:1}", "{if:1}", "{a:1,}", `{"a":1 | 2}`, "{(1):2}",
		`{"a"}`, ". as $x | {$x}", "$ENV.x", "env", ". as [$a] ?// $a | $a", ".a as {b:$c} | $c", "def f: 1; f",
		"def g(a; $b): a + $b + b; g(1; 2)", "label $x | .a | break $x", "1, label $x | break $x", "try .a catch .b", "try 1+2",
		"if . then . elif . then . end", "if . then . else . end.a", "reduce .[] as [$a,$b] (0; .+$a)", ".a|=3",
		"foreach .[] as $x (0;1)", "foreach .[] as $x (0;1;2)", `"x" as $x | "a\($x + "b\(.c)")"`, `@json "x\(.a)"`, "@x",
		`select(.a=="b")`, `with_entries(select(.key|startswith("a")))`, "[.[]|.a][0]", "-.a", "limit(1;.a)", ".a) | (.b",
		`.spec.template.spec.containers[] | select(.name == "x").resources.limits.cpu`, ". # why\n", "not",
		`.spec.volumes[]? | select(.name // "" | test("^a"; "i"))`, strings.Repeat("(", 2000) + "." + strings.Repeat(")", 2000),
	} {
		if err := checkJq(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for text, want := range map[string]string{
		".spec..annotations": `".." is unexpected`, "..annotations": `"annotations" is unexpected`,
		"$x": "there is no variable $x", "{$x}": "there is no variable $x", "$__loc__": "there is no variable $__loc__",
		"(1 as $x | 2), $x": "there is no variable $x", "foo(.spec)": "there is no function foo with so many arguments (1)",
		".a-b": "there is no function b without arguments", "input": "there is no function input without arguments",
		"a::b": "there is no function a::b without arguments", ".a b": `"b" is unexpected`, "": "it ends too early",
		".spec.template |": "it ends too early", "[.a": "it ends too early", ".a)": `")" is unexpected`, "def f: 1;": "it ends too early",
		".a #x": "it ends too early", ".a; .b": `";" is unexpected`, `"a`: "a quote is not closed", `"a\q"`: `"\\q" is unexpected in quotes`,
		"'a'": `"'" is unexpected`, ".a!": `"!" is unexpected`, "1.2.3": `"1.2." is no number`, "1a": `"1a" is no number`,
		"?": `"?" is unexpected`, ".a?//1": `"?//" is unexpected`, "and": `"and" is unexpected`, "{1:2}": `"1" is unexpected`,
		"{(.a)}": `"}" is unexpected`, "reduce .[] as $x (0)": `")" is unexpected`, "break $y": "there is no label $y",
		"length(.a)": "there is no function length with so many arguments (1)",
	} {
		if err := checkJq(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
