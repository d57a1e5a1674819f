package redact_test

import (
	"fmt"
	"testing"

	"github.com/rollstamp/rollstamp/redact"
)

func TestValuesAreHiddenInTexts(t *testing.T) {
	v := redact.NewValues("hunter2", "hunter2-longer", "a", "", "dev").And(redact.NewValues("äöü-canary"))
	for text, want := range map[string]string{
		"it is hunter2":       "it is [redacted]",
		"xhunter2 hunter22":   "xhunter2 hunter22", // a short value is no part of a word
		"xhunter2-longerx":    "x[redacted]x",
		"a dev":               "a dev",
		"no äöü-canary":       "no [redacted]",
		"":                    "",
		"hunter2/hunter2":     "[redacted]/[redacted]",
		"hunter2-longer-more": "[redacted]-more",
	} {
		if got := v.In(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
	if got := v.Replace("xhunter2a", func(s string) string { return fmt.Sprint(len(s)) }); got != "x71" {
		t.Error(got)
	}
	var none *redact.Values
	if none.In("a") != "a" || !none.IsEmpty() || none.And(v) != v || v.And(none) != v {
		t.Error("none is not none")
	}
}

func TestACopyShowsNoValue(t *testing.T) {
	type kind string
	type item struct {
		Name, File string
		Kind       kind
		Below      *item
		Any        any
		Map        map[string][]string
		own        string
	}
	of := []item{{Name: "x hunter2", File: "hunter2", Kind: "hunter2", own: "hunter2", Any: "hunter2",
		Below: &item{Name: "hunter2"}, Map: map[string][]string{"hunter2": {"hunter2", "y"}}}}
	got := redact.Copy(redact.NewValues("hunter2"), of, "File")
	one := got[0]
	if one.Name != "x [redacted]" || one.File != "hunter2" || one.Kind != "hunter2" || one.Any != redact.Mask ||
		one.Below.Name != redact.Mask || fmt.Sprint(one.Map) != "map[[redacted]:[[redacted] y]]" || one.own != "hunter2" {
		t.Errorf("%+v", got)
	}
	if of[0].Below.Name != "hunter2" || of[0].Map["hunter2"][0] != "hunter2" {
		t.Error("what was copied is changed")
	}
	if same := redact.Copy(nil, of); &same[0] != &of[0] {
		t.Error("copied without a reason")
	}
}
