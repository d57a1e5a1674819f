package fake

import (
	"errors"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/sources"
)

const data = `[{"key": "a", "value": "old", "version": "v1"}, {"key": "a", "value": "before"}, {"key": "a", "value": "hunter2"}, {"key": "b", "value": "{\"x\": \"y\"}"}]`

func TestAFakeStoreReturnsItsValues(t *testing.T) {
	s, err := New(Options{data, true})
	if err != nil {
		t.Fatal(err)
	}
	for want, ref := range map[string]sources.Ref{
		"hunter2": {Key: "a"}, "old": {Key: "a", Version: "v1"}, "y": {Key: "b", Property: "x"}, `{"b":"{\"x\": \"y\"}"}`: {Find: &sources.Find{Name: "^b"}}, `{"a":"old"}`: {Find: &sources.Find{Name: "^a"}},
	} {
		if got, err := s.Version(t.Context(), ref); err != nil || string(got.Value.Reveal()) != want {
			t.Errorf("%+v: got %s, %v", ref, got.Value.Reveal(), err)
		}
	}
}

func TestAFakeStoreRefusesWithoutItsWords(t *testing.T) {
	closed, err := New(Options{Data: data})
	if err != nil {
		t.Fatal(err)
	}
	open, err := New(Options{data, true})
	if err != nil {
		t.Fatal(err)
	}
	class := func(err error) sources.Class {
		var f *sources.Failure
		if !errors.As(err, &f) || strings.Contains(f.Error(), "hunter2") {
			t.Errorf("got %v", err)
			return ""
		}
		return f.Class
	}
	if _, err := closed.Version(t.Context(), sources.Ref{Key: "a"}); class(err) != sources.NoVersions {
		t.Errorf("got %v", err)
	}
	if _, err := open.Version(t.Context(), sources.Ref{Key: "c"}); class(err) != sources.NotFound {
		t.Errorf("got %v", err)
	}
	if _, err := New(Options{`{"hunter2": `, true}); class(err) != sources.Malformed {
		t.Errorf("got %v", err)
	}
}
