package rootfs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Inside is the first argument of the process that Run starts: main hands over to Enter where it sees that.
const Inside = "inside-namespaces"

// specFile is the file descriptor from which Enter reads what to run.
const specFile = 3

// devices are those of the machine that programs expect.
var devices = []string{"null", "zero", "random", "urandom"}

// Run starts a program of an unpacked image as its user, in namespaces of its own and with a root that cannot be
// written to, and waits for it. It ends when the caller does.
func Run(ctx context.Context, s Spec, in io.Reader, out, errs io.Writer) error {
	if err := s.prepare(); err != nil {
		return err
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	cmd := exec.CommandContext(ctx, "/proc/self/exe", Inside)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errs
	cmd.ExtraFiles = []*os.File{r}
	cmd.SysProcAttr = attributes(s)
	if err := cmd.Start(); err != nil {
		w.Close()
		return fmt.Errorf("start in a user namespace: %w", err)
	}
	_, err = w.Write(text)
	return errors.Join(err, w.Close(), cmd.Wait())
}

// attributes maps users so that the image's owners are seen where the caller is root; otherwise all files and the
// process are the caller's, whom the image knows as its user.
func attributes(s Spec) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC |
			syscall.CLONE_NEWUTS,
		Pdeathsig: syscall.SIGKILL,
	}
	if !s.Network {
		a.Cloneflags |= syscall.CLONE_NEWNET
	}
	if os.Geteuid() == 0 {
		both := []syscall.SysProcIDMap{
			{ContainerID: 0, HostID: 0, Size: 1}, {ContainerID: s.User, HostID: s.User, Size: 1},
		}
		a.UidMappings, a.GidMappings, a.GidMappingsEnableSetgroups = both, both, true
		return a
	}
	// What is not root loses its rights over the new namespaces with the next program, but for these.
	a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN}
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: s.User, HostID: os.Geteuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: s.User, HostID: os.Getegid(), Size: 1}}
	return a
}

// prepare makes the files and folders that are mounted over, as a container runtime does.
func (s Spec) prepare() error {
	root, err := os.OpenRoot(s.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	targets := []Mount{{To: "/proc"}}
	for _, d := range devices {
		targets = append(targets, Mount{From: "/dev/" + d, To: "/dev/" + d})
	}
	for _, m := range append(targets, s.Mounts...) {
		to := filepath.Clean(m.To)[1:]
		folder := m.From == ""
		if !folder {
			info, err := os.Stat(m.From)
			if err != nil {
				return err
			}
			folder = info.IsDir()
		}
		if folder {
			if err := root.MkdirAll(to, 0o755); err != nil {
				return err
			}
			continue
		}
		if err := root.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		f, err := root.OpenFile(to, os.O_CREATE|os.O_RDONLY, 0o644)
		if err != nil {
			return err
		}
		f.Close()
	}
	return nil
}

// Enter is the body of the process that Run starts: it mounts, leaves the machine's files behind, becomes the image's
// user and turns into the program. It returns only where that fails.
func Enter() error {
	runtime.LockOSThread() // the signal at the parent's end and the lack of new privileges are set for a thread alone
	var s Spec
	if err := json.NewDecoder(os.NewFile(specFile, "spec")).Decode(&s); err != nil {
		return fmt.Errorf("read what to run: %w", err)
	}
	unix.CloseOnExec(specFile)
	if err := s.mount(); err != nil {
		return err
	}
	if err := s.leave(); err != nil {
		return err
	}
	// A shell would look in PATH; programs of an image are named in full.
	return fmt.Errorf("start %s: %w", s.Args[0], syscall.Exec(s.Args[0], s.Args, s.Env))
}

func (s Spec) mount() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("keep mounts apart: %w", err)
	}
	if err := unix.Mount(s.Root, s.Root, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("mount %s: %w", s.Root, err)
	}
	for _, d := range devices {
		if err := bind(Mount{From: "/dev/" + d, To: s.Root + "/dev/" + d, Writable: true}); err != nil {
			return err
		}
	}
	if err := unix.Mount("proc", s.Root+"/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		// In a container that hides parts of it the kernel allows no whole one.
		fmt.Fprintln(os.Stderr, "no /proc:", err)
	}
	for _, m := range s.Mounts {
		m.To = s.Root + filepath.Clean(m.To)
		if err := bind(m); err != nil {
			return err
		}
	}
	return readOnly(s.Root)
}

func bind(m Mount) error {
	if m.From == "" {
		if err := unix.Mount("tmpfs", m.To, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777"); err != nil {
			return fmt.Errorf("mount memory on %s: %w", m.To, err)
		}
		return nil
	}
	if err := unix.Mount(m.From, m.To, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("mount %s on %s: %w", m.From, m.To, err)
	}
	if m.Writable {
		return nil
	}
	return readOnly(m.To)
}

// readOnly takes the right to write from a mount. The kernel wants to see the limits again that it has already.
func readOnly(path string) error {
	var stat unix.Statfs_t
	if err := unix.Statfs(path, &stat); err != nil {
		return err
	}
	keep := uintptr(stat.Flags) & (unix.MS_NODEV | unix.MS_NOEXEC | unix.MS_NOSUID | unix.MS_NOATIME | unix.MS_RELATIME)
	if err := unix.Mount("", path, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY|keep, ""); err != nil {
		return fmt.Errorf("make %s read-only: %w", path, err)
	}
	return nil
}

// leave makes the image the root, and drops what a container of the user would not have.
func (s Spec) leave() error {
	if err := errors.Join(unix.Chdir(s.Root), unix.PivotRoot(".", "."), unix.Unmount(".", unix.MNT_DETACH)); err != nil {
		return fmt.Errorf("change the root: %w", err)
	}
	if err := unix.Chdir(s.Dir); err != nil {
		return fmt.Errorf("change to %s: %w", s.Dir, err)
	}
	if os.Getuid() == 0 {
		err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(s.User), syscall.Setuid(s.User))
		if err != nil {
			return fmt.Errorf("become user %d: %w", s.User, err)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	// The kernel forgets at a change of users that the process is to end with its parent.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}
