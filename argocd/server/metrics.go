package server

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rollstamp/rollstamp/diag"
)

// metrics counts what the server does, in Prometheus's text format. docs/dependencies.md has what the client library
// would cost.
type metrics struct {
	received, sent    atomic.Int64 // bytes
	stamped, written  atomic.Int64 // workloads, manifests
	mu                sync.Mutex
	calls             map[[2]string]*histogram // by call and code
	renders           map[[2]string]*histogram // by kind and result
	answers, findings map[string]int64         // by how a call was answered; by code of the finding
}

// bounds are the upper limits of the buckets of durations, in seconds.
var bounds = [...]float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}

type histogram struct {
	buckets [len(bounds)]int64
	count   int64
	sum     float64
}

// observe adds a duration to the histogram of two labels' values.
func (m *metrics) observe(all *map[[2]string]*histogram, labels [2]string, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if *all == nil {
		*all = map[[2]string]*histogram{}
	}
	h := (*all)[labels]
	if h == nil {
		h = &histogram{}
		(*all)[labels] = h
	}
	h.count++
	h.sum += took.Seconds()
	for i, b := range bounds {
		if took.Seconds() <= b {
			h.buckets[i]++
		}
	}
}

func (m *metrics) add(all *map[string]int64, label string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if *all == nil {
		*all = map[string]int64{}
	}
	(*all)[label]++
}

// render counts one render that no cache spared.
func (m *metrics) render(kind string, took time.Duration, err error) {
	result := "ok"
	if err != nil {
		result = results[diag.ExitOf(err)]
	}
	m.observe(&m.renders, [2]string{kind, result}, took)
}

// results are the values of the label result.
var results = map[diag.Exit]string{
	diag.ExitFindings: "findings", diag.ExitUsage: "usage", diag.ExitInput: "input", diag.ExitSource: "source",
	diag.ExitInternal: "internal",
}

// answer counts the content of an answer.
func (m *metrics) answer(a *Answer) {
	m.stamped.Add(int64(a.Stamped))
	m.written.Add(int64(len(a.Documents)))
	for _, f := range a.Findings {
		m.add(&m.findings, string(f.Code))
	}
}

// WriteMetrics writes the metrics in Prometheus's text format, in the same order each time.
func (s *Server) WriteMetrics(w io.Writer) error {
	p := &page{w: bufio.NewWriter(w)}
	m := &s.metrics
	m.mu.Lock()
	p.histograms("rollstamp_calls_seconds", "Calls of the repository server.", [2]string{"call", "code"}, m.calls)
	p.histograms("rollstamp_renders_seconds", "Renders that no cache spared.", [2]string{"kind", "result"}, m.renders)
	p.counters("rollstamp_answers_total", "Answers, by how they were come by.", "how", m.answers)
	p.counters("rollstamp_findings_total", "Findings of renders, by code.", "code", m.findings)
	m.mu.Unlock()
	values, bytes := s.replies.size()
	waiting, working, stuck := s.turns.count()
	p.one("rollstamp_stamped_workloads_total", "counter", "Workloads that were stamped in renders.", m.stamped.Load())
	p.one("rollstamp_manifests_total", "counter", "Manifests that were rendered.", m.written.Load())
	p.one("rollstamp_received_bytes_total", "counter", "Bytes of archives, as sent.", m.received.Load())
	p.one("rollstamp_sent_bytes_total", "counter", "Bytes of answers.", m.sent.Load())
	p.one("rollstamp_queue", "gauge", "Calls that wait for their turn.", int64(waiting))
	p.one("rollstamp_running", "gauge", "Calls that are worked on.", int64(working))
	p.one("rollstamp_joined", "gauge", "Calls that wait for the render of an equal call.", int64(s.flights.joined()))
	p.one("rollstamp_stuck", "gauge", "Renders that go on although nobody waits for them.", int64(stuck))
	p.one("rollstamp_cache_entries", "gauge", "Answers that are kept.", int64(values))
	p.one("rollstamp_cache_bytes", "gauge", "Bytes of answers that are kept.", bytes)
	trees, treeBytes := s.treeCache.size()
	p.one("rollstamp_trees", "gauge", "Trees that are kept.", int64(trees))
	p.one("rollstamp_tree_bytes", "gauge", "Bytes of trees that are kept.", treeBytes)
	p.one("rollstamp_goroutines", "gauge", "Goroutines.", int64(runtime.NumGoroutine()))
	p.counters("rollstamp_build_info", "The version that runs.", "version", map[string]int64{s.opts.Version: 1})
	return p.w.Flush()
}

// page writes metrics. Its errors are those of Flush.
type page struct{ w *bufio.Writer }

func (p *page) head(name, kind, help string) {
	fmt.Fprintf(p.w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

func (p *page) one(name, kind, help string, value int64) {
	p.head(name, kind, help)
	fmt.Fprintf(p.w, "%s %d\n", name, value)
}

func (p *page) counters(name, help, label string, values map[string]int64) {
	kind := "counter"
	if !strings.HasSuffix(name, "_total") {
		kind = "gauge"
	}
	p.head(name, kind, help)
	for _, v := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(p.w, "%s{%s=%s} %d\n", name, label, quote(v), values[v])
	}
}

func (p *page) histograms(name, help string, labels [2]string, values map[[2]string]*histogram) {
	p.head(name, "histogram", help)
	order := slices.SortedFunc(maps.Keys(values), func(a, b [2]string) int {
		return cmp.Or(strings.Compare(a[0], b[0]), strings.Compare(a[1], b[1]))
	})
	for _, v := range order {
		h, set := values[v], fmt.Sprintf("%s=%s,%s=%s", labels[0], quote(v[0]), labels[1], quote(v[1]))
		for i, b := range bounds {
			fmt.Fprintf(p.w, "%s_bucket{%s,le=\"%s\"} %d\n", name, set, strconv.FormatFloat(b, 'g', -1, 64),
				h.buckets[i])
		}
		fmt.Fprintf(p.w, "%s_bucket{%s,le=\"+Inf\"} %d\n", name, set, h.count)
		fmt.Fprintf(p.w, "%s_sum{%s} %g\n%s_count{%s} %d\n", name, set, h.sum, name, set, h.count)
	}
}

// quote returns a label's value in quotes.
func quote(v string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(v) + `"`
}
