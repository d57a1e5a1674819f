package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/rollstamp/rollstamp/files"
)

// paths are those of layout, and others.
var paths = []string{
	".", "app", "app/values.yaml", "app/templates", "app/link.yaml", "app/folder/base.yaml", "app/loop", "app/broken",
	"app/out", "app/none", "app/values.yaml/x", "../beyond.yaml",
}

// TestARemoteAnswersAsItsSystem asks both for the same paths, of a tree and of the disk.
func TestARemoteAnswersAsItsSystem(t *testing.T) {
	root := onDisk(t)
	for name, system := range map[string]files.System{
		"disk": files.Disk{}, "tree": files.Mount{At: root, Tree: layout},
	} {
		seen := files.NewRecorder(system)
		asked := 0
		remote := files.NewRemote(func(question []byte) ([]byte, error) {
			asked++
			return files.ReplyTo(seen, question), nil
		}, nil)
		want := files.NewRecorder(system)
		for range 2 {
			for _, path := range paths {
				askBoth(t, want, remote, filepath.Join(root, path))
			}
		}
		if len(seen.Record()) != asked || len(want.Record()) != asked || !seen.Record().Holds(want) {
			t.Errorf("%s: %d questions were asked, %d recorded, %d expected", name, asked, len(seen.Record()),
				len(want.Record()))
		}
	}
}

// TestARemoteDoesNotAskWhatWasSentAhead answers from what was sent ahead, of a tree and of the disk.
func TestARemoteDoesNotAskWhatWasSentAhead(t *testing.T) {
	root := onDisk(t)
	for name, system := range map[string]files.System{
		"disk": files.Disk{}, "tree": files.Mount{At: root, Tree: layout},
	} {
		seen := files.NewRecorder(system)
		for _, path := range paths {
			askBoth(t, system, seen, filepath.Join(root, path))
		}
		likely := seen.Record().Questions()
		answered, ahead := files.AnswerAhead(system, likely, 1<<20)
		if !slices.Equal(answered, likely) {
			t.Errorf("%s: %d of %d questions were answered", name, len(answered), len(likely))
		}
		remote := files.NewRemote(func(question []byte) ([]byte, error) {
			t.Errorf("%s: it asks %q", name, question)
			return files.ReplyTo(system, question), nil
		}, ahead)
		if _, _ = remote.Stat(likely[2].Path); !slices.Equal(remote.Used(), []int{2}) {
			t.Errorf("%s: another answer was used than the one of %v", name, likely[2])
		}
		for range 2 {
			for _, path := range paths {
				askBoth(t, system, remote, filepath.Join(root, path))
			}
		}
		if used := remote.Used(); len(used) != len(likely)-1 || slices.Contains(used, 2) {
			t.Errorf("%s: %v of %d answers were used", name, used, len(likely))
		}
	}
}

func TestLittleIsSentAhead(t *testing.T) {
	tree := files.Mount{At: "/top", Tree: fstest.MapFS{"small": {Data: []byte("x")}, "large": {Data: make([]byte, 1000)}}}
	likely := files.Questions{{Method: files.Reading, Path: "/top/large"}, {Method: files.Reading, Path: "/top/small"},
		{Method: files.Describing, Path: "/top/large"}, {Method: files.Reading, Path: "/top/" + string(make([]byte, 1000))}}
	answered, ahead := files.AnswerAhead(tree, likely, 100)
	if !slices.Equal(answered, likely[1:3]) || len(ahead) > 100 {
		t.Errorf("%v were answered with %d bytes", answered, len(ahead))
	}
}

func askBoth(t *testing.T, system, remote files.System, path string) {
	t.Helper()
	type answers struct {
		text, real, names string
		infos             [3]string
		errs              [5]string
		kinds             [5]error
	}
	of := func(s files.System) (a answers) {
		errs := [5]error{}
		var b []byte
		b, errs[0] = s.ReadFile(path)
		a.text = string(b)
		a.real, errs[1] = s.Real(path)
		var info fs.FileInfo
		if info, errs[2] = s.Stat(path); errs[2] == nil {
			a.infos[0] = fs.FormatFileInfo(info)
		}
		if info, errs[3] = s.Lstat(path); errs[3] == nil {
			a.infos[1] = fs.FormatFileInfo(info)
		}
		var entries []fs.DirEntry
		entries, errs[4] = s.ReadDir(path)
		for _, e := range entries {
			a.names += fs.FormatDirEntry(e) + "\n"
		}
		for i, err := range errs {
			if err != nil {
				a.errs[i], a.kinds[i] = err.Error(), kind(err)
			}
		}
		return a
	}
	if want, got := of(system), of(remote); got != want {
		t.Errorf("%s: got\n%+v\nwant\n%+v", path, got, want)
	}
}

func TestARemoteThatCannotAskIsAnError(t *testing.T) {
	remote := files.NewRemote(func([]byte) ([]byte, error) { return nil, errors.New("gone") }, nil)
	if _, err := remote.ReadFile("a"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it read with %v", err)
	}
	entries := files.NewRemote(func(question []byte) ([]byte, error) {
		return files.ReplyTo(files.Mount{At: "/top", Tree: layout}, question), nil
	}, nil)
	all, err := entries.ReadDir("/top/app")
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	for _, e := range all {
		info, err := e.Info()
		if err != nil || info.Name() != e.Name() || info.Mode().Type() != e.Type() {
			t.Errorf("%s is described as %v, %v", e.Name(), info, err)
		}
	}
}

func TestNoReplyIsUnderstoodWrongly(t *testing.T) {
	for _, b := range [][]byte{nil, {}, {1}, {1, 2}, {0xff}, {1, 0xff, 0xff}, {0, 0xff, 0xff, 0xff}} {
		remote := files.NewRemote(func([]byte) ([]byte, error) { return b, nil }, b)
		_, _ = remote.ReadDir("a") // none of these panics
		_, _ = remote.Stat("a")
		_, _ = remote.ReadFile("b")
	}
	disk := files.NewRemote(func(q []byte) ([]byte, error) { return files.ReplyTo(files.Disk{}, q), nil }, nil)
	if _, err := disk.ReadFile(os.DevNull); !errors.Is(err, files.ErrIrregular) {
		t.Errorf("a device: %v", err)
	}
	if _, err := disk.ReadFile(t.TempDir()); !errors.Is(err, syscall.EISDIR) {
		t.Errorf("a folder: %v", err)
	}
	if reply := files.ReplyTo(files.Disk{}, nil); len(reply) == 0 {
		t.Error("no question has no reply")
	}
}
