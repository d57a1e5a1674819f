package config

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/redact"
)

func TestKeysThatOpenCiphertextComeFromTheOperatorOnly(t *testing.T) {
	t.Chdir(tree(t, map[string]string{".rollstamp.yaml": ""}))
	policy := policyFile(t, "sealingKeyFiles: [/p1, /p2]\n"+
		"sops: {ageKeyFiles: [/a], keyServices: ['arn:aws:kms:*'], mac: ignore}\n")
	for _, c := range []struct {
		name    string
		env     Env
		flags   Flags
		sealing string
		sops    string // its files and rule; "-" where it is not decrypted
	}{
		{"nothing", env(), Flags{}, "", "-"},
		{"SOPS's own variables alone", env(EnvSOPSAgeKey, "k", EnvSOPSAgeKeyFile, "/k"), Flags{}, "", "-"},
		{"policy", env(EnvPolicy, policy), Flags{}, "/p1 /p2", "/a ignore"},
		{
			"policy and SOPS's own variables", env(EnvPolicy, policy, EnvSOPSAgeKeyFile, "/k"), Flags{}, "/p1 /p2",
			"/a /k ignore",
		},
		{
			"environment before policy", env(EnvPolicy, policy, EnvSealingKeys, "/e1:/e2", EnvOpenSOPS, "false"),
			Flags{}, "/e1 /e2", "-",
		},
		{"environment", env(EnvOpenSOPS, "true", EnvSOPSAgeKeyFile, "/k"), Flags{}, "", "/k"},
		{
			"flags before environment", env(EnvSealingKeys, "/e1", EnvOpenSOPS, "false"),
			Flags{"sealing-key-file": {"/f"}, "open-sops": {"true"}}, "/f", "",
		},
		{"flags before policy", env(EnvPolicy, policy), Flags{"open-sops": {"false"}}, "/p1 /p2", "-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Resolve(Inputs{Place: place(t, ""), Env: c.env, Flags: c.flags})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(s.SealingKeys(), " "); got != c.sealing {
				t.Errorf("sealing keys %q, want %q", got, c.sealing)
			}
			got := "-"
			if s.SOPS() != nil {
				got = strings.TrimSpace(strings.Join(Strings(s.SOPS().AgeKeyFiles), " ") + " " + string(s.SOPS().MAC))
			}
			if got != c.sops {
				t.Errorf("SOPS %q, want %q", got, c.sops)
			}
		})
	}
}

func TestTheRenderedTreeOpensNothing(t *testing.T) {
	for _, text := range []string{"sealingKeyFiles: [x]\n", "sops: {gnupg: true}\n"} {
		t.Chdir(tree(t, map[string]string{".rollstamp.yaml": text}))
		if _, err := Resolve(Inputs{Place: place(t, ""), Env: env()}); diag.ExitOf(err) != diag.ExitUsage {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestWhatIsWrongWithTheKeysOfCiphertextIsReported(t *testing.T) {
	t.Chdir(tree(t, map[string]string{".rollstamp.yaml": ""}))
	for name, e := range map[string]Env{
		"a file without a name": env(EnvSealingKeys, "/a:"),
		"not a boolean":         env(EnvOpenSOPS, "perhaps"),
		"an unknown rule":       env(EnvPolicy, policyFile(t, "sops: {mac: maybe}\n")),
		"an unknown field":      env(EnvPolicy, policyFile(t, "sops: {agekeyfiles: []}\n")),
	} {
		if _, err := Resolve(Inputs{Place: place(t, ""), Env: e}); diag.ExitOf(err) != diag.ExitUsage {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAKeyThatEverybodyCanReadIsAFinding(t *testing.T) {
	t.Chdir(tree(t, map[string]string{".rollstamp.yaml": ""}))
	var files []string
	for i, mode := range []os.FileMode{0o600, 0o644, 0o640, 0o604} {
		path := filepath.Join(t.TempDir(), "key"+string(rune('0'+i)))
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil { // whatever the umask is
			t.Fatal(err)
		}
		files = append(files, path)
	}
	policy := policyFile(t, "sops: {ageKeyFiles: ["+files[2]+", "+files[3]+"]}\n")
	e := env(EnvSealingKeys, files[0]+":"+files[1], EnvOpenSOPS, "1", EnvPolicy, policy)
	s, err := Resolve(Inputs{Place: place(t, ""), Env: e})
	if err != nil {
		t.Fatal(err)
	}
	var reported []string
	for _, f := range s.KeyFindings() {
		if f.Code != diag.DecrypterReadable || f.Severity != diag.Warning {
			t.Errorf("%+v", f)
		}
		reported = append(reported, f.File)
	}
	if want := []string{files[1], files[3]}; !slices.Equal(reported, want) {
		t.Errorf("reported %v, want %v", reported, want)
	}
}

func TestTheKeysOfSOPSAreNotPrinted(t *testing.T) {
	t.Chdir(tree(t, map[string]string{".rollstamp.yaml": ""}))
	s, err := Resolve(Inputs{Place: place(t, ""), Env: env(EnvOpenSOPS, "true", EnvSOPSAgeKey, "canary-7f3a")})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := s.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	both, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	text.Write(both)
	if strings.Contains(text.String(), "canary") || strings.Count(text.String(), redact.Mask) != 2 {
		t.Errorf("printed:\n%s", text.String())
	}
}

func TestThePoliciesOfThePageAreTaken(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "secrets.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```yaml\n")[1:]
	policies := 0
	for _, block := range blocks {
		text, _, _ := strings.Cut(block, "```")
		if strings.HasPrefix(text, "# ") { // a file of the worked example, which e2e/argocd runs
			continue
		}
		if strings.HasPrefix(text, "secrets:") { // a configuration file
			mustResolve(t, text, env(), nil)
			continue
		}
		policies++
		t.Chdir(tree(t, map[string]string{".rollstamp.yaml": ""}))
		if _, err := Resolve(Inputs{Place: place(t, ""), Env: env(EnvPolicy, policyFile(t, text))}); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
	if policies != 2 || len(blocks) < 3 {
		t.Errorf("%d policies in %d blocks", policies, len(blocks))
	}
}
