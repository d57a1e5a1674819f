package stamp

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the stories' results anew")

func TestStories(t *testing.T) {
	var b strings.Builder
	for _, c := range stories(t) {
		p, err := plan(t, []byte(c.in), Options{})
		got := ""
		if err != nil {
			got = "error: " + err.Error() + "\n"
		} else {
			got = string(bytesOf(t, p))
			for _, f := range p.Findings {
				got += "# " + string(f.Code) + ": " + f.Message + "\n"
			}
		}
		_, name, _ := strings.Cut(c.name, ": ")
		b.WriteString("=== " + name + "\n" + c.in + "=>\n" + got)
		if got != c.out && !*update {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, c.out)
		}
	}
	if *update {
		if err := os.WriteFile("testdata/stories.txt", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
