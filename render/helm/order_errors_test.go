package helm

import (
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/render"
)

// Each row is a chart with several faults, of which the library finds another one first each time.
func TestTheSameFaultsAreReportedInTheSameWordsEachTime(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: v2\nversion: 1.0.0\nname: "
	for name, c := range map[string]struct {
		files map[string]string
		want  string // without the folder
	}{
		"values and schema": {map[string]string{
			"values.yaml":        "a: x\nb: 1\nc: 2\nd: 3\ne: {f: 1}\n",
			"values.schema.json": `{"additionalProperties":false,"properties":{"a":{"type":"integer"},"e":{"type":"string"}}}`},
			"/values.schema.json: values do not fit the schema: c: at /: additional properties 'b', 'c', 'd' not allowed; " +
				"c: at /a: got string, want integer; c: at /e: got object, want string"},
		"schema": {map[string]string{
			"values.schema.json": `{"type":5,"properties":{"a":3,"b":4}}`},
			"/values.schema.json: read schema: c: at /properties/a: got number, want boolean or object; " +
				"c: at /properties/b: got number, want boolean or object; c: at /type: got number, want array; " +
				"c: at /type: value must be one of"},
		"subcharts": {map[string]string{
			"charts/a/Chart.yaml": head + "a\n", "charts/a/values.yaml": "x: y\npassword: *CANARY\n",
			"charts/b/Chart.yaml": "x: [\n", "charts/d/Chart.yaml": "x: [\n"},
			"/charts/a/values.yaml:2: load chart: unknown anchor"},
	} {
		dir := writeChart(t, c.files)
		for range 20 {
			_, err := Engine{}.Render(t.Context(), render.Request{Path: dir})
			if err == nil || !strings.HasPrefix(err.Error(), dir+c.want) || strings.Contains(err.Error(), "CANARY") {
				t.Fatalf("%s: got %v, want %s", name, err, c.want)
			}
		}
	}
}
