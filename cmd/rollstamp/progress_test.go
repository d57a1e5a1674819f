package main

import (
	"bytes"
	"testing"
	"time"
)

func TestProgressSaysHowLongTheRestTakes(t *testing.T) {
	var out bytes.Buffer
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	line := progressLine{w: &out, now: func() time.Time { return now }}
	for done := 1; done <= 1000; done++ {
		line.show(done, 1000)
		now = now.Add(20 * time.Millisecond)
	}
	text := out.String()
	for _, want := range []string{"\rrendered 1 of 1000\x1b[K", "rendered 501 of 1000, about 10 s left", "about 1 s left"} {
		if !bytes.Contains(out.Bytes(), []byte(want)) {
			t.Errorf("no %q in %q", want, text)
		}
	}
	if n := bytes.Count(out.Bytes(), []byte("\r")); n != 201 {
		t.Errorf("written %d times in 20 seconds", n)
	}
	if !bytes.HasSuffix(out.Bytes(), []byte("\r\x1b[K")) {
		t.Errorf("the line stays: %q", text)
	}
	if got, want := line.estimate(100*time.Second, 101, 201), ", about 2 min left"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := line.estimate(time.Second, 101, 201); got != "" {
		t.Errorf("after a second, it is known: %q", got)
	}
	line.show(1, 1)
	if out.Len() != len(text) {
		t.Error("one alone has progress")
	}
}
