package plugin

import (
	"context"
	"path/filepath"

	"github.com/rollstamp/rollstamp/argocd/paths"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// Reads renders and returns what was read, including the files that settings came from. The call's files must have
// been the recorder since before it was prepared.
func (j *Job) Reads(ctx context.Context, recorder *files.Recorder) (paths.Reads, error) {
	result, err := pipeline.Run(ctx, j.App.WithStamping(j.App.Stamping().KeyOnly())) // other answers change no path
	if err != nil {
		return paths.Reads{}, err
	}
	also := append(result.Output.Inputs, j.Call.Config)
	for at := range files.Upwards(j.Call.Dir, j.Call.Root) {
		if _, err := recorder.Base().Stat(filepath.Join(at, lock.FileName)); err == nil {
			also = append(also, filepath.Join(at, lock.FileName))
			break
		}
	}
	return paths.Of(recorder, j.Call.Dir, j.Call.Root, also...), nil
}
