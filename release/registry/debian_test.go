package registry_test

import (
	"errors"
	"testing"

	publish "github.com/rollstamp/rollstamp/release/registry"
	"github.com/rollstamp/rollstamp/release/registry/registrytest"
)

func TestDebiansRegistryTakesTheImage(t *testing.T) {
	address := registrytest.Debian(t)
	repository, all := address+"/tools/rollstamp", images(t)
	if err := push(t, repository, all, options()); err != nil {
		t.Fatal(err)
	}
	for _, i := range all {
		if got, want := digest(t, pull(t, repository, i.Tag)), digest(t, i.Index); got != want {
			t.Errorf("%s leads to %s, want %s", i.Tag, got, want)
		}
	}
	if err := push(t, repository, images(t), options()); !errors.Is(err, publish.ErrTaken) {
		t.Errorf("pushed over another image: %v", err)
	}
}
