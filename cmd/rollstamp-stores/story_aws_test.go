package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// awsStory speaks as one of AWS's services does: JSON behind a target, signed with version 4 of their signatures. id is
// the access key.
type awsStory struct {
	*shelf
	service string
	targets map[string]func(*awsStory, map[string]any) (any, string)
}

const (
	awsKey    = "AKIDSTORY"
	awsRegion = "eu-central-1"
)

var secretsManager = map[string]func(*awsStory, map[string]any) (any, string){
	"secretsmanager.DescribeSecret": (*awsStory).describeSecret,
	"secretsmanager.ListSecrets":    (*awsStory).listSecrets,
}

var parameterStore = map[string]func(*awsStory, map[string]any) (any, string){
	"AmazonSSM.DescribeParameters": (*awsStory).describeParameters,
	"AmazonSSM.GetParameter":       (*awsStory).getParameter,
}

// ServeHTTP is http.Handler's.
func (a *awsStory) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	target := r.Header.Get("X-Amz-Target")
	answer, known := a.targets[target]
	var in map[string]any
	if err != nil || !known || json.Unmarshal(body, &in) != nil || !a.signed(r, body) {
		a.t.Errorf("asked for %s %s, %q, %s", r.Method, r.URL, target, r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusForbidden)
		return
	}
	var out any
	var wrong string
	switch a.enter(target) {
	case tooMany:
		wrong = "ThrottlingException"
	case noRight:
		wrong = "AccessDeniedException"
	default:
		out, wrong = answer(a, in)
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	if wrong != "" {
		w.WriteHeader(http.StatusBadRequest)
		out = map[string]string{"__type": wrong, "message": a.canary}
	}
	if err := json.NewEncoder(w).Encode(out); err != nil {
		a.t.Error(err)
	}
}

// signed computes the signature again, from what came over the wire.
func (a *awsStory) signed(r *http.Request, body []byte) bool {
	var credential, headers, signature string
	for part := range strings.SplitSeq(strings.TrimPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 "), ", ") {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "Credential":
			credential = value
		case "SignedHeaders":
			headers = value
		case "Signature":
			signature = value
		}
	}
	id, scope, _ := strings.Cut(credential, "/")
	stamp := r.Header.Get("X-Amz-Date")
	if id != awsKey || len(stamp) < 8 || scope != stamp[:8]+"/"+awsRegion+"/"+a.service+"/aws4_request" || !strings.Contains(headers, "x-amz-target") {
		return false
	}
	var canonical strings.Builder
	fmt.Fprintf(&canonical, "%s\n%s\n%s\n", r.Method, r.URL.EscapedPath(), r.URL.RawQuery)
	for name := range strings.SplitSeq(headers, ";") {
		value := strings.Join(r.Header.Values(name), ",")
		switch name {
		case "host":
			value = r.Host
		case "content-length":
			value = fmt.Sprint(len(body))
		}
		fmt.Fprintf(&canonical, "%s:%s\n", name, strings.TrimSpace(value))
	}
	sum := sha256.Sum256(body)
	fmt.Fprintf(&canonical, "\n%s\n%s", headers, hex.EncodeToString(sum[:]))
	hashed := sha256.Sum256([]byte(canonical.String()))
	key := []byte("AWS4" + a.canary)
	for _, part := range append(strings.Split(scope, "/"), "AWS4-HMAC-SHA256\n"+stamp+"\n"+scope+"\n"+hex.EncodeToString(hashed[:])) {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(part))
		key = mac.Sum(nil)
	}
	return hmac.Equal([]byte(hex.EncodeToString(key)), []byte(signature))
}

func awsVersion(name string, n int) string {
	return fmt.Sprintf("00000000-0000-4000-8000-%012x", n*1000+len(name))
}

func (a *awsStory) stages(name string, k shelved) map[string][]string {
	stages := map[string][]string{awsVersion(name, k.newest): {"AWSCURRENT"}}
	if k.newest > 1 {
		stages[awsVersion(name, k.newest-1)] = []string{"AWSPREVIOUS"}
	}
	return stages
}

func (a *awsStory) describeSecret(in map[string]any) (any, string) {
	name, _ := in["SecretId"].(string)
	k, ok := a.get(name)
	if !ok {
		return nil, "ResourceNotFoundException"
	}
	out := map[string]any{"Name": name, "VersionIdsToStages": a.stages(name, k)}
	if slices.Contains(k.off, k.newest) {
		out["DeletedDate"] = 1.7e9
	}
	return out, ""
}

// page returns one name after the other.
func (a *awsStory) page(in map[string]any) (name string, next any) {
	names := a.names()
	i := 0
	if token, ok := in["NextToken"].(string); ok {
		_, _ = fmt.Sscan(token, &i)
	}
	if i+1 < len(names) {
		next = fmt.Sprint(i + 1)
	}
	return names[i], next
}

func (a *awsStory) listSecrets(in map[string]any) (any, string) {
	name, next := a.page(in)
	k, _ := a.get(name)
	return map[string]any{"NextToken": next, "SecretList": []any{map[string]any{"Name": name, "SecretVersionsToStages": a.stages(name, k)}}}, ""
}

func (a *awsStory) describeParameters(in map[string]any) (any, string) {
	name, next := a.page(in)
	var out []any
	k, _ := a.get(name)
	one := map[string]any{"Name": name, "ARN": "arn:aws:ssm:" + awsRegion + ":1:parameter/" + name, "Version": k.newest, "Type": "SecureString"}
	filters, err := json.Marshal(in["ParameterFilters"])
	switch {
	case err != nil:
		return nil, "ValidationException"
	case bytes.Equal(filters, []byte("null")), bytes.Contains(filters, []byte(`"`+name+`"]`)):
		out = append(out, one)
	}
	return map[string]any{"NextToken": next, "Parameters": out}, "" // pages may be empty
}

// getParameter returns the version with the label prod, which is the one before the newest.
func (a *awsStory) getParameter(in map[string]any) (any, string) {
	name, label, _ := strings.Cut(fmt.Sprint(in["Name"]), ":")
	k, ok := a.get(name)
	if !ok || label != "prod" || in["WithDecryption"] != false {
		a.t.Errorf("asked for %v", in)
		return nil, "ParameterNotFound"
	}
	return map[string]any{"Parameter": map[string]any{"Name": name, "Version": k.newest - 1, "Value": a.canary}}, ""
}

// awsAt serves; over TLS, the operator's policy says where, without it the environment.
func awsAt(
	service string,
	targets map[string]func(*awsStory, map[string]any) (any, string),
	tls bool,
) func(*testing.T, *shelf) place {
	return func(t *testing.T, s *shelf) place {
		a := &awsStory{s, service, targets}
		at := place{env: []string{"AWS_ACCESS_KEY_ID=" + awsKey, "AWS_SECRET_ACCESS_KEY=" + s.canary, "AWS_EC2_METADATA_DISABLED=true"}}
		if tls {
			at.url, at.ca = overTLS(t, a)
			return at
		}
		server := httptest.NewServer(a)
		t.Cleanup(server.Close)
		at.env = append(at.env, "AWS_ENDPOINT_URL="+server.URL)
		return at
	}
}
