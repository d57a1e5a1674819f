package secrets

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/decrypt/sops"
)

// plainFiles are files of each format, with what is hard about it.
var plainFiles = map[string]string{
	"config.yaml": `# at the top
# of all
password: hunter2 # behind a value
# before a mapping
database:
    # before a key
    port: 5432
    ratio: 1.50
    on: true
    none: null
    empty: ""
    text: |
        one
        two
    folded: >-
        one
        two
    quoted: "a: b"
    number: "0123"
    date: 2024-01-02
    # at the end of a mapping
list:
    # before an item
    - a # behind an item
    - {b: c}
    # between items
    - [1, 2]
    # after the last item
empty: {}
none: []
shared: &shared
    a: b
again: *shared
# at the end
`,
	"several.yaml": "a: 1\n---\n# second\nb: two\n",
	"narrow.yml":   "a:\n  b:\n  - c: d\n    e: |\n      f\n",
	"config.json":  `{"b": "x & y <z>", "a": {"n": 12345678901234567, "f": 1.5, "e": 1e3, "t": true, "o": {}, "l": [1, "ü", {"k": null}], "none": []}}`,
	"login.env":    "# comment\nPASSWORD=hunter2\n\nEMPTY=\nLINES=a\\nb\nQUOTED=\"a b\"\nEQUALS=a=b\n#last\n",
	"app.ini":      "; of all\ntop = 1\n\n[db]\n# of a key\npassword = hunter2\nport = 5432\n; of another\nquoted = \"a b\"\n\n[empty]\n\n[web]\nurl = http://x/?a=b#c\n",
	"key.txt":      "a text\nof lines\n",
	"binary.bin":   "\x00\x01\xff\xfe bytes",
}

// formatOf is the format that sops takes by the name of a file.
func formatOf(name string) sources.FileFormat {
	switch filepath.Ext(name) {
	case ".yaml", ".yml":
		return sources.FileYAML
	case ".json":
		return sources.FileJSON
	case ".env":
		return sources.FileDotenv
	case ".ini":
		return sources.FileINI
	}
	return sources.FileBinary
}

func TestFilesAreDecryptedAsTheCommandDecryptsThem(t *testing.T) {
	c := newCommand(t)
	for name, text := range plainFiles {
		t.Run(name, func(t *testing.T) {
			c.write(t, name, text)
			c.run(t, "encrypt", "--in-place", "--age", c.recipient, name)
			encrypted := c.read(t, name)
			if name != "several.yaml" && strings.Contains(encrypted, "hunter2") {
				t.Fatal("nothing is encrypted")
			}
			format := formatOf(name)
			got, err := c.decrypter(t, sops.CheckMAC).DecryptFile(t.Context(),
				sources.EncryptedFile{Text: []byte(encrypted), From: format, To: format})
			if err != nil {
				t.Fatal(err)
			}
			if want := c.run(t, "decrypt", name); string(got.Reveal()) != want {
				t.Errorf("decrypted to\n%s\nwant\n%s", got.Reveal(), want)
			}
		})
	}
}

func TestAFileIsWrittenInAnotherFormatAsTheCommandWritesIt(t *testing.T) {
	c := newCommand(t)
	for _, from := range []string{"config.yaml", "config.json", "login.env", "app.ini", "key.txt"} {
		c.write(t, from, plainFiles[from])
		c.run(t, "encrypt", "--in-place", "--age", c.recipient, from)
		for _, to := range []sources.FileFormat{"yaml", "json", "dotenv", "binary"} {
			if from == "config.yaml" && to == sources.FileJSON {
				continue // what is null or a date there
			}
			got, err := c.decrypter(t, sops.CheckMAC).DecryptFile(t.Context(),
				sources.EncryptedFile{Text: []byte(c.read(t, from)), From: formatOf(from), To: to})
			want, failed := c.try("decrypt", "--output-type", string(to), from)
			if (err != nil) != failed || err == nil && string(got.Reveal()) != want {
				t.Errorf("%s as %s: %q, %v; the command writes %q, and fails: %v", from, to, got.Reveal(), err, want, failed)
			}
		}
	}
}

func TestTheCodeOfAFileIsCheckedUnlessABuildWroteIt(t *testing.T) {
	c := newCommand(t)
	c.write(t, "f.yaml", "a: hunter2\nb_unencrypted: x\n")
	c.run(t, "encrypt", "--in-place", "--age", c.recipient, "f.yaml")
	text := strings.Replace(c.read(t, "f.yaml"), "b_unencrypted: x", "b_unencrypted: y", 1)
	for _, r := range []struct {
		rule      sops.MACRule
		rewritten bool
		opened    bool
	}{{"", false, false}, {"", true, true}, {sops.CheckMAC, true, false}, {sops.CheckMAC, false, false}, {sops.IgnoreMAC, false, true}} {
		o, err := sops.New(sops.Options{AgeKeys: []redact.Secret{c.key}, MAC: r.rule})
		if err != nil {
			t.Fatal(err)
		}
		_, err = o.DecryptFile(t.Context(), sources.EncryptedFile{Text: []byte(text), From: "yaml", To: "yaml", Rewritten: r.rewritten})
		if (err == nil) != r.opened {
			t.Errorf("%q, rewritten %v: %v", r.rule, r.rewritten, err)
		}
	}
}
