package manifests

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"

	"github.com/rollstamp/rollstamp/release/dist"
	"github.com/rollstamp/rollstamp/release/man"
)

// Extras returns what lies beside the programs in each archive, the same for all platforms: completions, manual pages,
// and the file by which Helm takes the unpacked archive for a plugin. It asks a program of the release that runs here.
func Extras(ctx context.Context, program string, r dist.Release) (map[string][]byte, error) {
	plugin, err := execute("helm-plugin.yaml", r)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{"plugin.yaml": plugin}
	for shell, path := range map[string]string{
		"bash":       "completions/rollstamp.bash",
		"zsh":        "completions/_rollstamp",
		"fish":       "completions/rollstamp.fish",
		"powershell": "completions/rollstamp.ps1",
	} {
		if out[path], err = ask(ctx, program, "completion", shell); err != nil {
			return nil, err
		}
	}
	out["completions/kubectl_complete-rollstamp"] = []byte("#!/bin/sh\nexec kubectl rollstamp __complete \"$@\"\n")
	return out, addPages(ctx, out, program, r)
}

// addPages adds a manual page for each command.
func addPages(ctx context.Context, out map[string][]byte, program string, r dist.Release) error {
	text, err := ask(ctx, program, "__commands")
	if err != nil {
		return err
	}
	var root man.Command
	if err := json.Unmarshal(text, &root); err != nil {
		return fmt.Errorf("read the commands of %s: %w", program, err)
	}
	from := man.Source{Version: r.Version, Date: r.Date.UTC().Format("2006-01-02")}
	for _, c := range man.All(&root) {
		var page bytes.Buffer
		if err := man.Write(&page, &root, c, from); err != nil {
			return err
		}
		out["man/man1/"+man.Name(c)+".1"] = page.Bytes()
	}
	return nil
}

// ask returns what a program prints. It gets no environment, which could change what it prints.
func ask(ctx context.Context, program string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = []string{}
	var output bytes.Buffer
	cmd.Stderr = &output
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %v: %w\n%s", program, args, err, output.Bytes())
	}
	return out, nil
}
