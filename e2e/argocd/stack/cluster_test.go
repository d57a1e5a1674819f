package stack

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/e2e/argocd/parts"
)

// kubernetes is the version that e2e/kube pins.
const kubernetes = "v1.36.3"

// kubeparts returns the binary that holds etcd, kube-apiserver and kube-controller-manager: $KUBEPARTS, or a build that
// the user's cache keeps under the name of all that goes into it.
func kubeparts(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("KUBEPARTS"); path != "" {
		return path
	}
	source := filepath.Join(parts.Checkout(t), "e2e", "kube")
	hash := sha256.New()
	fmt.Fprintln(hash, kubernetes, runtime.Version(), runtime.GOARCH)
	for _, name := range []string{"go.mod", "go.sum", "main.go"} {
		text, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			t.Fatal(err)
		}
		hash.Write(text)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "rollstamp-stock", "kubeparts-"+hex.EncodeToString(hash.Sum(nil))[:16])
	path := filepath.Join(dir, "kubeparts")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	t.Logf("building Kubernetes %s, once: this takes some minutes", kubernetes)
	const version = " -X k8s.io/component-base/version."
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w"+version+"gitVersion="+kubernetes+version+"gitMajor=1"+version+"gitMinor=36"+version+"gitTreeState=clean",
		"-o", path+".part", ".")
	cmd.Dir = source
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=readonly")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build Kubernetes: %v\n%s", err, out)
	}
	if err := os.Rename(path+".part", path); err != nil {
		t.Fatal(err)
	}
	return path
}

// cluster is a real control plane without nodes.
type cluster struct {
	url, token string
	kubeconfig string
	client     *http.Client
	api        *parts.Process
}

// controllers are those that roll workloads out, and clean up.
const controllers = "deployment-controller,replicaset-controller,statefulset-controller,daemonset-controller," +
	"serviceaccount-controller,namespace-controller,garbage-collector-controller"

func startCluster(t *testing.T) *cluster {
	t.Helper()
	binary, dir := kubeparts(t), parts.Folder(t)
	run := func(args ...string) *parts.Process { return parts.Run(t, args[0], exec.Command(binary, args...)) }
	etcd, peer, port := "http://127.0.0.1:"+parts.FreePort(t), "http://127.0.0.1:"+parts.FreePort(t), parts.FreePort(t)
	c := &cluster{url: "https://127.0.0.1:" + port, token: token(t), kubeconfig: filepath.Join(dir, "kubeconfig")}
	// The API server signs its certificate itself as it starts; only Argo CD and the controllers check it, against that
	// file.
	c.client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	parts.WriteFile(t, filepath.Join(dir, "tokens.csv"), c.token+",admin,admin,system:masters\n")
	parts.WriteFile(t, c.kubeconfig, fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "e2e",
"clusters": [{"name": "e2e", "cluster": {"server": %q, "certificate-authority": %q}}],
"users": [{"name": "admin", "user": {"token": %q}}],
"contexts": [{"name": "e2e", "context": {"cluster": "e2e", "user": "admin"}}]}
`, c.url, filepath.Join(dir, "certs", "apiserver.crt"), c.token))
	keys(t, dir)

	store := run("etcd", "--name=e2e", "--unsafe-no-fsync", "--data-dir="+filepath.Join(dir, "etcd"), "--log-level=error",
		"--listen-client-urls="+etcd, "--advertise-client-urls="+etcd,
		"--listen-peer-urls="+peer, "--initial-advertise-peer-urls="+peer, "--initial-cluster=e2e="+peer)
	store.Until(t, "etcd answers", func() bool { return c.answers(etcd + "/health") })
	c.api = run("kube-apiserver", "--etcd-servers="+etcd, "--bind-address=127.0.0.1", "--secure-port="+port,
		"--cert-dir="+filepath.Join(dir, "certs"), "--token-auth-file="+filepath.Join(dir, "tokens.csv"), "--authorization-mode=AlwaysAllow",
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-signing-key-file="+filepath.Join(dir, "accounts.key"),
		"--service-account-key-file="+filepath.Join(dir, "accounts.pub"), "--service-cluster-ip-range=10.0.0.0/24",
		"--endpoint-reconciler-type=none", "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition")
	c.api.Until(t, "the API server is ready", func() bool { return c.answers(c.url + "/readyz") })
	manager := run("kube-controller-manager", "--kubeconfig="+c.kubeconfig, "--leader-elect=false", "--secure-port=0",
		"--controllers="+controllers, "--service-account-private-key-file="+filepath.Join(dir, "accounts.key"))
	manager.Until(t, "the controllers work", func() bool { return c.answers(c.url + "/api/v1/namespaces/default/serviceaccounts/default") })
	c.kubelet(t)
	return c
}

func token(t *testing.T) string {
	t.Helper()
	b := make([]byte, 16)
	if _, err := rand.Read(b); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(b)
}

// keys writes the pair by which service accounts are signed.
func keys(t *testing.T, dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	parts.WriteFile(t, filepath.Join(dir, "accounts.key"), string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private})))
	parts.WriteFile(t, filepath.Join(dir, "accounts.pub"), string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})))
}

func (c *cluster) answers(url string) bool {
	code, _, err := c.request(http.MethodGet, url, "", nil)
	return err == nil && code == http.StatusOK
}

func (c *cluster) request(method, url, contentType string, body []byte) (int, []byte, error) {
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if strings.HasPrefix(url, c.url) {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := c.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, text, err
}

// do makes a request that has to succeed.
func (c *cluster) do(t *testing.T, method, path, contentType string, body []byte) []byte {
	t.Helper()
	code, text, err := c.request(method, c.url+path, contentType, body)
	if err != nil {
		t.Fatal(err)
	}
	if code >= 300 {
		t.Fatalf("%s %s: %d %s", method, path, code, text)
	}
	return text
}

// get reads an object, or a list of them, into a value.
func (c *cluster) get(t *testing.T, path string, into any) {
	t.Helper()
	if err := json.Unmarshal(c.do(t, http.MethodGet, path, "", nil), into); err != nil {
		t.Fatal(err)
	}
}

// apply applies a manifest on the side of the server; collection is the path of its kind.
func (c *cluster) apply(t *testing.T, collection, manifest string) {
	t.Helper()
	var object struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
	}
	if err := yaml.Unmarshal([]byte(manifest), &object); err != nil {
		t.Fatal(err)
	}
	c.do(t, http.MethodPatch, collection+"/"+object.Metadata.Name+"?fieldManager=e2e&force=true", "application/apply-patch+yaml", []byte(manifest))
}

// kubelet says of each pod that it runs, until the test ends: without nodes nobody else does.
func (c *cluster) kubelet(t *testing.T) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() {
		close(stop)
		<-stopped
	})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				c.markPods()
			}
		}
	}()
}

func (c *cluster) markPods() {
	_, text, err := c.request(http.MethodGet, c.url+"/api/v1/pods?fieldSelector=status.phase%3DPending", "", nil)
	if err != nil {
		return // the cluster is going down, or will answer the next time
	}
	var pods struct {
		Items []struct {
			Metadata struct{ Namespace, Name string } `json:"metadata"`
		} `json:"items"`
	}
	if json.Unmarshal(text, &pods) != nil {
		return
	}
	now := time.Now().UTC().Format(time.RFC3339)
	for _, pod := range pods.Items {
		status := fmt.Sprintf(`{"status": {"phase": "Running", "startTime": %[1]q, "conditions": [
{"type": "Ready", "status": "True", "lastTransitionTime": %[1]q}, {"type": "ContainersReady", "status": "True", "lastTransitionTime": %[1]q}]}}`, now)
		_, _, _ = c.request(http.MethodPatch, c.url+"/api/v1/namespaces/"+pod.Metadata.Namespace+"/pods/"+pod.Metadata.Name+"/status",
			"application/merge-patch+json", []byte(status))
	}
}
