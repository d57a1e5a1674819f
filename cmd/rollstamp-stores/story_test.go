package main

import (
	"bytes"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
)

// shelf is what a store of a story holds, whatever protocol it speaks.
type shelf struct {
	t      *testing.T
	canary string // the value of everything

	mu      sync.Mutex
	secrets map[string]*shelved
	denied  bool // whoever asks has no right to
	busy    int  // so many requests are turned away, with the store's word for too many
	asked   []string
}

// shelved is a secret and how many versions it has. Those that are off cannot be read.
type shelved struct {
	newest int
	off    []int
}

func (s *shelf) put(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.secrets[name] == nil {
		s.secrets[name] = &shelved{}
	}
	s.secrets[name].newest++
}

// off makes the newest version of a secret one that cannot be read.
func (s *shelf) off(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.secrets[name]
	k.off = append(k.off, k.newest)
}

func (s *shelf) remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.secrets, name)
}

func (s *shelf) deny(yes bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.denied = yes
}

func (s *shelf) turnAway(requests int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = requests
}

// requests returns the operations that were asked for since the last time, each once.
func (s *shelf) requests() (operations []string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n = len(s.asked)
	operations = slices.Compact(slices.Sorted(slices.Values(s.asked)))
	s.asked = nil
	return operations, n
}

// What a request comes to, before it is looked at.
const (
	served = iota
	tooMany
	noRight
)

// enter notes a request and reports what it comes to.
func (s *shelf) enter(operation string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, operation)
	switch {
	case s.busy > 0:
		s.busy--
		return tooMany
	case s.denied:
		return noRight
	}
	return served
}

// get returns a secret as it is now.
func (s *shelf) get(name string) (k shelved, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.secrets[name] == nil {
		return shelved{}, false
	}
	k = *s.secrets[name]
	return k, true
}

func (s *shelf) names() (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range s.secrets {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// story is a provider, from an ExternalSecret to the stamp.
type story struct {
	// serve starts the store and says where it is.
	serve func(*testing.T, *shelf) place
	// provider is the part of the SecretStore's object below spec.provider, and rule the operator's for it, with $URL,
	// $CA and $DIR in them.
	provider, rule string
	// version is the store's word for version n of a secret; nil where the store has no versions, and its values count.
	version func(name string, n int) string
	// pinned is a version that names one content for good; "" where there is none.
	pinned string
	search string // what comes below find; "" where nothing can be searched for
	// more are further remoteRefs, to the secret "staged", which has two versions, and the ends of their lines in the
	// lock.
	more map[string]string
	// off is what is reported of a newest version that cannot be read; "" where there is no such thing.
	off    string
	denied string // what is reported without the right to ask
	asks   []string
}

// place is where a store is, and who we are for it.
type place struct {
	url, ca string
	env     []string
	files   map[string]string // the operator's
}

// TestEveryStoreIsAskedFromManifestToStamp goes the whole way with the programs as they are built: from an
// ExternalSecret and an operator's policy file over the lock to the stamps, against a server that speaks the store's
// protocol.
func TestEveryStoreIsAskedFromManifestToStamp(t *testing.T) {
	programs := built(t)
	for name, s := range stories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runStory(t, programs, s)
		})
	}
}

// built returns the folder of both programs.
func built(t *testing.T) string {
	t.Helper()
	programs := t.TempDir()
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", programs+"/", ".", "../rollstamp").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return programs
}

// storyRun is one run of a story.
type storyRun struct {
	t        *testing.T
	programs string
	story    story
	shelf    *shelf
	dir      string // of the application and all that belongs to it
	env      []string
}

const application = `apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: store, namespace: shop}
spec: {provider: {PROVIDER}}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: db, namespace: shop}
spec:
  secretStoreRef: {name: store}
  data:
  - {secretKey: password, remoteRef: {key: db, property: password}}
  - {secretKey: user, remoteRef: {key: db, property: user}}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: api, namespace: shop}
spec: {secretStoreRef: {name: store}, dataFrom: [{extract: {key: api}}]}
---
`

const pinnedSecret = `apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: pinned, namespace: shop}
spec: {secretStoreRef: {name: store}, data: [{secretKey: a, remoteRef: {key: old, version: "VERSION"}}]}
---
`

const foundSecret = `apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: found, namespace: shop}
spec: {secretStoreRef: {name: store}, dataFrom: [{find: SEARCH}]}
---
`

const moreSecret = `apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: more, namespace: shop}
spec:
  secretStoreRef: {name: store}
  data:
`

const workload = `apiVersion: apps/v1
kind: Deployment
metadata: {name: reads-NAME, namespace: shop}
spec:
  template:
    spec:
      containers: [{name: c, image: c:1, envFrom: [{secretRef: {name: NAME}}]}]
---
`

func runStory(t *testing.T, programs string, s story) {
	a := begin(t, programs, s, s.externals)
	initial := []string{"db", "api"}
	for _, name := range []string{"db", "db", "db", "api", "old", "team-a", "team-b", "staged", "staged"} {
		a.shelf.put(name)
	}
	if s.search != "" {
		initial = append(initial, "find")
	}

	// The first lock: a line for each key that is not pinned, and nothing asked for but what reports versions.
	out := a.run(0, "lock", "app")
	if n := strings.Count(out, ": + SecretStore/shop/store "); n != len(a.lock()) || len(a.places()) != len(initial)+len(s.more) {
		t.Fatalf("%s\n%s", out, strings.Join(a.lock(), "\n"))
	}
	if line := "SecretStore/shop/store db version "; s.version != nil && !slices.Contains(a.lock(), line+s.version("db", 3)) {
		t.Errorf("no line %q in\n%s", line+s.version("db", 3), strings.Join(a.lock(), "\n"))
	}
	for ref, line := range s.more {
		if !slices.Contains(a.lock(), "SecretStore/shop/store "+line) {
			t.Errorf("%s: no line %q in\n%s", ref, line, strings.Join(a.lock(), "\n"))
		}
	}
	asked, _ := a.shelf.requests()
	if !slices.Equal(asked, s.asks) {
		t.Errorf("asked for %q, want %q", asked, s.asks)
	}
	a.run(0, "lock", "app", "--check")

	// Locked and live it is the same; with the lock nobody is asked.
	a.shelf.requests()
	before := a.run(0, "render", "app", "--secrets", "lock")
	if asked, _ := a.shelf.requests(); len(asked) > 0 || strings.Count(before, "checksum.rollstamp.dev/secret.") == 0 {
		t.Errorf("asked for %q with the lock:\n%s", asked, before)
	}
	if live := a.run(0, "render", "app", "--secrets", "live"); live != before {
		t.Errorf("locked:\n%s\nlive:\n%s", before, live)
	}

	// A rotation moves its line, and the stamps of who reads it.
	a.rotation("db", "db", before)
	if s.search != "" {
		a.rotation("team-b", "found", a.run(0, "render", "app", "--secrets", "lock"))
	}

	// A request that is turned away is made again.
	_, _ = a.shelf.requests()
	a.run(0, "lock", "app", "--check")
	_, n := a.shelf.requests()
	a.shelf.turnAway(1)
	a.run(0, "lock", "app", "--check")
	if _, again := a.shelf.requests(); again <= n {
		t.Errorf("%d requests where one was turned away, %d where none was", again, n)
	}

	// What cannot be reported is an error, and the stamps are not there without it.
	a.shelf.deny(true)
	a.fails(s.denied)
	a.shelf.deny(false)
	if s.off != "" {
		a.shelf.off("db")
		a.fails(s.off)
		a.shelf.put("db")
		a.run(0, "lock", "app")
	}
	a.shelf.remove("db")
	a.fails("shop/store db(#\\w+)?: not found")

	if asked, _ := a.shelf.requests(); len(asked) == 0 || slices.ContainsFunc(asked,
		func(o string) bool { return !slices.Contains(s.asks, o) }) {
		t.Errorf("asked for %q", asked)
	}
}

// begin lays out the application, the policy and the store. manifests returns the application's.
func begin(t *testing.T, programs string, s story, manifests func(fill *strings.Replacer) string) *storyRun {
	a := &storyRun{t: t, programs: programs, story: s, dir: t.TempDir()}
	a.shelf = &shelf{t: t, canary: "cnry" + rand.Text(), secrets: map[string]*shelved{}}
	where := s.serve(t, a.shelf)
	operator := t.TempDir()
	fill := strings.NewReplacer("$URL", where.url, "$CA", filepath.Join(operator, "ca.pem"), "$DIR", operator)
	files := map[string]string{
		filepath.Join(a.dir, "app/app.yaml"): manifests(fill), filepath.Join(a.dir, ".git/HEAD"): "ref: refs/heads/main\n", filepath.Join(a.dir, "key"): "sixteen bytes or more",
		filepath.Join(operator, "policy.yaml"): "allow: [stores, store-values]\nstores:\n- match: {name: store}\n" + fill.Replace(s.rule),
		filepath.Join(operator, "token"):       a.shelf.canary + "\n", filepath.Join(operator, "ca.pem"): where.ca,
	}
	for name, text := range where.files {
		files[filepath.Join(operator, name)] = text
	}
	for path, text := range files {
		a.write(path, text)
	}
	a.env = []string{"HOME=" + operator, "ROLLSTAMP_POLICY=" + filepath.Join(operator, "policy.yaml")}
	for _, v := range where.env {
		a.env = append(a.env, fill.Replace(v))
	}
	return a
}

// write writes a file with its folder.
func (a *storyRun) write(path, text string) {
	a.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		a.t.Fatal(err)
	}
}

// externals are ExternalSecrets of one store, and a Deployment that reads each.
func (s story) externals(fill *strings.Replacer) string {
	app := strings.Replace(application, "PROVIDER", fill.Replace(s.provider), 1)
	readers := []string{"db", "api"}
	if s.pinned != "" {
		app += strings.Replace(pinnedSecret, "VERSION", s.pinned, 1)
		readers = append(readers, "pinned")
	}
	if s.search != "" {
		app += strings.Replace(foundSecret, "SEARCH", s.search, 1)
		readers = append(readers, "found")
	}
	if len(s.more) > 0 {
		app += moreSecret
		for i, ref := range slices.Sorted(maps.Keys(s.more)) {
			app += fmt.Sprintf("  - {secretKey: k%d, remoteRef: %s}\n", i, ref)
		}
		app += "---\n"
		readers = append(readers, "more")
	}
	for _, name := range readers {
		app += strings.ReplaceAll(workload, "NAME", name)
	}
	return app
}

// run runs the program and returns what it prints. A value is never in it.
func (a *storyRun) run(want int, args ...string) string {
	a.t.Helper()
	out, errs, code := a.exec(args...)
	if code != want {
		a.t.Fatalf("%v ended with %d, want %d:\n%s%s", args, code, want, out, errs)
	}
	return out
}

func (a *storyRun) exec(args ...string) (out, errs string, code int) {
	a.t.Helper()
	cmd := exec.Command(filepath.Join(a.programs, "rollstamp"), args...)
	if a.story.version == nil {
		cmd.Args = append(cmd.Args, "--hash-key-file", "key")
	}
	cmd.Dir, cmd.Env = a.dir, a.env
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		a.t.Fatal(err)
	}
	lock, _ := os.ReadFile(filepath.Join(a.dir, "app/rollstamp.lock"))
	for what, trace := range traces(a.shelf.canary) {
		if strings.Contains(o.String()+e.String()+string(lock), trace) {
			a.t.Errorf("%s of the canary comes out of %v", what, args)
		}
	}
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

// fails expects an error of the store's, with one text on standard error and nothing on standard output.
func (a *storyRun) fails(pattern string) {
	a.t.Helper()
	out, errs, code := a.exec("render", "app", "--secrets", "live")
	if ok, err := regexp.MatchString(pattern, errs); err != nil || !ok || out != "" || code != int(diag.ExitSource) || !strings.Contains(errs, "hint: ") {
		a.t.Errorf("want %s; ended with %d\n%s%s", pattern, code, out, errs)
	}
}

// lock returns the lines of the lock that are keys.
func (a *storyRun) lock() []string {
	a.t.Helper()
	text, err := os.ReadFile(filepath.Join(a.dir, "app/rollstamp.lock"))
	if err != nil {
		a.t.Fatal(err)
	}
	return slices.DeleteFunc(strings.Split(string(text), "\n")[2:], func(line string) bool { return line == "" })
}

// places returns the keys of the lock, each once, without properties and what is searched for.
func (a *storyRun) places() (out []string) {
	for _, line := range a.lock() {
		out = append(out, strings.FieldsFunc(strings.Fields(line)[1], func(r rune) bool { return r == '#' || r == '?' })[0])
	}
	return slices.Compact(out)
}

// rotation returns one secret a new version: one line of the lock moves, and of the render what reads from it.
func (a *storyRun) rotation(name, reader, before string) {
	a.t.Helper()
	first := a.lock()
	a.shelf.put(name)
	if out := a.run(1, "lock", "app", "--check"); strings.Count(out, "\n") != 2 || !strings.HasSuffix(out, "restarts Deployment shop/reads-"+reader+" of app\n") {
		a.t.Errorf("after a rotation of %s:\n%s", name, out)
	}
	if out := a.run(0, "lock", "app"); strings.Count(out, "\n") != 1 {
		a.t.Errorf("after a rotation of %s:\n%s", name, out)
	}
	moved := 0
	now := a.lock()
	for i := range first {
		if len(now) != len(first) || now[i] != first[i] {
			moved++
		}
	}
	if moved != 1 {
		a.t.Errorf("%d lines moved:\n%s\n\n%s", moved, strings.Join(first, "\n"), strings.Join(now, "\n"))
	}
	after := a.run(0, "render", "app", "--secrets", "lock")
	if live := a.run(0, "render", "app", "--secrets", "live"); live != after {
		a.t.Errorf("locked:\n%s\nlive:\n%s", after, live)
	}
	var changed []string
	one, two := strings.Split(before, "\n---\n"), strings.Split(after, "\n---\n")
	if len(one) != len(two) {
		a.t.Fatalf("%d documents became %d", len(one), len(two))
	}
	for i := range one {
		if one[i] != two[i] {
			changed = append(changed, document.FindStringSubmatch(two[i])[1:]...)
		}
	}
	if want := []string{"ExternalSecret", reader, "Deployment", "reads-" + reader}; !slices.Equal(changed, want) {
		a.t.Errorf("changed are %q, want %q", changed, want)
	}
}

var document = regexp.MustCompile(`kind: (\w+)\nmetadata:[\s\S]*?name: ([\w-]+)`)

// overTLS serves with a certificate of its own, which the operator's caFile vouches for.
func overTLS(t *testing.T, h http.Handler) (url, ca string) {
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2, s.Config.ErrorLog = true, log.New(io.Discard, "", 0) // gRPC needs the one; clients that end break off handshakes
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
}
