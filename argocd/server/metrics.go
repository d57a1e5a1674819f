package server

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
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
	waits             map[[2]string]*histogram // for a turn, by call and result
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
