// Package cluster is a real Kubernetes control plane for a test: etcd, the API server and the controllers that roll
// workloads out. Of nodes there are none: something that says of each pod that it runs takes their place.
package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
)

// Cluster is a real control plane without nodes.
type Cluster struct {
	API        *process.Process
	Kubeconfig string
	url, token string
	client     *http.Client
	kinds      kinds
}

// controllers are those that roll workloads out, run Jobs, and clean up.
const controllers = "deployment-controller,replicaset-controller,statefulset-controller,daemonset-controller," +
	"job-controller,serviceaccount-controller,namespace-controller,garbage-collector-controller"

// Start starts etcd, the API server and the controllers, which end with the test.
func Start(t testing.TB) *Cluster {
	t.Helper()
	binary, dir := kubeparts(t), folder.Empty(t)
	run := func(args ...string) *process.Process { return process.Run(t, args[0], exec.Command(binary, args...)) }
	etcd, peer, port := "http://127.0.0.1:"+process.FreePort(t), "http://127.0.0.1:"+process.FreePort(t), process.FreePort(t)
	c := &Cluster{url: "https://127.0.0.1:" + port, token: token(t), Kubeconfig: filepath.Join(dir, "kubeconfig")}
	// The API server signs its certificate itself as it starts; only the engine and the controllers check it, against that
	// file.
	c.client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	folder.WriteFile(t, filepath.Join(dir, "tokens.csv"), c.token+",admin,admin,system:masters\n")
	folder.WriteFile(t, c.Kubeconfig, fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "e2e",
"clusters": [{"name": "e2e", "cluster": {"server": %q, "certificate-authority": %q}}],
"users": [{"name": "admin", "user": {"token": %q}}],
"contexts": [{"name": "e2e", "context": {"cluster": "e2e", "user": "admin"}}]}
`, c.url, filepath.Join(dir, "certs", "apiserver.crt"), c.token))
	keys(t, dir)

	store := run("etcd", "--name=e2e", "--unsafe-no-fsync", "--data-dir="+filepath.Join(dir, "etcd"), "--log-level=error",
		"--listen-client-urls="+etcd, "--advertise-client-urls="+etcd,
		"--listen-peer-urls="+peer, "--initial-advertise-peer-urls="+peer, "--initial-cluster=e2e="+peer)
	store.Until(t, "etcd answers", func() bool { return c.answers(etcd + "/health") })
	c.API = run("kube-apiserver", "--etcd-servers="+etcd, "--bind-address=127.0.0.1", "--secure-port="+port,
		"--cert-dir="+filepath.Join(dir, "certs"), "--token-auth-file="+filepath.Join(dir, "tokens.csv"), "--authorization-mode=AlwaysAllow",
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-signing-key-file="+filepath.Join(dir, "accounts.key"),
		"--service-account-key-file="+filepath.Join(dir, "accounts.pub"), "--service-cluster-ip-range=10.0.0.0/24",
		"--endpoint-reconciler-type=none", "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition")
	c.API.Until(t, "the API server is ready", func() bool { return c.answers(c.url + "/readyz") })
	manager := run("kube-controller-manager", "--kubeconfig="+c.Kubeconfig, "--leader-elect=false", "--secure-port=0",
		"--controllers="+controllers, "--service-account-private-key-file="+filepath.Join(dir, "accounts.key"))
	manager.Until(t, "the controllers work", func() bool { return c.answers(c.url + "/api/v1/namespaces/default/serviceaccounts/default") })
	c.kubelet(t)
	return c
}

func token(t testing.TB) string {
	t.Helper()
	b := make([]byte, 16)
	if _, err := rand.Read(b); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(b)
}

// keys writes the pair by which service accounts are signed.
func keys(t testing.TB, dir string) {
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
	folder.WriteFile(t, filepath.Join(dir, "accounts.key"), string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private})))
	folder.WriteFile(t, filepath.Join(dir, "accounts.pub"), string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})))
}
