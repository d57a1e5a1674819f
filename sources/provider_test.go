package sources

import "testing"

func TestEachProviderIsKnownByNamesOfItsOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Providers() {
		for _, name := range append([]string{p.Name}, p.Aliases...) {
			if name == "" || seen[name] {
				t.Errorf("%q is nobody's name, or that of two", name)
			}
			seen[name] = true
			if got := ProviderOf(name); got == nil || got.Name != p.Name {
				t.Errorf("%s: got %+v", name, got)
			}
		}
	}
	if len(seen) < 11 {
		t.Errorf("only %d names are known", len(seen))
	}
	if p := ProviderOf("akeyless"); p != nil {
		t.Errorf("got %+v", p)
	}
}

func TestAVersionIsPinnedByTheFormOfItsProvider(t *testing.T) {
	const id = "0123456789abcdef0123456789abcdef"
	for _, c := range []struct{ provider, version, want string }{
		{"vault", "3", "3"}, {"vault", "0", ""}, {"vault", "v3", ""}, {"openBao", "3", "3"},
		{"aws-sm", "uuid/1-2", "1-2"}, {"aws-sm", "AWSPREVIOUS", ""}, {"aws-sm", "3", ""}, {"aws-ssm", "3", "3"},
		{"gcpsm", "3", "3"}, {"gcpsm", "latest", ""}, {"azurekv", id, id}, {"azurekv", "3", ""},
		{"kubernetes", "3", ""}, {"fake", "v1", ""}, {"webhook", "3", ""},
		{"", "3", "3"}, {"", id, id}, {"", "latest", ""}, {"akeyless", "3", "3"},
	} {
		got, ok := PinnedVersion(Ref{Store: Store{Provider: c.provider}, Version: c.version})
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%s, %s: got %q, %v", c.provider, c.version, got, ok)
		}
	}
}
