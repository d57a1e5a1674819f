package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// checkRaised returns an error where a lock that is raised to the newest level holds decisions about applications that
// are not adopted with it: these would restart.
func checkRaised(all []subject) error {
	var locks lock.Updates
	adopted := map[*lock.Update][]lock.Application{}
	for i := range all {
		u, err := locks.At(all[i].Settings().Place())
		if err != nil {
			return err
		}
		adopted[u] = append(adopted[u], pipeline.Applications(all[i].Application, u.Path(), u.Old())...)
	}
	for _, u := range locks {
		var others []string
		for _, app := range u.New().Applications() {
			if !slices.Contains(adopted[u], app) {
				others = append(others, string(app))
			}
		}
		if len(others) > 0 {
			return diag.Usage(fmt.Errorf("adopt --%s: %s would be raised for what is not adopted, too: %s", fromLevel, u.Path(),
				strings.Join(others, ", ")),
				"Name all applications that share the lock, or set level: in the configuration of the others.")
		}
	}
	return nil
}
