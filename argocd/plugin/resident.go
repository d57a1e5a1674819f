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

// noTimeout is the time of a render that ends by itself or never.
const noTimeout = 365 * 24 * time.Hour

// waits reports whether the render may wait for anything but the processor.
func (j *Job) waits() bool {
	may := j.App.Settings().Permissions()
	return may.Network || may.Stores || may.ExecPlugins || j.App.Stamping().Decrypter != nil
}

// AnswerToTheEnd is Answer for a process that stays. If the render needs only the processor, it returns
// only when all of the render has ended, so that the process can detect one that never does.
func (j *Job) AnswerToTheEnd(ctx context.Context) (*Answer, error) {
	if !j.waits() {
		patient := *j
		patient.operator.Timeout, patient.App = noTimeout, j.App.WithTimeout(0)
		return patient.Answer(context.WithoutCancel(ctx))
	}
	return j.Answer(ctx)
}

// Key returns the same bytes for jobs that render the same on equal trees, with the variables of the call. It contains
// neither the content of the tree nor the operator's files, and of the variables not the revision: that changes with
// each commit, and where an option names it, the request contains it.
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
	s := j.App.Settings()
	err := json.NewEncoder(&key).Encode(struct {
		As                render.Kind
		Request           render.Request
		Namespace, Domain config.NonEmpty
		AllowEmpty        bool
		Findings          []diag.Finding
	}{j.App.Kind(), req, s.Namespace.Value, s.HashDomain.Value, j.Call.AllowEmpty, j.App.Findings()})
	if err != nil {
		return nil, fmt.Errorf("encode the key of a render: %w", err)
	}
	return key.Bytes(), nil
}

// Reusable reports whether the same files and options return the same bytes again: nothing is random, and nothing was
// fetched.
func (j *Job) Reusable(out *render.Output) bool {
	random := out.SecondRender != nil && !bytes.Equal(out.SecondRender, out.Text)
	return !random && !j.external(out)
}

// external reports whether something in the render may be from outside the tree. Fetched content does not show in the
// inputs, so this asks whether there was anything to fetch.
func (j *Job) external(out *render.Output) bool {
	may := j.App.Settings().Permissions()
	outside := func(file string) bool { return !files.Within(j.Call.Root, file) }
	switch {
	case may.ExecPlugins, slices.ContainsFunc(out.Inputs, outside),
		j.App.Stamping().Resolver != nil && j.App.Settings().AsksStores():
		return true
	case !may.Network, out.Kind == render.KindPlain:
		return false
	case out.Kind == render.KindHelm:
		remote := func(file string) bool { return strings.Contains(file, "://") }
		return slices.ContainsFunc(j.App.Request().Helm.ValuesFiles, remote) ||
			slices.ContainsFunc(out.Inputs, j.hasDependencies)
	}
	return true
}

// hasDependencies reports whether a file makes a chart need others.
func (j *Job) hasDependencies(file string) bool {
	switch name := filepath.Base(file); {
	case strings.HasSuffix(name, ".tgz"), name == "requirements.yaml":
		return true
	case name == "Chart.yaml":
		text, err := files.OrDisk(j.App.Request().Files).ReadFile(file)
		return err != nil || bytes.Contains(text, []byte("dependencies"))
	}
	return false
}
