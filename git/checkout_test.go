package git_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/git"
)

// unsettled are files whose form in a work tree depends on what is said of them.
var unsettled = map[string]string{
	"unix.txt": "one\ntwo\n", "dos.txt": "one\r\ntwo\r\n", "mixed.txt": "one\r\ntwo\nthree", "zero.txt": "one\n\x00two\n",
	"bell.txt": strings.Repeat("\a\n", 99), "end.txt": "one\n\x1a", "empty.txt": "", "app/deep/unix.txt": "one\n",
	"id.txt": "$Id$ and $Id: old $ and $Id: a b $\n", "app/my file.txt": "ä\n", "unix.yaml": "a: 1\n",
}

// checkedOut commits the files with some attributes, and checks them out again by the real Git.
func checkedOut(t *testing.T, attributes string, settings ...string) string {
	t.Helper()
	dir := repository(t)
	for name, text := range unsettled {
		put(t, dir, name, text)
	}
	commit(t, dir, "as they are stored")
	if attributes != "" {
		put(t, dir, ".gitattributes", attributes)
		commit(t, dir, "attributes")
	}
	for i := 0; i < len(settings); i += 2 {
		stock(t, dir, "config", settings[i], settings[i+1])
	}
	for name := range unsettled {
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
	}
	stock(t, dir, "checkout", ".")
	return dir
}

// hasAll compares the files of a revision with those that Git checked out.
func hasAll(t *testing.T, dir string, tr *git.Tree) {
	t.Helper()
	for name := range unsettled {
		want, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		reads(t, tr, name, string(want))
	}
}

func TestFilesOfARevisionAreAsAttributesHaveThemCheckedOut(t *testing.T) {
	t.Parallel()
	for what, attributes := range map[string]string{
		"no attribute":                   "",
		"other attributes":               "*.txt diff=x -merge export-ignore\n",
		"CR LF":                          "*.txt text eol=crlf\n",
		"CR LF, not called text":         "*.txt eol=crlf\n",
		"CR LF for what looks like text": "* text=auto eol=crlf\n",
		"LF":                             "* text=auto eol=lf\n",
		"no text":                        "* eol=crlf\n*.txt -text\n",
		"binary":                         "* eol=crlf\n*.txt binary\n",
		"a macro":                        "[attr]dos text eol=crlf\n*.txt dos\n",
		"the last line counts":           "*.txt eol=lf\n*.txt eol=crlf\n",
		"taken back":                     "*.txt text eol=crlf\nunix.txt !eol !text\n",
		"the older name":                 "*.txt crlf eol=crlf\n*.yaml -crlf eol=crlf\n",
		"the older input":                "*.txt crlf=input eol=crlf\n",
		"a path":                         "app/deep/*.txt eol=crlf\n/unix.txt eol=crlf\n",
		"a path of any depth":            "app/**/*.txt eol=crlf\n**/unix.yaml eol=crlf\n",
		"all below":                      "app/** eol=crlf\n",
		"a folder":                       "app/ eol=crlf\n",
		"a name in quotes":               "\"app/my file.txt\" eol=crlf\n",
		"with comments":                  "# *.txt eol=crlf\n\n!*.txt eol=crlf\n\"\"\n\"\n/\n** \n= =\n- -\n",
		"keywords":                       "*.txt ident eol=crlf\n",
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dir := checkedOut(t, attributes)
			hasAll(t, dir, tree(t, open(t, dir), "HEAD"))
		})
	}
}

func TestFilesOfARevisionAreInTheEncodingOfAWorkTree(t *testing.T) {
	t.Parallel()
	for encoding, text := range map[string]string{
		"UTF-16LE-BOM": "\xff\xfea\x00\r\x00\n\x00", "utf-16be": "\x00a\x00\r\x00\n", "UTF-8": "a\r\n", "UTF-16LE": "=\xd8\x00\xde\r\x00\n\x00",
		"UTF-16": "\xff\xfea\x00\n\x00", "ISO-8859-1": "\xe4\n",
	} {
		dir := repository(t)
		attributes := "*.txt working-tree-encoding=" + encoding + "\n"
		if strings.Contains(text, "\r") {
			attributes = "*.txt eol=crlf working-tree-encoding=" + encoding + "\n"
		}
		put(t, dir, ".gitattributes", attributes)
		put(t, dir, "a.txt", text)
		commit(t, dir, "encoded")
		tr := tree(t, open(t, dir), "HEAD")
		if strings.Contains(text, "\r") {
			reads(t, tr, "a.txt", text)
			continue
		}
		var filtered *git.FilteredError
		if _, err := tr.ReadFile("a.txt"); !errors.As(err, &filtered) {
			t.Errorf("%s: %v", encoding, err)
		}
	}
}

func TestAFolderHasAttributesOfItsOwn(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	put(t, dir, ".gitattributes", "*.txt eol=crlf\n")
	put(t, dir, "app/.gitattributes", "*.txt eol=lf\ndeep/*.yaml eol=crlf\n[attr]dos eol=crlf\n*.cfg dos\n")
	for _, name := range []string{"a.txt", "app/a.txt", "app/deep/a.yaml", "deep/a.yaml", "app/a.cfg"} {
		put(t, dir, name, "one\n")
	}
	commit(t, dir, "two files of attributes")
	tr := tree(t, open(t, dir), "HEAD")
	reads(t, tr, "a.txt", "one\r\n")
	reads(t, tr, "app/a.txt", "one\n")
	reads(t, tr, "app/deep/a.yaml", "one\r\n")
	reads(t, tr, "deep/a.yaml", "one\n")
	reads(t, tr, "app/a.cfg", "one\n")
}

func TestSettingsOfThisMachineCountForItsWorkTreeAlone(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		attributes string
		settings   []string
	}{
		"a setting":                    {"", []string{"core.autocrlf", "true"}},
		"a setting, and attributes":    {"*.yaml -text\n*.txt text\n", []string{"core.autocrlf", "true"}},
		"the end of lines":             {"* text=auto\n", []string{"core.eol", "crlf"}},
		"the end of lines, with input": {"* text=auto\n", []string{"core.eol", "crlf", "core.autocrlf", "input"}},
		"a filter":                     {"*.txt filter=up\n", []string{"filter.up.smudge", "tr a-z A-Z", "filter.up.clean", "tr A-Z a-z"}},
		"a filter that nobody has":     {"*.txt filter=none\n", nil},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dir := checkedOut(t, c.attributes, c.settings...)
			long := time.Now().Add(time.Hour) // the index is not of the moment in which the files were written
			if err := os.Chtimes(filepath.Join(dir, ".git/index"), long, long); err != nil {
				t.Fatal(err)
			}
			r := open(t, dir)
			head := tree(t, r, "HEAD").InWorkTree()
			hasAll(t, dir, head)
			if r.Changes(head) != "" {
				t.Error("it is modified")
			}
			sides := git.Sides{Top: r.Top, From: head}
			for name := range unsettled {
				if !sides.SameFile(filepath.Join(r.Top, filepath.FromSlash(name))) {
					t.Errorf("%s is not the same", name)
				}
			}
		})
	}
}

func TestTheEndsOfLinesOfAnEditedFileAreThoseThatItWasCheckedOutWith(t *testing.T) {
	t.Parallel()
	dir := checkedOut(t, "", "core.autocrlf", "true")
	stock(t, dir, "config", "--unset", "core.autocrlf") // as if the user's settings had it
	put(t, dir, "unix.txt", "one\r\ntwo\r\nthree\r\n")
	put(t, dir, "unix.yaml", "a: 1\nb: 2\n")
	head := tree(t, open(t, dir), "HEAD")
	reads(t, head, "unix.txt", "one\ntwo\n")
	reads(t, head.InWorkTree(), "unix.txt", "one\r\ntwo\r\n")
	reads(t, head.InWorkTree(), "unix.yaml", "a: 1\n")
}

func TestWhatAFilterMakesOfAnotherRevisionIsNotKnown(t *testing.T) {
	t.Parallel()
	dir := checkedOut(t, "*.txt filter=up\n", "filter.up.smudge", "tr a-z A-Z; echo", "filter.up.clean", "tr A-Z a-z")
	put(t, dir, "unix.txt", "three\n")
	for what, tr := range map[string]*git.Tree{
		"a revision": tree(t, open(t, dir), "HEAD"), "the work tree": tree(t, open(t, dir), "HEAD").InWorkTree(),
	} {
		var filtered *git.FilteredError
		if _, err := tr.ReadFile("unix.txt"); !errors.As(err, &filtered) || filtered.Filter != "filter=up" ||
			diag.HintOf(err) == "" {
			t.Errorf("%s: %v", what, err)
		}
	}
	stock(t, dir, "config", "--remove-section", "filter.up") // as if the user's settings had it
	if _, err := tree(t, open(t, dir), "HEAD").InWorkTree().ReadFile("unix.txt"); err == nil {
		t.Error("the file is taken as it is stored")
	}
}

func TestWhatIsCheckedOutInAnotherWayIsNotTheSame(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	put(t, dir, "other/unix.yaml", "a: 1\n")
	commit(t, dir, "without attributes")
	put(t, dir, ".gitattributes", "app/* eol=crlf\n")
	commit(t, dir, "with attributes")
	r := open(t, dir)
	sides := git.Sides{Top: r.Top, From: tree(t, r, "HEAD~1"), To: tree(t, r, "HEAD")}
	if sides.Same(filepath.Join(r.Top, "app")) {
		t.Error("files with other ends of lines are the same")
	}
	if !sides.Same(filepath.Join(r.Top, "other")) {
		t.Error("files of which nothing is said have become others")
	}
	if _, err := sides.To.ReadFile("other/unix.yaml"); errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
