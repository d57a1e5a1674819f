package helm

import (
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
)

func TestAKeyThatIsWrittenTwiceInValuesOfAnObjectIsInNoFile(t *testing.T) {
	v := valueReader{system: files.OrDisk(nil), version: config.Helm3}
	text := []byte("a: 1\nb: {c: 1, c: 2}\n")
	values := []render.Values{{Name: "values", Text: text}}
	if _, err := v.read(t.Context(), render.HelmOptions{Values: values}); err != nil {
		t.Fatal(err)
	}
	const want = `key "c" is written twice in line 2 of values`
	if len(v.found) != 1 || v.found[0].Message != want || v.found[0].File != "" {
		t.Errorf("got %+v, want %s", v.found, want)
	}
}
