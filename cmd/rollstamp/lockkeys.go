package main

import (
	"errors"
	"fmt"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// keyOrigin is where the hash key of an application comes from, and its domain: those that have the same one have the
// same key.
type keyOrigin struct{ file, from, domain string }

func (s *subject) keyOrigin() keyOrigin {
	source, _, err := s.Settings().HashKey()
	if err != nil || source == nil {
		return keyOrigin{}
	}
	return keyOrigin{source.File, string(source.From), string(s.Settings().HashDomain.Value)}
}

// eachDecision visits the lines of locks about some applications.
func eachDecision(all []subject, visit func(s *subject, line aboutLine)) error {
	var locks lock.Updates
	for i := range all {
		s := &all[i]
		u, err := locks.At(s.Settings().Place())
		if err != nil {
			return err
		}
		for _, line := range s.lines(u.New(), pipeline.Applications(s.Application, u.Path(), u.Old())...) {
			visit(s, line)
		}
	}
	return nil
}

// provenKeys returns the hash keys that lines were made with: of each one digest of today is that of a line.
func provenKeys(all []subject) (map[keyOrigin]bool, error) {
	proven, today := map[keyOrigin]bool{}, map[*subject]digests{}
	for i := range all {
		today[&all[i]] = digestsOf(all[i].Plan)
	}
	err := eachDecision(all, func(s *subject, line aboutLine) {
		if policy.HoldsKeyed(line.Decision, today[s].all[line.of]) {
			proven[s.keyOrigin()] = true
		}
	})
	return proven, err
}

// refuseWithoutKey returns the error that digests made without a hash key would take the place of lines that were made
// with one: who passes the key afterwards would restart what was decided. Meant chooses the lines.
func refuseWithoutKey(command string, all []subject, meant func(*subject, aboutLine) bool) error {
	today := map[*subject]digests{}
	for i := range all {
		today[&all[i]] = digestsOf(all[i].Plan)
	}
	var errs []error
	err := eachDecision(all, func(s *subject, d aboutLine) {
		if !policy.LacksKey(d.Decision, today[s].all[d.of]) || !meant(s, d) {
			return
		}
		errs = append(errs, &diag.Error{
			Exit: diag.ExitUsage, Object: manifest.Describe(policy.SplitWorkloadID(d.of.workload)), Pos: d.Pos,
			Err:  fmt.Errorf("%s: its line about %s was made with a hash key, and this run has none", command, d.Object),
			Hint: "Pass the key with --hash-key-file. To go on without one, delete the line first."})
	})
	return errors.Join(append(errs, err)...)
}
