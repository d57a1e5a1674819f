package stamp

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/hashing"
)

// notBack are the stories whose text does not come back byte by byte when the stamps are taken out again, with the
// reason.
var notBack = map[string]string{
	"a document that is encoded again, behind a separator with a comment":           encodedAgain,
	"a document that is encoded again, before the end of a document":                encodedAgain,
	"a document that is encoded again, before the end of a document with a comment": encodedAgain,
	"a document that is encoded again, behind a tag":                                encodedAgain,
	"a document that is encoded again, behind directives":                           encodedAgain,
	"a document that is encoded again, with comments":                               encodedAgain,
	"a document that is encoded again, on the line of its separator":                encodedAgain,
	"a document that is encoded again, without a line end":                          encodedAgain,
	"a document that is encoded again, with CR LF":                                  encodedAgain,
	"a document that is encoded again, with CR LF and the end of a document":        encodedAgain,
	"a pool whose templates are encoded again in another order":                     encodedAgain,
	"a merge key brings the template":                                               encodedAgain,
	"a complex key":                                                                 encodedAgain,
	"a template behind an alias in another item":                                    encodedAgain,
	"metadata shared by an alias":                                                   encodedAgain,
	"metadata that is merged in":                                                    encodedAgain,
	"byte order marks of files that were put one behind the other":                  encodedAgain,
	"lone carriage returns":                                                         encodedAgain,
	"an anchor in place of annotations":                                             encodedAgain,
	"an alias to null in place of annotations":                                      encodedAgain,
	"a template whose annotations an alias shows elsewhere":                         encodedAgain,
	"no value over lines of flow":                                                   encodedAgain,
}

const encodedAgain = "the document was encoded again"

func TestUnstampGivesBackWhatWasStamped(t *testing.T) {
	t.Parallel()
	tried, stampedTexts := 0, 0
	for _, s := range stories(t) {
		if strings.Contains(s.in, hashing.DefaultPrefix) {
			continue
		}
		opts := s.options(t)
		p, err := planOf(t, []byte(s.in), opts)
		if err != nil {
			continue
		}
		tried++
		if p.HasChanges() {
			stampedTexts++
		}
		back, err := Unstamp(context.Background(), bytesOf(t, p), opts)
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		_, excepted := notBack[s.name]
		switch equal := string(back) == s.in; {
		case excepted && equal:
			t.Errorf("%s: comes back after all", s.name)
		case !excepted && !equal:
			t.Errorf("%s:\n%s\ncame back as\n%s", s.name, s.in, back)
		}
	}
	if tried < 80 || stampedTexts < 60 {
		t.Errorf("only %d of %d stories were stamped", stampedTexts, tried)
	}
}

func TestUnstampTwiceIsUnstampOnce(t *testing.T) {
	t.Parallel()
	for _, s := range stories(t) {
		opts := s.options(t)
		once, err := Unstamp(context.Background(), []byte(s.in), opts)
		if err != nil {
			continue
		}
		twice, err := Unstamp(context.Background(), once, opts)
		if err != nil || !bytes.Equal(once, twice) {
			t.Errorf("%s: %v\n%s\n%s", s.name, err, once, twice)
		}
	}
}

// What is empty before stamping goes with the stamps that are put into it, and only with them.
func TestUnstampTouchesNothingWhereNoStampIs(t *testing.T) {
	t.Parallel()
	for _, s := range stories(t) {
		if strings.Contains(s.in, hashing.DefaultPrefix) {
			continue
		}
		if _, err := planOf(t, []byte(s.in), s.options(t)); err != nil {
			continue // no YAML
		}
		if out, err := Unstamp(context.Background(), []byte(s.in), s.options(t)); err != nil ||
			!bytes.Equal(out, []byte(s.in)) {
			t.Errorf("%s: %v\n%s", s.name, err, out)
		}
	}
}
