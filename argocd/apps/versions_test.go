package apps

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd/versionstest"
)

// left are fields of newer versions on which no render depends.
var left = []string{
	"sourceHydrator.syncSource.repoURL", // where what was rendered is written to
}

func TestEachFieldOfApplicationsInNewerVersionsIsRead(t *testing.T) {
	known := append(paths("", reflect.TypeFor[Spec]()), left...)
	checked := 0
	for _, fact := range versionstest.Newer() {
		path, ok := strings.CutPrefix(fact.Text, "field Application ")
		if !ok {
			continue
		}
		checked++
		if !slices.ContainsFunc(known, func(k string) bool {
			return path == k || strings.HasPrefix(path, k+".") || strings.HasPrefix(path, k+"[]")
		}) {
			t.Errorf("%s has %s, which we neither read nor leave on purpose", fact.Version, path)
		}
	}
	if checked < 50 {
		t.Errorf("only %d fields are listed", checked)
	}
}

// paths lists the fields of a struct by their paths in JSON, down to those that hold no further ones.
func paths(path string, t reflect.Type) []string {
	switch {
	case t.Kind() == reflect.Pointer:
		return paths(path, t.Elem())
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		return paths(path+"[]", t.Elem())
	case t.Kind() != reflect.Struct:
		return []string{path}
	}
	var out []string
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			out = append(out, paths(path, field.Type)...)
		case name != "":
			out = append(out, paths(strings.TrimPrefix(path+"."+name, "."), field.Type)...)
		}
	}
	if len(out) == 0 {
		return []string{path}
	}
	return out
}
