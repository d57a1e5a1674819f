package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
)

// Lint asks the command itself what it says to the words of a container or a plugin, so that the two cannot disagree.
func TestLintRefusesTheWordsThatTheCommandRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, words := range []string{
		"serve --parallelism 0", "serve --allow netwrok", "serve --listen 8090", "serve --listen nowhere:port",
		"serve --load-restrictor None", "serve --discover all", "serve --log-level loud", "serve --log-format xml",
		"serve --timeout 0s", "serve --grace 20", "serve --name a/b", "serve --max-tree-files 0 --parallelism 0",
		"serve --helm-version 5", "serve more", "generate --allow netwrok", "generate --load-restrictor None",
		"generate --timeout 0s", "generate --listen :8090", "init --timeout 0s",
	} {
		args := append([]string{"argocd"}, strings.Fields(words)...)
		var out, errs bytes.Buffer
		exit := run(t.Context(), append(args, "--hash-key-file", dir+"/none"), config.Environment(), streamsOf(&out, &errs))
		if exit != diag.ExitUsage || out.Len() > 0 {
			t.Errorf("%s: exit %d: %s", words, exit, &errs)
		}
		said := diag.Unjoin((&program{}).checkCommand(args))
		if len(said) == 0 {
			t.Errorf("lint takes %s, and the command does not: %s", words, &errs)
		}
		for _, err := range said {
			if !strings.Contains(errs.String(), diag.CauseOf(err).Error()) {
				t.Errorf("%s: lint says %q, and the command %s", words, err, &errs)
			}
		}
	}
	for _, words := range []string{
		"serve --name rollstamp --listen :8090 --parallelism 4 --max-render-memory 512Mi", "serve --listen [::1]:http",
		"serve --allow network=charts.example", "generate --allow network --timeout 80s",
		"generate --load-restrictor LoadRestrictionsNone",
	} {
		if err := (&program{}).checkCommand(append([]string{"argocd"}, strings.Fields(words)...)); err != nil {
			t.Errorf("%s: %v", words, err)
		}
	}
}
