// Command kubeparts holds the real etcd, kube-apiserver and kube-controller-manager in one binary, for tests alone:
//
//	kubeparts etcd|kube-apiserver|kube-controller-manager FLAGS...
package main

import (
	"fmt"
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // as the released commands register their metrics
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

func main() {
	if len(os.Args) > 1 {
		os.Args = os.Args[1:]
	}
	switch os.Args[0] {
	case "etcd":
		etcdmain.Main(os.Args)
	case "kube-apiserver":
		os.Exit(cli.Run(apiserver.NewAPIServerCommand()))
	case "kube-controller-manager":
		os.Exit(cli.Run(controllers.NewControllerManagerCommand()))
	default:
		fmt.Fprintln(os.Stderr, "usage: kubeparts etcd|kube-apiserver|kube-controller-manager FLAGS...")
		os.Exit(2)
	}
}
