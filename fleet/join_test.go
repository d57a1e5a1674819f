package fleet_test

import (
	"errors"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
)

func TestASharedCauseIsReportedOnceWithAllThatFailOfIt(t *testing.T) {
	about := func(object string, line int, cause error) error {
		return &diag.Error{Exit: diag.ExitInput, Object: object, Pos: diag.Position{File: "a.yaml", Line: line}, Err: cause,
			Hint: "Pass them."}
	}
	shared := func() error { return &diag.Shared{Err: errors.New("no files")} }
	err := fleet.Join([]string{"n/a", "n/b", "n/c", "n/d", "n/e", "n/f"}, []error{
		about("HelmRelease n/a", 1, shared()), about("HelmRelease n/b", 2, shared()), about("HelmRelease n/c", 3, shared()),
		about("HelmRelease n/d", 4, errors.New("no spec")), about("HelmRelease n/e", 5, errors.New("no spec")),
		about("HelmRelease n/f", 6, errors.New("no spec")),
	})
	want := `HelmRelease n/a: a.yaml:1: no files; 2 more applications fail of it: n/b, n/c
HelmRelease n/d: a.yaml:4: no spec
HelmRelease n/e: a.yaml:5: no spec
HelmRelease n/f: a.yaml:6: no spec`
	if err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	if hint := diag.HintOf(diag.Unjoin(err)[0]); hint != "Pass them." {
		t.Errorf("the hint is %q", hint)
	}
}

func TestOneFaultOfAChartIsReportedOnceForItsReleases(t *testing.T) {
	about := func(object string) error {
		at := diag.Position{File: "charts/web/Chart.yaml", Line: 4}
		return &diag.Error{Object: object, Pos: at, Err: errors.New("no version")}
	}
	for _, test := range []struct {
		objects []string
		want    string
	}{
		{[]string{"HelmRelease n/a", "HelmRelease n/b", "HelmRelease n/c"},
			"HelmRelease n/a: charts/web/Chart.yaml:4: no version; 2 more applications fail of it: n/b, n/c"},
		{[]string{"ConfigMap x", "ConfigMap x", "ConfigMap x"},
			"n/a: ConfigMap x: charts/web/Chart.yaml:4: no version; 2 more applications fail of it: n/b, n/c"},
		{[]string{"HelmRelease n/a", "HelmRelease n/b"},
			"HelmRelease n/a: charts/web/Chart.yaml:4: no version\nHelmRelease n/b: charts/web/Chart.yaml:4: no version"},
	} {
		names, errs := []string{"n/a", "n/b", "n/c"}[:len(test.objects)], []error{}
		for _, object := range test.objects {
			errs = append(errs, about(object))
		}
		if err := fleet.Join(names, errs); err.Error() != test.want {
			t.Errorf("got\n%v\nwant\n%s", err, test.want)
		}
	}
}
