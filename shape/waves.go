package shape

import (
	"context"
	"strconv"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/splice"
)

// syncWave is the annotation by which Argo CD applies objects in steps; an object without it is in step 0.
const syncWave = "argocd.argoproj.io/sync-wave"

// hooks are the annotations of objects that have their turn from a hook.
var hooks = [...]string{"argocd.argoproj.io/hook", "helm.sh/hook"}

// withWaves writes the order of workloads into those that have no wave.
func withWaves(ctx context.Context, out *render.Output, s *config.Settings) (*render.Output, error) {
	return apply(out, func(text []byte) (addition, error) {
		w := &waves{out: out, text: text, settings: s, table: refs.NewTable(config.MaxLevel, s.Kinds.Value)}
		err := eachDocument(ctx, text, w.take)
		return w.added, err
	})
}

// waves is one text whose workloads get waves.
type waves struct {
	out      *render.Output
	text     []byte
	settings *config.Settings
	table    *refs.Table
	added    addition
}

// take writes the waves of the objects of a document that are to have one.
func (w *waves) take(d *manifest.Document) error {
	in, err := changeObjects(d, func(o manifest.Object) ([]step, error) {
		wave := w.waveOf(o)
		if wave == 0 {
			return nil, nil
		}
		return []step{func(o manifest.Object) ([]splice.Edit, error) { return setWave(o.Node, strconv.Itoa(wave)) }}, nil
	})
	w.added.take(in)
	return err
}

// waveOf returns the wave that an object is to get; 0 for none.
func (w *waves) waveOf(o manifest.Object) int {
	rolls := false
	for _, row := range w.table.Rows(o) {
		rolls = rolls || row.Stamping == refs.ByDefault
	}
	if !rolls {
		return 0
	}
	for _, hook := range hooks {
		if o.Annotation(hook) != "" {
			return 0
		}
	}
	if has := o.Node.At("metadata", "annotations", syncWave); has.Valid() {
		if _, err := strconv.Atoi(strings.TrimSpace(has.StringValue())); err != nil {
			f := diag.New(diag.WaveMalformed, o.String(), syncWave+" is no number, and Argo CD takes it for 0")
			w.added.findings = append(w.added.findings, f.At(lineAt(w.text, has.Offset())))
		}
		return 0
	}
	order := w.settings.Order.Value
	for i := range order {
		if order[i].Matches(o.Kind, namespaceOf(w.out, w.settings, o), o.Name, o.Labels()) {
			return i
		}
	}
	return len(order)
}

// setWave returns the edits that write a wave into an object that has none.
func setWave(object manifest.Node, wave string) ([]splice.Edit, error) {
	slot, err := splice.Locate(object, []string{"metadata", "annotations"}, claimWave)
	if err != nil {
		return nil, err
	}
	wanted := []splice.Entry{{Key: WaveMark, Value: wave}, {Key: syncWave, Value: wave}}
	return slot.Edits(wanted, isNoWave), nil
}

// withoutWave returns the edits that take a wave out of an object again. One that is another meanwhile stays.
func withoutWave(o manifest.Object) ([]splice.Edit, error) {
	if o.Annotation(syncWave) != o.Annotation(WaveMark) {
		return setMark(o.Node, WaveMark, "")
	}
	slot, err := splice.Locate(o.Node, []string{"metadata", "annotations"}, claimWave)
	if err != nil {
		return nil, err
	}
	return slot.Edits(nil, isNoWave), nil
}

func isNoWave(key string) bool { return key != WaveMark && key != syncWave }

// claimWave owns a wave and its mark among annotations.
func claimWave(key string) splice.Claim {
	if isNoWave(key) {
		return splice.Foreign
	}
	return splice.Owned
}
