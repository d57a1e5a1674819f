package plugin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rollstamp/rollstamp/argocd"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
)

// endless stands for the time of a render that ends by itself or never.
const endless = 365 * 24 * time.Hour

// waits reports whether the render may wait for anything but the processor.
func (j *Job) waits() bool {
	may := j.App.Settings().Permissions()
	return may.Network || may.Stores || may.ExecPlugins || j.App.Stamping().Decrypter != nil
}

// AnswerToTheEnd is Answer for a process that stays. Where nothing but the processor is waited for, it comes back only when all of the
// render has ended, so that the process knows of one that never does.
func (j *Job) AnswerToTheEnd(ctx context.Context) (*Answer, error) {
	if !j.waits() {
		patient := *j
		patient.operator.Timeout, patient.App = endless, j.App.WithTimeout(0)
		return patient.Answer(context.WithoutCancel(ctx))
	}
	return j.Answer(ctx)
}

// Key tells jobs apart that may give other bytes on the same tree, with the variables that the call was made of. What the files of the
// tree and the operator's say is not in it, and of the variables not the revision: that is another with each commit, and where an
// option names it, the request shows it.
func (j *Job) Key(env argocd.Env) ([]byte, error) {
	env = maps.Clone(env)
	for name := range env {
		if strings.HasPrefix(name, "ARGOCD_APP_REVISION") {
			delete(env, name)
		}
	}
	req := j.App.Request()
	req.Files, req.Roots = nil, nil
	var key bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(env)) {
		fmt.Fprintf(&key, "%q=%q\n", name, env[name])
	}
	err := json.NewEncoder(&key).Encode(struct {
		As                render.Kind
		Request           render.Request
		Namespace, Domain config.NonEmpty
		AllowEmpty        bool
		Findings          []diag.Finding
	}{j.App.Kind(), req, j.App.Settings().Namespace.Value, j.App.Settings().HashDomain.Value, j.Call.AllowEmpty, j.App.Findings()})
	if err != nil {
		return nil, fmt.Errorf("tell renders apart: %w", err)
	}
	return key.Bytes(), nil
}

// Reusable reports whether the same files and options give the same bytes again: nothing is random, and nothing came from elsewhere.
func (j *Job) Reusable(out *render.Output) bool {
	random := out.SecondRender != nil && !bytes.Equal(out.SecondRender, out.Text)
	return !random && !j.elsewhere(out)
}

// elsewhere reports whether something in the render may have come from elsewhere than the tree. What is fetched does not show in the inputs,
// so it is asked whether there was anything to fetch.
func (j *Job) elsewhere(out *render.Output) bool {
	may := j.App.Settings().Permissions()
	outside := func(file string) bool { return !files.Within(j.Call.Root, file) }
	switch {
	case may.ExecPlugins, slices.ContainsFunc(out.Inputs, outside), j.App.Stamping().Resolver != nil && j.App.Settings().Secrets.Value == config.PolicyLive:
		return true
	case !may.Network, out.Kind == render.KindPlain:
		return false
	case out.Kind == render.KindHelm:
		remote := func(file string) bool { return strings.Contains(file, "://") }
		return slices.ContainsFunc(j.App.Request().Helm.ValuesFiles, remote) || slices.ContainsFunc(out.Inputs, j.depends)
	}
	return true
}

// depends reports whether a file makes a chart need others.
func (j *Job) depends(file string) bool {
	switch name := filepath.Base(file); {
	case strings.HasSuffix(name, ".tgz"), name == "requirements.yaml":
		return true
	case name == "Chart.yaml":
		text, err := files.OrDisk(j.App.Request().Files).ReadFile(file)
		return err != nil || bytes.Contains(text, []byte("dependencies"))
	}
	return false
}
