package files_test

import (
	"reflect"
	"testing"

	"github.com/rollstamp/rollstamp/files"
)

func TestQuestionsAreReadAsTheyWereWrittenAndAskedAgain(t *testing.T) {
	tree := memory(t, map[string]string{"a/one": "1", "a/two": "2"})
	recorder := files.NewRecorder(tree)
	for _, name := range []string{"/a/one", "/a/none", "/a/two"} {
		_, _ = recorder.ReadFile(top + name)
	}
	_, _ = recorder.ReadDir(top + "/a")
	record := recorder.Record()
	written := record.Questions().Append(nil)
	read, rest, err := files.ParseQuestions(append(written, "rest"...))
	if err != nil || string(rest) != "rest" || !reflect.DeepEqual(read, record.Questions()) {
		t.Fatalf("read %v, %q, %v", read, rest, err)
	}
	if read.Ask(tree) != record.Digest() {
		t.Error("the same tree answers otherwise")
	}
	other := memory(t, map[string]string{"a/one": "1", "a/two": "3"})
	if read.Ask(other) == record.Digest() {
		t.Error("another tree answers the same")
	}
}

func FuzzWhatAreNoQuestionsIsAnError(f *testing.F) {
	f.Add(files.Questions{{Method: files.Reading, Path: "/a/b"}, {Method: files.Listing, Path: "/a"}}.Append(nil))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, text []byte) {
		read, _, err := files.ParseQuestions(text)
		if err != nil {
			return
		}
		again, _, err := files.ParseQuestions(read.Append(nil))
		if err != nil || len(again) != len(read) || len(read) > 0 && !reflect.DeepEqual(again, read) {
			t.Errorf("%v is read as %v, %v", read, again, err)
		}
	})
}
