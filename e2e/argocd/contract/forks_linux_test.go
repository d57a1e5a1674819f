package contract

import (
	"os/exec"
	"runtime"
	"syscall"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
)

func TestNoRenderStartsAnotherProcess(t *testing.T) {
	for name, tree := range map[string]string{"manifests": web, "a chart": chart, "a kustomization": "-- kustomization.yaml --\nresources: [settings.yaml, web.yaml]\n" + web} {
		t.Run(name, func(t *testing.T) {
			call := shop(folder.New(t, tree))
			cmd := exec.Command(process.Rollstamp(t), "argocd", "generate")
			cmd.Dir, cmd.Env = call.Repo, append(call.Environ(t), "HOME="+folder.Empty(t))
			if n := processesOf(t, cmd); n != 0 {
				t.Errorf("%d processes were started", n)
			}
		})
	}
}

func TestProcessesOfACommandAreSeen(t *testing.T) {
	if n := processesOf(t, exec.Command("sh", "-c", "/bin/true; /bin/true; :")); n != 2 {
		t.Errorf("saw %d processes, want 2", n)
	}
}

// The options and events of ptrace(2) that package syscall has no names for.
const (
	traceFork, traceVfork = 0x2, 0x4
	killWithTracer        = 0x100000
	eventFork, eventVfork = 1, 2
)

// processesOf runs a command under the eyes of the kernel, and counts the processes that it starts. Threads are not
// processes.
func processesOf(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	runtime.LockOSThread() // who traces is a thread
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		t.Fatalf("trace %s: %v", cmd.Path, err)
	}
	leader := cmd.Process.Pid
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(leader, &status, 0, nil); err != nil || !status.Stopped() {
		t.Fatalf("wait for the start: %v, %v", status, err)
	}
	if err := syscall.PtraceSetOptions(leader, traceFork|traceVfork|killWithTracer); err != nil {
		t.Fatal(err)
	}
	if err := syscall.PtraceCont(leader, 0); err != nil {
		t.Fatal(err)
	}
	started := 0
	for {
		pid, err := syscall.Wait4(-1, &status, syscall.WALL, nil)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			t.Fatalf("wait: %v", err)
		case pid == leader && (status.Exited() || status.Signaled()):
			if status.ExitStatus() != 0 {
				t.Fatalf("%s: %v", cmd.Path, status)
			}
			return started
		case !status.Stopped():
			continue
		}
		signal := int(status.StopSignal())
		switch cause := status.TrapCause(); {
		case cause == eventFork, cause == eventVfork:
			started++
			signal = 0
		case status.StopSignal() == syscall.SIGSTOP && pid != leader:
			signal = 0 // how a new process begins that is traced with its parent
		case status.StopSignal() == syscall.SIGTRAP:
			signal = 0
		}
		_ = syscall.PtraceCont(pid, signal)
	}
}
