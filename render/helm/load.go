package helm

import (
	"context"
	"fmt"
	"path/filepath"

	"helm.sh/helm/v3/pkg/chart"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

func (s *source) load(ctx context.Context) (*chart.Chart, error) {
	path := s.req.Path
	info, err := files.OrDisk(s.req.Files).Stat(path)
	if err != nil {
		return nil, diag.Input(diag.Position{File: path}, fmt.Errorf("find chart: %w", files.Cause(err)), "")
	}
	var c *chart.Chart
	if info.IsDir() {
		s.why = "the folder holds a Chart.yaml"
		c, err = s.folder(path)
	} else {
		s.why = "the file is a packaged chart"
		c, err = s.archive(path)
	}
	if err != nil {
		return nil, err
	}
	if t := c.Metadata.Type; t != "" && t != "application" {
		return nil, diag.Input(diag.Position{File: filepath.Join(path, "Chart.yaml")},
			fmt.Errorf("%s charts are not installable", t),
			"Render the chart that uses it.")
	}
	if info.IsDir() {
		err = s.addMissing(ctx, c)
	} else if missing := missingDependencies(c); len(missing) > 0 {
		err = s.refuseMissing("Package the chart again, with its dependencies.", missing[0].Name)
	}
	if err != nil {
		return nil, err
	}
	sortUnlisted(c)
	return c, nil
}
