// Package registrytest starts registries for tests.
package registrytest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Debian starts Debian's docker-registry, the reference implementation, and returns its address. It ends with the test.
func Debian(t testing.TB) string {
	t.Helper()
	program, err := exec.LookPath("docker-registry")
	if err != nil {
		t.Skip("there is no docker-registry here: apt-get install docker-registry")
	}
	dir := t.TempDir()
	config := filepath.Join(dir, "config.yml")
	// Port 0: it reports the one that it got.
	text := fmt.Sprintf("version: 0.1\nlog: {level: info}\nstorage: {filesystem: {rootdirectory: %s}}\n"+
		"http: {addr: '127.0.0.1:0'}\n", filepath.Join(dir, "data"))
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "serve", config)
	output, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return listening(t, bufio.NewScanner(output))
}

// listening reads the log until it says where the server listens, and the rest concurrently.
func listening(t testing.TB, log *bufio.Scanner) string {
	t.Helper()
	at := regexp.MustCompile(`listening on ([0-9.]+:[0-9]+)`)
	var output strings.Builder
	for log.Scan() {
		output.WriteString(log.Text() + "\n")
		if m := at.FindStringSubmatch(log.Text()); m != nil {
			go func() {
				for log.Scan() {
				}
			}()
			return m[1]
		}
	}
	t.Fatalf("docker-registry ended:\n%s", output.String())
	return ""
}
