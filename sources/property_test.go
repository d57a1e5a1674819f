package sources

import "testing"

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
		if _, err := Property([]byte(value), property); Reason(err).Class != NotFound {
			t.Errorf("%q: %v", property, err)
		}
	}
	for _, plain := range []string{"hunter2", "", "{", `{} {}`} {
		if got, err := Property([]byte(plain), ""); err != nil || string(got.Reveal()) != plain {
			t.Errorf("%q: got %q, %v", plain, got.Reveal(), err)
		}
		if _, err := Property([]byte(plain), "p"); Reason(err).Class != NotFound {
			t.Errorf("a property of %q: %v", plain, err)
		}
	}
}
