package helm

import (
	"reflect"
	"testing"
)

func TestValuesAreTheSameAfterAMessage(t *testing.T) {
	values := map[string]any{
		"null": nil, "yes": true, "no": false, "whole": int64(-1 << 62), "one": int64(1), "float": 1.0, "large": 1e300,
		"text": "\xff not UTF-8 \x00", "": "", "list": []any{nil, []any{}, map[string]any{"a": int64(0)}, "x", -0.5},
		"table": map[string]any{"deep": map[string]any{}},
	}
	message, err := appendValue(nil, values)
	if err != nil {
		t.Fatal(err)
	}
	got, rest, err := cutValue(append(message, "rest"...))
	if err != nil || string(rest) != "rest" || !reflect.DeepEqual(got, values) {
		t.Errorf("got %v, %q, %v", got, rest, err)
	}
	for n := range message {
		if _, _, err := cutValue(message[:n]); err == nil {
			t.Errorf("the first %d bytes of %d are a value", n, len(message))
		}
	}
	if _, err := appendValue(nil, []any{struct{}{}}); err == nil {
		t.Error("a value that no values file can hold was sent")
	}
}

func FuzzAnythingIsAValueOrAnError(f *testing.F) {
	for _, seed := range []string{"", "n", "m\x01\x01an", "l\xff\xff\xff\xff\x0f", "s\x05ab", "m\x80", "d1234567", "i\x80"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		v, _, err := cutValue(message)
		if err != nil {
			return
		}
		again, err := appendValue(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := cutValue(again); err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := decodeRequest(message); err == nil && len(message) < 8 {
			t.Fatal("it is a request, too")
		}
	})
}
