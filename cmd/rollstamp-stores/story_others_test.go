package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// kubernetesAt is an API server, which hands out metadata alone.
func kubernetesAt(t *testing.T, s *shelf) place {
	meta := func(name string, k shelved) map[string]any {
		return map[string]any{"name": name, "namespace": "remote", "uid": "u-" + name, "resourceVersion": fmt.Sprint(k.newest)}
	}
	const all = "/api/v1/namespaces/remote/secrets"
	at := place{}
	at.url, at.ca = overTLS(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		accept := r.Header.Get("Accept")
		if r.Header.Get("Authorization") != "Bearer "+s.canary || strings.Count(accept, "as=PartialObjectMetadata") != strings.Count(accept, ",")+1 {
			t.Errorf("asked for %s as %s", r.URL, accept)
		}
		name, one := strings.CutPrefix(r.URL.Path, all+"/")
		operation := "get"
		if !one {
			operation = "list"
		}
		w.Header().Set("Content-Type", "application/json")
		code, out := http.StatusOK, map[string]any{}
		k, there := s.get(name)
		switch enter := s.enter(operation); {
		case enter == tooMany:
			code = http.StatusTooManyRequests
		case enter == noRight:
			code = http.StatusForbidden
		case !one && r.URL.Path == all:
			names := s.names()
			from := slices.Index(names, r.URL.Query().Get("continue")) + 1
			k, _ = s.get(names[from])
			out = map[string]any{"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "items": []any{map[string]any{"metadata": meta(names[from], k)}}}
			if from+1 < len(names) {
				out["metadata"] = map[string]any{"continue": names[from]}
			}
		case !one || !there:
			code = http.StatusNotFound
		default:
			out = map[string]any{"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": meta(name, k)}
		}
		if code != http.StatusOK {
			out = map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "message": s.canary}
		}
		w.WriteHeader(code)
		if err := json.NewEncoder(w).Encode(out); err != nil {
			t.Error(err)
		}
	}))
	return at
}

// vaultAt is a KV version 2 engine that hands out metadata alone; e2e/vault has a real one.
func vaultAt(t *testing.T, s *shelf) place {
	at := place{}
	at.url, at.ca = overTLS(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/sys/internal/ui/mounts/kv/") && r.Header.Get("X-Vault-Token") == s.canary {
			if s.enter("mounts") != served {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			fmt.Fprint(w, `{"data":{"path":"kv/","type":"kv","options":{"version":"2"}}}`)
			return
		}
		name, metadata := strings.CutPrefix(r.URL.Path, "/v1/kv/metadata")
		if !metadata || r.Header.Get("X-Vault-Token") != s.canary {
			t.Errorf("asked for %s %s", r.Method, r.URL)
		}
		name = strings.Trim(name, "/")
		operation := "read"
		if r.Method == "LIST" || r.URL.Query().Get("list") == "true" {
			operation = "list"
		}
		k, there := s.get(name)
		switch enter := s.enter(operation); {
		case enter == tooMany:
			w.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprintf(w, `{"errors":[%q]}`, s.canary)
		case enter == noRight:
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(w, `{"errors":[%q]}`, s.canary)
		case operation == "list" && name == "":
			names, err := json.Marshal(s.names())
			if err != nil {
				t.Error(err)
			}
			fmt.Fprintf(w, `{"data":{"keys":%s}}`, names)
		case !there:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"errors":[]}`)
		default:
			deleted := ""
			if slices.Contains(k.off, k.newest) {
				deleted = "2026-01-02T00:00:00Z"
			}
			fmt.Fprintf(w, `{"data":{"current_version":%[1]d,"versions":{"%[1]d":{"created_time":"2026-01-01T00:00:00Z","deletion_time":%[2]q,"destroyed":false}}}}`, k.newest, deleted)
		}
	}))
	return at
}

// webhookAt is a service of somebody's own, which knows values only.
func webhookAt(t *testing.T, s *shelf) place {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+s.canary || r.Header.Get("X-Team") != "shop" {
			t.Errorf("asked for %s as %v", r.URL, r.Header)
		}
		k, there := s.get(r.URL.Query().Get("key"))
		switch enter := s.enter(r.Method); {
		case enter == tooMany:
			w.WriteHeader(http.StatusTooManyRequests)
		case enter == noRight:
			w.WriteHeader(http.StatusForbidden)
		case !there:
			w.WriteHeader(http.StatusNotFound)
		case r.URL.Query().Get("property") == "user":
			fmt.Fprint(w, `{"data":"me"}`)
		default:
			fmt.Fprintf(w, `{"data":"%s-%d"}`, s.canary, k.newest)
		}
	}))
	t.Cleanup(server.Close)
	return place{url: server.URL, env: []string{"WEBHOOK_TOKEN=" + s.canary}}
}
