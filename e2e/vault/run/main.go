// Command run is a Vault for tests in other modules: without arguments a server on loopback, which prints its address
// and its root token and ends with its standard input; with "kv put MOUNT/KEY NAME=VALUE..." the client's command of
// that name, as VAULT_ADDR and VAULT_TOKEN say.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/hashicorp/vault/api"

	"github.com/rollstamp/rollstamp/e2e/vault/server"
)

func main() {
	err := errors.New("usage: run, or run kv put MOUNT/KEY NAME=VALUE...")
	switch args := os.Args[1:]; {
	case len(args) == 0:
		err = serve(context.Background())
	case len(args) > 3 && args[0] == "kv" && args[1] == "put":
		err = put(context.Background(), args[2], args[3:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve answers until nobody holds standard input any more.
func serve(ctx context.Context) error {
	handler, token, err := server.New(ctx)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() { _ = http.Serve(listener, handler) }() // the process's end ends it
	address := "http://" + listener.Addr().String()
	root, err := api.NewClient(&api.Config{Address: address})
	if err != nil {
		return err
	}
	root.SetToken(token)
	if err := server.Mount(ctx, root); err != nil {
		return err
	}
	fmt.Println(address, token)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// put writes a new version of a key.
func put(ctx context.Context, path string, pairs []string) error {
	client, err := api.NewClient(api.DefaultConfig())
	if err != nil {
		return err
	}
	data := map[string]any{}
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		data[name] = value
	}
	mount, key, _ := strings.Cut(path, "/")
	for end := time.Now().Add(time.Minute); ; <-time.After(20 * time.Millisecond) {
		_, err := client.KVv2(mount).Put(ctx, key, data)
		if !server.IsUpgrading(err) || time.Now().After(end) {
			return err
		}
	}
}
