package stamp

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/hashing"
)

// The prefix changes the keys of stamps and nothing else; and only a run that knows it takes them for stamps.
func TestAnotherPrefixChangesTheKeysOfStampsOnly(t *testing.T) {
	t.Parallel()
	const mine = "ops.example.com/"
	stamped := 0
	for _, s := range stories(t) {
		if strings.Contains(s.in, hashing.DefaultPrefix) {
			continue
		}
		opts := s.options(t)
		p, err := planOf(t, []byte(s.in), opts)
		if err != nil || !p.HasChanges() {
			continue
		}
		want := strings.ReplaceAll(string(bytesOf(t, p)), hashing.DefaultPrefix, mine)
		prefixed := withPrefix(opts, mine)
		again, err := planOf(t, []byte(s.in), prefixed)
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		got := bytesOf(t, again)
		if string(got) != want {
			t.Errorf("%s:\n%s\nwant\n%s", s.name, got, want)
			continue
		}
		stamped++
		twice, err := planOf(t, got, prefixed)
		if err != nil || !bytes.Equal(bytesOf(t, twice), got) {
			t.Errorf("%s: another time it becomes another text (%v)", s.name, err)
		}
		back, err := Unstamp(context.Background(), got, prefixed)
		if _, excepted := notBack[s.name]; err != nil || !excepted && string(back) != s.in {
			t.Errorf("%s:\n%s\ncame back as\n%s (%v)", s.name, s.in, back, err)
		}
		if back, err := Unstamp(context.Background(), got, opts); err != nil || !bytes.Contains(back, []byte(mine)) {
			t.Errorf("%s: stamps of a prefix that nobody names are gone (%v)", s.name, err)
		}
	}
	if stamped < 60 {
		t.Errorf("only %d stories were stamped", stamped)
	}
}

// A change of the prefix moves the stamps, whichever of the two is the default.
func TestStampsMoveToANewPrefix(t *testing.T) {
	t.Parallel()
	for _, s := range stories(t) {
		if strings.Contains(s.in, hashing.DefaultPrefix) {
			continue
		}
		opts := s.options(t)
		p, err := planOf(t, []byte(s.in), opts)
		if _, excepted := notBack[s.name]; err != nil || excepted || !p.HasChanges() {
			continue
		}
		const mine = "ops.example.com/"
		prefixed, before := withPrefix(opts, mine), bytesOf(t, p)
		moved, err := planOf(t, before, prefixed)
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		got := bytesOf(t, moved)
		stamps := bytes.Count(before, []byte(hashing.DefaultPrefix))
		if bytes.Contains(got, []byte(hashing.DefaultPrefix)) || bytes.Count(got, []byte(mine)) != stamps {
			t.Errorf("%s: not all of\n%s\nhas moved in\n%s", s.name, before, got)
		}
		if back, err := Unstamp(context.Background(), got, prefixed); err != nil || string(back) != s.in {
			t.Errorf("%s:\n%s\ncame back as\n%s (%v)", s.name, s.in, back, err)
		}
	}
}

func withPrefix(opts Options, prefix string) Options {
	settings := opts.settings().Clone()
	settings.AnnotationPrefix.Value = config.AnnotationPrefix(strings.TrimSuffix(prefix, "/"))
	opts.Settings = settings
	return opts
}
