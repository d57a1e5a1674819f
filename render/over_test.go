package render_test

import (
	"reflect"
	"testing"

	"github.com/rollstamp/rollstamp/render"
)

// fill sets every field of a struct.
func fill(t *testing.T, v reflect.Value, text string) {
	t.Helper()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString(text)
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int:
			f.SetInt(4)
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
			if f.Type().Elem().Kind() == reflect.String {
				f.Index(0).SetString(text)
			}
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
		default:
			t.Fatalf("no value for %s", v.Type().Field(i).Name)
		}
	}
}

func TestNoOptionIsLostOverABase(t *testing.T) {
	var helm render.HelmOptions
	fill(t, reflect.ValueOf(&helm).Elem(), "a")
	if got := helm.Over(render.HelmOptions{}); !reflect.DeepEqual(got, helm) {
		t.Errorf("the user's: %+v", got)
	}
	if got := (render.HelmOptions{}).Over(helm); !reflect.DeepEqual(got, helm) {
		t.Errorf("the base's: %+v", got)
	}
	var kustomize render.KustomizeOptions
	fill(t, reflect.ValueOf(&kustomize).Elem(), "a")
	if got := kustomize.Over(render.KustomizeOptions{}); !reflect.DeepEqual(got, kustomize) {
		t.Errorf("the user's: %+v", got)
	}
	if got := (render.KustomizeOptions{}).Over(kustomize); !reflect.DeepEqual(got, kustomize) {
		t.Errorf("the base's: %+v", got)
	}
}

func TestTheUsersOptionsCountBeforeTheBase(t *testing.T) {
	base := render.HelmOptions{ReleaseName: "base", ValuesFiles: []string{"base"}, KubeVersion: "1.30",
		APIVersions: []string{"base/v1"}}
	got := render.HelmOptions{NameTemplate: "mine", ValuesFiles: []string{"mine"}, KubeVersion: "1.31",
		APIVersions: []string{"mine/v1"}}.Over(base)
	want := render.HelmOptions{NameTemplate: "mine", ValuesFiles: []string{"base", "mine"}, KubeVersion: "1.31",
		APIVersions: []string{"mine/v1"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
