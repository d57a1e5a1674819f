package stores

import (
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/sources"
)

func TestAPropertyIsAFieldOfAValue(t *testing.T) {
	const value = `{"b": 1.50, "a": {"x": "y", "list": [{"k": "v"}, "w"]}, "dotted.name": "d", "a.x": "nearer", "n": null, "big": 12345678901234567890}`
	for property, want := range map[string]string{
		"b": "1.50", "a.x": "nearer", "a.list.0.k": "v", "a.list.1": "w", "dotted.name": "d", "n": "null", "big": "12345678901234567890", "a": `{"list":[{"k":"v"},"w"],"x":"y"}`,
		"": `{"a":{"list":[{"k":"v"},"w"],"x":"y"},"a.x":"nearer","b":1.50,"big":12345678901234567890,"dotted.name":"d","n":null}`,
	} {
		got, err := Property([]byte(value), property)
		if err != nil || string(got.Reveal()) != want {
			t.Errorf("%q: got %s, %v", property, got.Reveal(), err)
		}
	}
	for _, property := range []string{"c", "a.y", "a.list.2", "a.list.x", "b.c", ".", "a."} {
		if _, err := Property([]byte(value), property); sources.Reason(err).Class != sources.NotFound {
			t.Errorf("%q: %v", property, err)
		}
	}
	for _, plain := range []string{"hunter2", "", "{", `{} {}`} {
		if got, err := Property([]byte(plain), ""); err != nil || string(got.Reveal()) != plain {
			t.Errorf("%q: got %q, %v", plain, got.Reveal(), err)
		}
		if _, err := Property([]byte(plain), "p"); sources.Reason(err).Class != sources.NotFound {
			t.Errorf("a property of %q: %v", plain, err)
		}
	}
}

func TestAPropertyIsAPathOfExternalSecrets(t *testing.T) {
	const value = `{"users": [{"name": "a", "key": "1"}, {"name": "b", "key": "2"}], "a": {"x.y": "dotted", "": "empty"}}`
	for property, want := range map[string]string{
		`users.#(name=="b").key`: "2", "users.#": "2", "users.#.key": `["1","2"]`, `a.x\.y`: "dotted", "a.": "empty",
		"users.1.@keys": `["name","key"]`, "us*.0.name": "a",
	} {
		if got, err := Property([]byte(value), property); err != nil || string(got.Reveal()) != want {
			t.Errorf("%q: got %s, %v", property, got.Reveal(), err)
		}
	}
	for _, property := range []string{"a.x.y", `users.#(name=="c").key`, "users.2", "users.first"} {
		if _, err := Property([]byte(value), property); sources.Reason(err).Class != sources.NotFound {
			t.Errorf("%q: %v", property, err)
		}
	}
}

func TestAPathDoesNotMultiplyAValue(t *testing.T) {
	for _, property := range []string{
		strings.Repeat("[..0,..0]|", 40) + "0", strings.Repeat("@tostr|", 40) + "@this", strings.Repeat("a.", 600),
		"[" + strings.Repeat("..0,", 40) + "..0]",
	} {
		if _, err := Property([]byte(`{"a": "b"}`), property); sources.Reason(err).Class != sources.Refused {
			t.Errorf("%.20s...: %v", property, err)
		}
	}
}

func FuzzAPropertyIsFoundOrNot(f *testing.F) {
	for _, property := range []string{"a.b", `#(a=="b").c`, "[a,b]", "{a,b}", "..#", "@this|@tostr", "a|b", `a\.b`, "*", "!1"} {
		f.Add(`{"a": {"b": [1, null, "x"]}}`, property)
	}
	f.Fuzz(func(t *testing.T, text, property string) {
		got, err := Property([]byte(text), property)
		if err != nil && len(got.Reveal()) > 0 {
			t.Errorf("a value and %v", err)
		}
		if most := (len(text) + len(property) + 64) << (maxDoubles + 3); len(got.Reveal()) > most {
			t.Errorf("%d bytes of %d", len(got.Reveal()), len(text))
		}
	})
}
