package helm

import "testing"

func TestAProgramOfAnotherReleaseSaysWhichBothAre(t *testing.T) {
	for _, c := range []struct{ hello, release, want string }{
		{Hello("v1.2.3"), "v1.2.3", ""},
		{Hello(""), "", ""},
		{Hello("v1.2.3"), "v1.2.4", "it is of release v1.2.4, and rollstamp is of release v1.2.3"},
		{Hello(""), "v1.2.4", "it is of release v1.2.4, and rollstamp is of no release"},
		{"0 v1.2.3", "v1.2.3", "it is of another build than rollstamp"},
	} {
		got := ""
		if err := Refusal(c.hello, c.release); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q at %q: got %q, want %q", c.hello, c.release, got, c.want)
		}
	}
}
