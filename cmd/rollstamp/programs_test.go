package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// suite is all tests, and what they share.
type suite struct{ *testing.M }

func TestMain(m *testing.M) {
	testscript.Main(suite{m}, map[string]func(){"rollstamp": main, "kubectl-rollstamp": main, "flux-rollstamp": main})
}

// Run runs the tests, and removes the programs that were built for them.
func (s suite) Run() int {
	defer func() { _ = os.RemoveAll(programsDir) }() // its name is known only after the tests
	return s.M.Run()
}

// programsDir is the folder of the programs; "" where no test has asked for them.
var programsDir string

// buildPrograms builds both programs as releases are built, once: to link them takes longer than most tests.
var buildPrograms = sync.OnceValue(func() error {
	dir, err := os.MkdirTemp("", "rollstamp-tests")
	if err != nil {
		return err
	}
	programsDir = dir
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", dir+"/", ".",
		"../rollstamp-stores")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
})

// programs returns the folder of rollstamp and rollstamp-stores.
func programs(t testing.TB) string {
	t.Helper()
	if err := buildPrograms(); err != nil {
		t.Fatal(err)
	}
	return programsDir
}

// storesProgram returns the path of the program that asks stores.
func storesProgram(t *testing.T) string {
	t.Helper()
	return filepath.Join(programs(t), "rollstamp-stores")
}
