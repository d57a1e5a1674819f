package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// showsWorkers looks at the metrics of a server after each kind of bomb, of which one may have been slow, and as many
// calls of another application.
func showsWorkers(t *testing.T, address string, isSlow bool) {
	t.Helper()
	version, _, _ := strings.Cut(strings.TrimPrefix(versions().String(), "rollstamp "), "\n")
	wanted := []string{
		`rollstamp_build_info{version="` + version + `"} 1`,
		`rollstamp_workers_ended_total{cause="stack overflow"} 3`, `rollstamp_workers_ended_total{cause="crashed"} 0`,
		`rollstamp_workers{state="busy"} 0`, `rollstamp_waits_seconds_count{call="GenerateManifest",result="ok"} 12`,
	}
	if !isSlow { // else one of these may have come to its time before its memory ended
		wanted = append(wanted, `rollstamp_workers_ended_total{cause="out of memory"} 2`,
			`rollstamp_workers_ended_total{cause="out of time"} 1`)
	}
	awaitMetrics(t, address, wanted...) // a loop is answered before its worker is ended
}

// awaitMetrics waits until the page has all of the lines.
func awaitMetrics(t *testing.T, address string, wanted ...string) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(20 * time.Second); ; {
		metrics := pageAt(t, address)
		missing := slices.DeleteFunc(slices.Clone(wanted), func(line string) bool {
			return strings.Contains(metrics, "\n"+line+"\n")
		})
		if len(missing) == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-end:
			t.Errorf("%q are not in the metrics:\n%s", missing, metrics)
			return
		}
	}
}

// awaitWorkers waits until the server has so many workers, and returns how long that took.
func awaitWorkers(t *testing.T, address string, wanted int) time.Duration {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	begun, end := time.Now(), time.After(20*time.Second)
	for {
		idle, busy := workersAt(t, address)
		if idle+busy >= wanted {
			return time.Since(begun)
		}
		select {
		case <-tick.C:
		case <-end:
			t.Errorf("%d workers wait and %d are busy, want %d", idle, busy, wanted)
			return time.Since(begun)
		}
	}
}

// workersAt returns how many workers wait and are busy, by the page.
func workersAt(t *testing.T, address string) (idle, busy int) {
	t.Helper()
	for line := range strings.Lines(pageAt(t, address)) {
		_, _ = fmt.Sscanf(line, `rollstamp_workers{state="idle"} %d`, &idle)
		_, _ = fmt.Sscanf(line, `rollstamp_workers{state="busy"} %d`, &busy)
	}
	return idle, busy
}

// freeAddress returns an address of this machine that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// pageAt returns a page.
func pageAt(t *testing.T, address string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
