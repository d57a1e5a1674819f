package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/remote"
)

// traces are a value and what can be made of it.
func traces(canary string) map[string]string {
	one, two, five := sha1.Sum([]byte(canary)), sha256.Sum256([]byte(canary)), sha512.Sum512([]byte(canary))
	return map[string]string{
		"itself": canary, "base64": strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(canary)), "="), "hex": hex.EncodeToString([]byte(canary)),
		"SHA-1": hex.EncodeToString(one[:]), "SHA-256": hex.EncodeToString(two[:]), "SHA-512": hex.EncodeToString(five[:]),
	}
}

// ask runs the program in this process.
func ask(t *testing.T, req remote.Request) (out, errs string) {
	t.Helper()
	in, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	var o, e bytes.Buffer
	if code := run(t.Context(), nil, bytes.NewReader(in), &o, &e); code != diag.ExitOK {
		t.Errorf("exit %d: %s", code, e.String())
	}
	return o.String(), e.String()
}

func TestNoWordOfAHostileStoreComesOut(t *testing.T) {
	canary := "cnry" + rand.Text()
	handlers := map[string]http.HandlerFunc{
		"words as JSON": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"errors":["%[1]s"],"data":{"current_version":"%[1]s"},"VersionIdsToStages":{"x":"%[1]s"},"metadata":{"uid":["%[1]s"]}}`, canary)
		},
		"words": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, canary) },
		"a header": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Amzn-ErrorType", canary)
			w.WriteHeader(400)
		},
		"a status line":   hijack("HTTP/1.1 " + canary + "\r\n\r\n"),
		"no HTTP":         hijack(canary + "\r\n"),
		"a broken length": hijack("HTTP/1.1 200 OK\r\nContent-Length: " + canary + "\r\n\r\n"),
		"a redirection": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "https://"+canary+".example/")
			w.WriteHeader(302)
		},
		"cut off": hijack("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"data\": \"" + canary),
		"a long answer": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "104857600")
			_, _ = w.Write(bytes.Repeat([]byte(canary), 1000))
		},
	}
	for _, status := range []int{400, 401, 403, 404, 405, 418, 500, 501} {
		handlers[fmt.Sprint(status)] = func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"errors":["%[1]s"],"__type":"%[1]s","message":"%[1]s","kind":"Status","reason":"%[1]s","code":%[2]d}`, canary, status)
		}
	}
	for name, handler := range handlers {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(handler)
			defer s.Close()
			for k, v := range map[string]string{config.EnvVaultAddr: s.URL, config.EnvVaultToken: canary, config.EnvConnectHost: s.URL, config.EnvConnectToken: canary, "AWS_ENDPOINT_URL": s.URL, "AWS_REGION": "eu-central-1",
				"AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": canary, "AWS_CONFIG_FILE": "/nowhere", "AWS_SHARED_CREDENTIALS_FILE": "/nowhere", "TOKEN": canary} {
				t.Setenv(k, v)
			}
			address := []config.StoreAddress{config.StoreAddress(s.URL)}
			token := config.StoreCredentials{TokenEnv: "TOKEN"}
			req := remote.Request{Values: true, Key: []byte(canary + canary), Rules: []config.StoreRule{
				{Match: config.StoreMatch{Provider: "kubernetes"}, Addresses: address, Credentials: token},
				{Match: config.StoreMatch{Provider: "webhook"}, Fields: map[string]string{"url": s.URL, "result.jsonPath": "none"}, Credentials: token},
				{Match: config.StoreMatch{Provider: "bitwardensecretsmanager"}, Addresses: address, Credentials: token},
			}}
			for _, provider := range []string{"vault", "aws-sm", "aws-ssm", "kubernetes", "webhook", "onepassword", "bitwardensecretsmanager"} {
				st := sources.Store{Kind: "SecretStore", Name: provider, Provider: provider, Fields: map[string]string{"server.url": s.URL,
					"bitwardenServerSDKURL": s.URL, "vaults.shop": "1"}}
				req.Refs = append(req.Refs, sources.Ref{Store: st, Key: "secret/a", Property: "p"})
				if provider != "webhook" {
					req.Refs = append(req.Refs, sources.Ref{Store: st, Find: &sources.Find{Name: "a"}})
				}
			}
			first := sources.Store{Kind: "SecretStore", Name: "v1", Provider: "vault", Fields: map[string]string{"version": "v1", "path": "old"}}
			req.Refs = append(req.Refs, sources.Ref{Store: first, Key: "a"})
			out, errs := ask(t, req)
			for what, trace := range traces(canary) {
				if strings.Contains(strings.ToLower(out+errs), strings.ToLower(trace)) {
					t.Errorf("%s of the canary comes out:\n%s%s", what, out, errs)
				}
			}
			if n := strings.Count(out, `"class"`); n < 8 {
				t.Errorf("only %d failures: %s", n, out)
			}
		})
	}
}

// hijack answers with bytes of its own.
func hijack(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, _ = conn.Write([]byte(text))
			_ = conn.Close()
		}
	}
}

func TestAValueComesOutAsItsDigestOnly(t *testing.T) {
	canary := "cnry" + rand.Text()
	data, err := json.Marshal([]map[string]string{{"key": "a", "value": canary}, {"key": "b", "value": `{"p": "` + canary + `"}`}})
	if err != nil {
		t.Fatal(err)
	}
	st := sources.Store{Kind: "SecretStore", Name: "f", Provider: "fake", Fields: map[string]string{"data": string(data)}}
	req := remote.Request{Values: true, Key: []byte("0123456789abcdef"), Refs: []sources.Ref{{Store: st, Key: "a"}, {Store: st, Key: "b", Property: "p"}, {Store: st, Find: &sources.Find{}}}}
	out, errs := ask(t, req)
	for what, trace := range traces(canary) {
		if strings.Contains(out+errs, trace) {
			t.Errorf("%s of the canary comes out:\n%s%s", what, out, errs)
		}
	}
	if strings.Count(out, `"digest"`) != 3 || errs != "" {
		t.Errorf("got %s%s", out, errs)
	}
	req.Key = nil
	if out, _ := ask(t, req); strings.Contains(out, `"digest"`) || !strings.Contains(out, string(sources.NoKey)) {
		t.Errorf("without a key: %s", out)
	}
}

func TestTheProgramSaysWhoStartsItAndTakesNoArguments(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run(context.Background(), []string{"--help"}, strings.NewReader(""), &out, &errs); code != diag.ExitUsage || out.Len() > 0 || !strings.Contains(errs.String(), "rollstamp runs it") {
		t.Errorf("exit %d, %s%s", code, out.String(), errs.String())
	}
}
