package files_test

import (
	"archive/tar"
	"bytes"
	"maps"
	"testing"

	"github.com/rollstamp/rollstamp/files"
)

// top is where the trees are shown.
const top = "/tree"

// memory returns a tree in its place. A text that begins with "-> " is a link.
func memory(t *testing.T, contents map[string]string) files.System {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for name, text := range contents {
		h := tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(text))}
		if len(text) > 3 && text[:3] == "-> " {
			h = tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: text[3:]}
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			_, _ = w.Write([]byte(text))
		}
	}
	_ = w.Close()
	tree, err := files.Unpack(&b, files.Limits{Bytes: 1 << 20, Entries: 100})
	if err != nil {
		t.Fatal(err)
	}
	return files.Mount{At: top, Tree: tree}
}

func TestAnAnswerHoldsWhereTheTreeAnswersTheSame(t *testing.T) {
	at := func(path string) string { return top + "/" + path }
	before := map[string]string{"read": "text", "looked/at": "x", "listed/a": "x", "link": "-> looked", "beside": "x"}
	look := func(s files.System) {
		_, _ = s.ReadFile(at("read"))
		_, _ = s.ReadFile(at("absent"))
		_, _ = s.Stat(at("looked/at"))
		_, _ = s.Lstat(at("missing/too"))
		_, _ = s.ReadDir(at("listed"))
		_, _ = s.Real(at("link/at"))
	}
	for name, row := range map[string]struct {
		change map[string]string // "" takes a file away
		holds  bool
	}{
		"nothing":                            {nil, true},
		"a file that nobody looked at":       {map[string]string{"beside": "y"}, true},
		"a file more where nobody looked":    {map[string]string{"looked/more": "y"}, true},
		"another text in a listed file":      {map[string]string{"listed/a": "other text"}, true},
		"another text":                       {map[string]string{"read": "TEXT"}, false},
		"a file that was not there":          {map[string]string{"absent": "y"}, false},
		"a folder on the way to such a file": {map[string]string{"missing": "y"}, false},
		"a file less":                        {map[string]string{"read": ""}, false},
		"another size":                       {map[string]string{"looked/at": "xx"}, false},
		"a file more in a listed folder":     {map[string]string{"listed/b": "y"}, false},
		"a link that leads elsewhere":        {map[string]string{"link": "-> listed"}, false},
		"a link instead of a file":           {map[string]string{"listed/a": "-> ../read"}, false},
	} {
		after := maps.Clone(before)
		for file, text := range row.change {
			if after[file] = text; text == "" {
				delete(after, file)
			}
		}
		recorder := files.NewRecorder(memory(t, before))
		look(recorder)
		if got := recorder.Record().Holds(memory(t, after)); got != row.holds {
			t.Errorf("%s: the answer holds is %v", name, got)
		}
	}
}
