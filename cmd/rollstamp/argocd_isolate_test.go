package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd/server/servetest"
)

// BenchmarkServe renders a small application that is never the same, and one that is, with what the server and its
// workers use of the processor.
func BenchmarkServe(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("the system does not say what a process has used")
	}
	for _, isolate := range []bool{false, true} {
		for _, cached := range []bool{false, true} {
			b.Run(fmt.Sprintf("isolate=%v/cached=%v", isolate, cached), func(b *testing.B) {
				s := soakFor(b, "--isolate="+strconv.FormatBool(isolate))
				call := 0
				render := func() {
					if call++; cached {
						call = 1
					}
					files := map[string]string{}
					for name, text := range servedApps["chart"].files {
						files["app/"+name] = text
					}
					files["app/values.yaml"] = fmt.Sprintf("greeting: hello %d\n", call)
					if _, _, err := s.render(b.Context(), "p", "web", servetest.Archive(b, files)); err != nil {
						b.Fatal(err)
					}
				}
				for range 10 {
					render()
				}
				before := s.ticks(b)
				b.ResetTimer()
				for range b.N {
					render()
				}
				b.StopTimer()
				const tick = 10 // milliseconds
				b.ReportMetric(float64(s.ticks(b)-before)*tick/float64(b.N), "cpu-ms/op")
			})
		}
	}
}

// ticks returns the time that the server and its workers have spent on processors.
func (s *soak) ticks(t testing.TB) (sum int) {
	t.Helper()
	for _, pid := range append(childrenOf(s.process.Process.Pid), s.process.Process.Pid) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue // a worker that has ended
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		for _, i := range []int{11, 12} { // of user and system
			n, err := strconv.Atoi(fields[i])
			if err != nil {
				t.Fatal(err)
			}
			sum += n
		}
	}
	return sum
}
