package helm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

func TestValuesWithoutAFileRenderAsThoseOfALastFile(t *testing.T) {
	t.Parallel()
	production := filepath.Join(charts, "shop/ci/production.yaml")
	for _, text := range []string{"replicas: 7\nglobal:\n  domain: x.example\n", `{"replicas":7,"order":{"limits":{"weight":1e3}}}`, "# nothing\n", "replicas: null\n"} {
		file := filepath.Join(t.TempDir(), "last.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		req := request("shop")
		req.Helm.ValuesFiles, req.Helm.Set = []string{production, file}, []string{"order.owner=set"}
		want := sameAsHelm(t, req)
		req.Helm.ValuesFiles, req.Helm.Values = []string{production}, []render.Values{{Name: "values", Text: []byte(text)}}
		if got := must(t, req); string(got.Text) != string(want.Text) {
			t.Errorf("%q: %s", text, firstDifference(got.Text, want.Text))
		}
	}
}

func TestMistakeInValuesWithoutAFileIsToldByTheirNameAndLine(t *testing.T) {
	t.Parallel()
	req := request("shop")
	req.Helm.Values = []render.Values{{Name: "valuesObject", Text: []byte("a: hunter2\n  b: hunter2\n")}}
	_, err := Engine{}.Render(t.Context(), req)
	if err == nil || !strings.HasPrefix(err.Error(), "valuesObject:2: parse values: ") || strings.Contains(err.Error(), "hunter2") || diag.ExitOf(err) != diag.ExitInput {
		t.Errorf("got %v", err)
	}
}

func TestDecodedValuesKeepTheirTypesAndAreNotChanged(t *testing.T) {
	t.Parallel()
	req := request("shop")
	req.Path = writeChart(t, map[string]string{
		"Chart.yaml":       "apiVersion: v2\nname: c\nversion: 1.0.0\n",
		"templates/a.yaml": "{{ $_ := set .Values.a \"late\" 1 }}a: {{ .Values.a.whole }}\nb: {{ .Values.a.decimal }}\n",
	})
	table := map[string]any{"a": map[string]any{"whole": int64(1000000), "decimal": float64(1000000)}}
	req.Helm.Values = []render.Values{{Name: "values", Table: table, Text: []byte("not: counted\n")}}
	for range 2 {
		if got := must(t, req); !strings.Contains(string(got.Text), "a: 1000000\nb: 1e+06\n") {
			t.Errorf("got %s", got.Text)
		}
	}
	if a := table["a"].(map[string]any); len(a) != 2 {
		t.Errorf("a template changed the values of the request: %v", a)
	}
}
