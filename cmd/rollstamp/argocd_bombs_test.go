package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/status"

	"github.com/rollstamp/rollstamp/argocd/server/servetest"
	"github.com/rollstamp/rollstamp/diag"
)

// bombs are templates that want more memory than there is.
var bombs = map[string]string{
	"repeat":  `{{ repeat 250000000 "x" }}`,
	"until":   `{{ range until 40000000 }}{{ end }}`,
	"doubled": `{{ $x := "xxxxxxxxxxxxxxxx" }}{{ range until 40 }}{{ $x = print $x $x }}{{ end }}`,
	"a loop":  `{{ range until 1000000 }}{{ range until 1000000 }}a: {{ . }} and more of it, line by line, for ever{{ end }}{{ end }}`,
}

func TestATemplateThatFillsTheMemoryEndsAServerThatRendersItselfWithItsName(t *testing.T) {
	for name, template := range bombs {
		t.Run(name, func(t *testing.T) {
			dir, err := os.MkdirTemp("", "s") // a socket's path must be short
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			program, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			var log bytes.Buffer
			// Where nothing fills its memory, it does not end by itself.
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			serving := exec.CommandContext(ctx, program, "argocd", "serve", "--isolate=false", "--plugins-dir", dir,
				"--max-memory-bytes", "120000000")
			serving.Args[0] = "rollstamp" // as which the tests' program is it
			serving.Stdout, serving.Stderr = &log, &log
			if err := serving.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				err = serving.Wait()
			}()
			if !awaitSocket(filepath.Join(dir, "rollstamp.sock"), ended) {
				t.Fatalf("the server ended with %v: %s", err, log.String())
			}
			client := servetest.Dial(t, filepath.Join(dir, "rollstamp.sock"))
			archive := servetest.Archive(t, map[string]string{"app/Chart.yaml": "apiVersion: v2\nname: bomb\nversion: 1.0.0\n", "app/templates/a.yaml": template})
			_, asked := client.Manifests(t.Context(), servetest.Upload{Archive: archive, Dir: "app", Env: map[string]string{"ARGOCD_APP_NAME": "hostile"}})
			<-ended
			// Where the template asks for more meanwhile, the kernel refuses it, and the runtime ends the process.
			refused := strings.Contains(log.String(), "fatal error: ") && strings.Contains(log.String(), "out of memory") ||
				strings.Contains(log.String(), "\nSIGSEGV: ") // in the collector
			if code := serving.ProcessState.ExitCode(); asked == nil || code != int(diag.ExitInternal) && !refused {
				t.Errorf("the call got %v, the server ended with %v:\n%s", asked, err, log.String())
			}
			for _, want := range []string{`"msg":"out of memory"`, `"msg":"rendered while memory ended","app":"hostile"`, "may have 114 MiB"} {
				if !strings.Contains(log.String(), want) && (!refused || strings.HasPrefix(want, `"msg"`)) {
					t.Errorf("%s is not in its log:\n%s", want, log.String())
				}
			}
			if said := status.Convert(asked).Message(); strings.Contains(said, "hostile") {
				t.Errorf("its name was reported to others: %s", said)
			}
		})
	}
}
