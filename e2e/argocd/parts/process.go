// Package parts starts the real components of Argo CD, and ours in their place, as processes of their own, and speaks
// to them as Argo CD does.
package parts

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/spf13/cobra"

	"github.com/rollstamp/rollstamp/e2e/cluster/process"
)

// Command makes the command of one component, as the released argocd binary does under that component's name.
type Command func() *cobra.Command

// partVariable names the component that a re-executed test binary is to be.
const partVariable = "ROLLSTAMP_E2E_PART"

// Main is the body of TestMain: in a process that Start has started it runs that component, elsewhere the tests.
func Main(m *testing.M, components map[string]Command) {
	name := os.Getenv(partVariable)
	if name == "" {
		os.Exit(tests(m))
	}
	// What the component starts in turn must not take itself for the component.
	_ = os.Unsetenv(partVariable)
	component, known := components[name]
	if !known {
		fmt.Fprintf(os.Stderr, "this test binary holds no component %q\n", name)
		os.Exit(2)
	}
	command := component()
	command.SetArgs(os.Args[1:])
	if err := command.ExecuteContext(context.Background()); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// tests runs the tests in a temporary folder of their own: Argo CD's client leaves an empty one behind for each stream.
func tests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "e2e")
	if err == nil {
		err = os.Chmod(dir, 0o755) // one test works as another user
	}
	if err == nil {
		err = os.Setenv("TMPDIR", dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	defer os.RemoveAll(dir)
	return m.Run()
}

// Start runs a component of this test binary until the test ends. Its environment is env and nothing else.
func Start(t testing.TB, component string, env []string, args ...string) *process.Process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append([]string{partVariable + "=" + component}, env...)
	return process.Run(t, component, cmd)
}
