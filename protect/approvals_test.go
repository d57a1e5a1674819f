package protect_test

import (
	"testing"

	"github.com/rollstamp/rollstamp/protect"
)

func TestALineApprovesOnceAndByItsWholeText(t *testing.T) {
	t.Parallel()
	older := "# log\nSecret/a/b\n"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"the same":             {older, nil},
		"another comment":      {older + "Secret/a/b # again\n", []string{"APPROVALS:3"}},
		"the same once more":   {older + "Secret/a/b\n", []string{"APPROVALS:3"}},
		"in another place":     {"Secret/a/b\n# log\n", nil},
		"blanks":               {"  \n\t\n# log\n\tSecret/a/b  \r\n", nil},
		"two on Windows":       {older + "Secret/a/c\r\nSecret/a/d\r\n", []string{"APPROVALS:3", "APPROVALS:4"}},
		"only comments":        {older + "# Secret/a/c\n", nil},
		"without a line's end": {older + "Secret/a/c", []string{"APPROVALS:3"}},
	} {
		var got []string
		for _, a := range protect.ParseFile("APPROVALS", []byte(older), []byte(c.text)) {
			got = append(got, a.String())
		}
		if len(got) != len(c.want) || len(got) > 0 && got[0] != c.want[0] {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestAnApprovalNamesOneObject(t *testing.T) {
	t.Parallel()
	object := protect.Object{Kind: "Secret", Namespace: "platform", Name: "blog"}
	for text, want := range map[string]bool{
		"Secret/platform/blog": true, "secret/platform/blog": true, "Secret/blog": false, "Secret/other/blog": false,
		"Secret/platform/*": false, "platform/blog": false, "": false, "Secret//blog": false, "Secret/platform/": false,
		"Secret/platform/blog/x": false, "Secret/platform/blog and all": false,
	} {
		got := protect.ParseMessage("c", "subject\n\nRollstamp-Approve: "+text+"\n\nSigned-off-by: x\n")
		if len(got) != 1 || got[0].IsFor(object) != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	if got := protect.ParseMessage("c", "We say Rollstamp-Approve: Secret/platform/blog in the middle\n"); got != nil {
		t.Errorf("in the middle of a line: %v", got)
	}
}
