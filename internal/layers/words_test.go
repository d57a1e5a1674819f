package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A word is one of the code's own that the field has another for.
type word struct {
	form *regexp.Regexp
	want string
}

// verbs are how a comment on a declaration does not go on after the name: Go's own convention is "X returns", "X
// reports whether".
var verbs = []word{
	{regexp.MustCompile(`^\w+ (gives|tells)\b`), `"returns" or "reports whether"`},
	{regexp.MustCompile(`^\w+ says (whether|if)\b`), `"reports whether"`},
	{regexp.MustCompile(`^\w+ is that (of|for)\b`), `a sentence that needs no other`},
}

// words are those that no comment has.
var words = []word{
	{regexp.MustCompile(`(?i)\b(anew|amiss|in vain|for nothing)\b`), `"again", "wrong", "without effect"`},
	{regexp.MustCompile(`(?i)\bin the place of\b`), `"instead of"`},
	{regexp.MustCompile(`(?i)\bstands? behind\b`), `"resolves the content of"`},
	{regexp.MustCompile(`(?i)\b(twin|opener|maker|room|floor|house)s?\b`), `a word of docs/architecture.md`},
}

// unread are the packages, with the folders in them, whose comments have not been gone through: none.
var unread []string

func TestCommentsUseTheWordsOfTheField(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("git", "ls-files", "*.go")
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for name := range strings.FieldsSeq(string(out)) {
		for _, issue := range issues(t, filepath.Join("..", "..", name)) {
			at := slices.IndexFunc(unread, func(pkg string) bool { return strings.HasPrefix(name, pkg+"/") })
			if at < 0 {
				t.Errorf("%s: %s", name, issue)
			} else {
				found[unread[at]]++
			}
		}
	}
	for _, pkg := range unread {
		if found[pkg] == 0 {
			t.Errorf("%s has none of these words any more: take it off the list", pkg)
		}
	}
}

// issues returns what the comments of declarations in a file have in other words, or without the name that they are
// about.
func issues(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	add := func(name string, doc *ast.CommentGroup) {
		if text := strings.Join(strings.Fields(doc.Text()), " "); text != "" && !strings.HasSuffix(file, "_test.go") {
			out = append(out, formOf(name, text)...)
		}
	}
	for _, c := range parsed.Comments {
		out = append(out, wordsOf(c.Text())...)
	}
	for _, d := range parsed.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(d.Name.Name, d.Doc)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if s, ok := spec.(*ast.TypeSpec); ok {
					if add(s.Name.Name, s.Doc); !d.Lparen.IsValid() {
						add(s.Name.Name, d.Doc)
					}
				}
			}
		}
	}
	return out
}

// formOf returns what is wrong with how the comment of a declaration begins.
func formOf(name, text string) []string {
	var out []string
	subject := regexp.MustCompile(`^(Deprecated:|((A|An|The) )?` + regexp.QuoteMeta(name) + `('s|,)? )`)
	if !subject.MatchString(text) {
		out = append(out, "the comment of "+name+" begins with another word: "+firstWords(text))
	}
	for _, w := range verbs {
		if m := w.form.FindString(text); m != "" {
			out = append(out, `a comment begins "`+m+`"; the field says `+w.want)
		}
	}
	return out
}

// wordsOf returns the words of a comment that the field has others for.
func wordsOf(text string) []string {
	var out []string
	for _, w := range words {
		if m := w.form.FindString(strings.Join(strings.Fields(text), " ")); m != "" {
			out = append(out, `a comment has "`+m+`"; the field has `+w.want)
		}
	}
	return out
}

func firstWords(text string) string {
	words := strings.Fields(text)
	return strings.Join(words[:min(5, len(words))], " ")
}

func TestTheWordsAreFound(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"F returns a thing.":                         0,
		"F reports whether it is so.":                0,
		"The F of a thing.":                          0,
		"F gives a thing.":                           1,
		"F tells whether it is so.":                  1,
		"F is that of another.":                      1,
		"Returns a thing.":                           1,
		"G returns a thing.":                         1,
		"F writes it anew, in vain.":                 1,
		"F returns a thing in the place of another.": 1,
		"F is a room and stands behind another.":     2,
	} {
		if got := append(formOf("F", text), wordsOf(text)...); len(got) != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
