package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// answers are ways in which a store may behave, each with the canary wherever it can be put.
var answers = map[string]func(canary string, w http.ResponseWriter, r *http.Request){
	"a value": func(canary string, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"data":{"password":%[1]q,"path":"secret/","type":"kv","options":{"version":"1"},"data":{"password":%[1]q}},"auth":{"client_token":%[1]q},"kind":"Secret","apiVersion":"v1","metadata":{"name":"db","annotations":{"a":%[1]q}},"SecretString":%[1]q,"Parameters":[{"Name":%[1]q}]}`, canary)
	},
	"no rights": func(canary string, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Www-Authenticate", `Bearer authorization="https://`+canary+`.invalid/", resource="https://`+canary+`.invalid"`)
		w.Header().Set("X-Amzn-Errortype", canary)
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, `{"errors":[%[1]q],"message":%[1]q,"__type":%[1]q,"error":%[1]q,"error_description":%[1]q,"kind":"Status","reason":%[1]q}`, canary)
	},
	"not there": func(canary string, w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(w, `{"errors":[%[1]q],"message":%[1]q,"__type":"ResourceNotFoundException"}`, canary)
	},
	"a bad request": func(canary string, w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, canary)
	},
	"broken": func(canary string, w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprintf(w, `{"errors":[%q]}`, canary)
	},
	"throttled": func(canary string, w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprintf(w, `{"__type":"ThrottlingException","message":%q}`, canary)
	},
	"malformed": func(canary string, w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"data":{"current_version":%[1]q,"versions":{%[1]q:%[1]s`, canary)
	},
	"of wrong types": func(canary string, w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"data":{"current_version":%[1]q,"versions":[%[1]q]},"VersionIdsToStages":%[1]q,"metadata":%[1]q}`, canary)
	},
	"a redirect": func(canary string, w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://"+canary+".invalid/"+canary, http.StatusTemporaryRedirect)
	},
	"cut off": func(canary string, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		fmt.Fprintf(w, `{"data":{"password":%q`, canary)
	},
	"hanging": func(canary string, w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"data":{"password":%q`, canary)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	},
	"endless": func(canary string, w http.ResponseWriter, r *http.Request) {
		for line := []byte(strings.Repeat(canary+" ", 1000)); r.Context().Err() == nil; {
			if _, err := w.Write(line); err != nil {
				return
			}
		}
	},
}

// stores returns a store of each provider, at the address of a server, and the rule of the operator's policy.
var stores = map[string]struct{ provider, rule string }{
	"vault":            {"vault: {server: URL, path: secret, version: v2}", "addresses: [URL], credentials: {tokenEnv: CANARY_TOKEN}"},
	"vault 1":          {"vault: {server: URL, path: secret, version: v1}", "addresses: [URL], credentials: {tokenFile: TOKEN}"},
	"vault by login":   {"vault: {server: URL, path: secret}", "addresses: [URL], credentials: {kubernetesRole: r, tokenFile: TOKEN}"},
	"vault by AppRole": {"vault: {server: URL, path: secret}", "addresses: [URL], credentials: {appRole: r, tokenEnv: CANARY_TOKEN}"},
	"an unlisted one":  {"vault: {server: URL, path: secret}", "addresses: ['https://vault.example.com']"},
	"webhook":          {"webhook: {url: 'URL/x', result: {jsonPath: $.data}, headers: {A: CANARY}, body: CANARY}", "addresses: [URL]"},
	"kubernetes":       {"kubernetes: {server: {url: URL}, remoteNamespace: a}", "addresses: [URL], credentials: {tokenEnv: CANARY_TOKEN}"},
	"aws-sm":           {"aws: {service: SecretsManager, region: eu-west-1}", ""},
	"aws-ssm":          {"aws: {service: ParameterStore, region: eu-west-1}", ""},
	"gcpsm":            {"gcpsm: {projectID: p}", "credentials: {credentialsFile: GOOGLE}"},
	"azurekv":          {"azurekv: {vaultUrl: URL}", "addresses: [URL]"},
	"fake":             {"fake: {data: [{key: shop/db, value: '{\"password\":\"CANARY\"}'}]}", ""},
	"file":             {"vault: {server: URL}", "provider: file, fields: {path: FOLDER}"},
	"env":              {"vault: {server: URL}", "provider: env, fields: {prefix: CANARY_}"},
}

// quick are answers after which nothing is tried again; telling are stores that hand values out; answered are those
// that the server stands for.
var (
	quick    = []string{"a value", "no rights", "malformed"}
	telling  = []string{"vault 1", "webhook", "fake", "file", "env"}
	answered = []string{"vault", "vault 1", "vault by login", "vault by AppRole", "webhook", "kubernetes", "aws-sm", "aws-ssm"}
)

// TestNoStoreMakesTheProgramPrintAValue runs the real programs against stores that answer with a random value wherever
// they can.
func TestNoStoreMakesTheProgramPrintAValue(t *testing.T) {
	t.Parallel()
	programs := programs(t)
	for store := range stores {
		t.Run(store, func(t *testing.T) {
			t.Parallel()
			for how, answer := range answers {
				l := newLeaky(t, store, answer)
				if !slices.Contains(quick, how) && !slices.Contains(answered, store) {
					continue
				}
				if slices.Contains(quick, how) && (slices.Contains(answered, store) || slices.Contains(telling, store)) {
					l.timeout = "1m" // which a machine under load may need; where a store is asked again and again it would be used up
				}
				l.run(programs, how, "render", "app", "--secrets", "live", "--hash-key-file", "hash-key", "-v")
				if slices.Contains(quick, how) {
					l.run(programs, how, "lock", "app", "--hash-key-file", "hash-key", "-v")
					l.run(programs, how, "lock", "search", "--hash-key-file", "hash-key", "-v")
					l.run(programs, how, "explain", "app", "--secrets", "live", "-o", "json", "-v")
					l.run(programs, how, "render", "app", "--secrets", "live", "--on-error", "last-known")
					l.run(programs, how, "lock", "app", "--check")
				}
				if l.asked.Load() == 0 && slices.Contains(answered, store) {
					l.timeout = "1m" // a machine under load may not have come to the question
					l.run(programs, how, "render", "app", "--secrets", "live", "--hash-key-file", "hash-key", "-v")
				}
				if err := os.RemoveAll(filepath.Join(l.dir, "store")); err != nil { // it holds the canary from the beginning
					t.Fatal(err)
				}
				noLeakInFiles(t, l.canary, l.dir)
				if l.done == 0 && how == "a value" && slices.Contains(telling, store) {
					t.Error("no run went well: the test shows nothing of what is done with a value")
				}
				if l.asked.Load() == 0 && slices.Contains(answered, store) {
					t.Errorf("%s: nobody was asked", how)
				}
			}
		})
	}
}

// leaky is a run against a leaky store.
type leaky struct {
	t           *testing.T
	canary, dir string
	env         []string
	timeout     string // of a run
	asked       atomic.Int64
	done        int // runs that went well
}

func newLeaky(t *testing.T, store string, answer func(string, http.ResponseWriter, *http.Request)) *leaky {
	t.Helper()
	l := &leaky{t: t, canary: "cnry" + rand.Text(), dir: t.TempDir(), timeout: "400ms"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.asked.Add(1)
		answer(l.canary, w, r)
	}))
	t.Cleanup(server.Close)
	secrets := t.TempDir()
	fill := strings.NewReplacer("CANARY_TOKEN", "CANARY_TOKEN", "CANARY_", "CANARY_", "URL", server.URL, "TOKEN", filepath.Join(secrets, "token"), "CANARY", l.canary,
		"GOOGLE", filepath.Join(secrets, "google.json"), "FOLDER", secrets)
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(secrets, "token"), l.canary+"\n")
	write(filepath.Join(secrets, "shop/db"), `{"password":"`+l.canary+`"}`)
	write(filepath.Join(secrets, "google.json"), `{"type":"service_account","project_id":"p","private_key_id":"`+l.canary+`","private_key":"`+l.canary+`","client_email":"a@example.com","token_uri":"`+server.URL+`"}`)
	write(filepath.Join(secrets, "policy.yaml"), fill.Replace("allow: [stores, store-values]\nstores: [{match: {name: store}, "+strings.TrimPrefix(stores[store].rule+"}", ", ")+"]\n"))
	said := fill.Replace(stores[store].provider)
	if !strings.Contains(said, l.canary) {
		for _, folder := range []string{"app", "search"} {
			write(filepath.Join(l.dir, folder, "store.yaml"),
				"apiVersion: external-secrets.io/v1\nkind: SecretStore\nmetadata: {name: store, namespace: "+
					"a}\nspec: {provider: {"+said+"}}\n")
		}
	} else { // it is looked up, and not rendered
		write(filepath.Join(l.dir, "store/store.yaml"),
			"apiVersion: external-secrets.io/v1\nkind: SecretStore\nmetadata: {name: store, namespace: a}\nspec: "+
				"{provider: {"+said+"}}\n")
		write(filepath.Join(l.dir, ".rollstamp.yaml"), "context: [store]\n")
	}
	write(filepath.Join(l.dir, ".git/HEAD"), "ref: refs/heads/main\n")
	write(filepath.Join(l.dir, "hash-key"), "sixteen bytes or more")
	write(filepath.Join(l.dir, "app/app.yaml"), `apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: s, namespace: a}
spec:
  secretStoreRef: {name: store}
  data: [{secretKey: a, remoteRef: {key: shop/db, property: password}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: a}
spec: {template: {spec: {containers: [{name: c, envFrom: [{secretRef: {name: s}}]}]}}}
`)
	app, err := os.ReadFile(filepath.Join(l.dir, "app/app.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(filepath.Join(l.dir, "search/app.yaml"), strings.Replace(string(app), "  data: [{secretKey: a, remoteRef: {key: shop/db, property: password}}]", "  data: [{secretKey: b, remoteRef: {key: shop/db}}]\n  dataFrom: [{find: {name: {regexp: '^shop'}}}]", 1))
	home := filepath.Join(l.dir, "home")
	write(filepath.Join(home, "keep"), "")
	l.env = []string{
		"HOME=" + home, "TMPDIR=" + home, "ROLLSTAMP_POLICY=" + filepath.Join(secrets, "policy.yaml"), "CANARY_TOKEN=" + l.canary, `CANARY_shop/db={"password":"` + l.canary + `"}`,
		"AWS_ENDPOINT_URL=" + server.URL, "AWS_ACCESS_KEY_ID=" + l.canary, "AWS_SECRET_ACCESS_KEY=" + l.canary, "AWS_SESSION_TOKEN=" + l.canary, "AWS_MAX_ATTEMPTS=1",
		"AZURE_TENANT_ID=t", "AZURE_CLIENT_ID=c", "AZURE_CLIENT_SECRET=" + l.canary, "AZURE_AUTHORITY_HOST=" + server.URL, "HTTPS_PROXY=" + server.URL, "NO_PROXY=127.0.0.1",
		"SOPS_AGE_KEY=" + l.canary,
	}
	return l
}

func (l *leaky) run(programs, how string, args ...string) {
	l.t.Helper()
	cmd := exec.Command(filepath.Join(programs, "rollstamp"), append(args, "--timeout", l.timeout)...)
	cmd.Dir, cmd.Env = l.dir, l.env
	out, err := cmd.CombinedOutput()
	var ended *exec.ExitError
	if err != nil && (!errors.As(err, &ended) || ended.ExitCode() < 0 || ended.ExitCode() >= int(diag.ExitInternal)) {
		l.t.Errorf("%s, %v: %v\n%s", how, args, err, strings.ReplaceAll(string(out), l.canary, "[CANARY]"))
	}
	noLeak(l.t, l.canary, fmt.Sprint(how, " ", args), string(out))
	if err == nil {
		l.done++
	}
}

// TestAPanicPrintsNoValue lets what the program asks first panic with a value in its hands.
func TestAPanicPrintsNoValue(t *testing.T) {
	canary := "cnry" + rand.Text()
	panicked := 0
	for _, at := range []string{config.EnvStores, config.EnvHashKey, config.EnvSOPSAgeKey, config.EnvPolicy,
		config.EnvSealingKeys} {
		for _, with := range []any{canary, errors.New(canary), []byte(canary), fmt.Errorf("x: %w", errors.New(canary))} {
			env := func(name string) (string, bool) {
				if name == at {
					panicked++
					panic(with)
				}
				return "", false
			}
			var out, errs bytes.Buffer
			code := run(context.Background(), []string{"explain", "-v", "--open-sops", "../../examples/web"}, env, streamsOf(&out, &errs))
			noLeak(t, canary, at, out.String()+errs.String())
			if code != diag.ExitInternal || out.Len() > 0 {
				t.Errorf("%s: exit code %d\n%s%s", at, code, out.String(), errs.String())
			}
		}
	}
	if panicked < 20 {
		t.Errorf("only %d panics", panicked)
	}
}
