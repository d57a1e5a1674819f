package files_test

import (
	"testing"

	"github.com/rollstamp/rollstamp/files"
)

// printed is a system with a fingerprint for all below /top/app and for /top/file.
type printed struct {
	files.System
	app, file string
}

func (p printed) Fingerprint(path string) (string, bool) {
	switch path {
	case top + "/app":
		return p.app, true
	case top + "/file":
		return p.file, false
	}
	return "", false
}

func (printed) IsClosed(string) bool { return true }

func TestOnlyQuestionsWithoutAFingerprintAreAsked(t *testing.T) {
	questions := files.Questions{
		{Method: files.Reading, Path: top + "/app/one"}, {Method: files.Describing, Path: "app"},
		{Method: files.Listing, Path: "app/below"}, {Method: files.DescribingLink, Path: top + "/app"},
		{Method: files.Reading, Path: top + "/file"},
		{Method: files.Reading, Path: top + "/app2"}, {Method: files.Reading, Path: "app/../secret"},
		{Method: files.Listing, Path: top + "/file"},
	}
	digest := func(p printed, answer byte) (d files.Digest, asked []files.Question) {
		t.Helper()
		d, ok := questions.Fingerprint(p, top+"/app", "app", func(q files.Question) files.Digest {
			asked = append(asked, q)
			return files.Digest{answer}
		})
		if !ok {
			t.Fatal("there is no fingerprint")
		}
		return d, asked
	}
	first, asked := digest(printed{nil, "a", "f"}, 1)
	if len(asked) != 3 || asked[0].Path != top+"/app2" || asked[1].Path != "app/../secret" || asked[2].Method != files.Listing {
		t.Errorf("asked are %v", asked)
	}
	if again, _ := digest(printed{nil, "a", "f"}, 1); again != first {
		t.Error("the same has another fingerprint")
	}
	for what, other := range map[string]printed{"the folder": {nil, "b", "f"}, "the file": {nil, "a", "g"}} {
		if d, _ := digest(other, 1); d == first {
			t.Errorf("%s changed, and the fingerprint did not", what)
		}
	}
	if d, _ := digest(printed{nil, "a", "f"}, 2); d == first {
		t.Error("an answer changed, and the fingerprint did not")
	}
	if _, ok := questions.Fingerprint(printed{nil, "", "f"}, top+"/app", "app", nil); ok {
		t.Error("without one of the folder there is a fingerprint")
	}
}
