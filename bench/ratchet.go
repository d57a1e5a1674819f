package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
)

// ratchetFile holds what start-up may cost. It is changed by hand, with -hold, where the new figure is meant.
const ratchetFile = "bench/ratchet.json"

// held is what the ratchet holds. The last two come out the same on every machine with the same Go.
type held struct {
	StartRatio  float64 `json:"startRatio"`  // CPU time of a one-object chart, ours by helm's
	BinaryBytes int64   `json:"binaryBytes"` // stripped
	InitAllocs  int64   `json:"initAllocs"`  // allocations before main begins, over all packages
}

// ratchet compares with what is held, and says what got worse.
func (b *bench) ratchet(ctx context.Context, hold bool) error {
	now, err := b.startUp(ctx)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(ratchetFile)
	if err != nil {
		return err
	}
	var was held
	if err := json.Unmarshal(text, &was); err != nil {
		return fmt.Errorf("read %s: %w", ratchetFile, err)
	}
	if hold {
		if now.StartRatio == 0 {
			return errors.New("-hold needs the group start")
		}
		text, err := json.MarshalIndent(now, "", "  ")
		if err != nil {
			return err
		}
		return os.WriteFile(ratchetFile, append(text, '\n'), 0o644)
	}
	fmt.Fprintf(os.Stderr, "\nstart-up: %.3f x helm (held: %.3f), binary %d bytes (%d), %d allocations before main (%d)\n",
		now.StartRatio, was.StartRatio, now.BinaryBytes, was.BinaryBytes, now.InitAllocs, was.InitAllocs)
	if b.quick {
		now.StartRatio = 0 // too few runs to hold a time against; what is counted is the same every time
	}
	return now.worse(was)
}

// worse returns what got worse by more than noise: a sixth of a ratio that is timed, a fiftieth of what is counted.
func (h held) worse(was held) error {
	var errs []error
	if h.StartRatio > was.StartRatio*7/6 {
		errs = append(errs, errors.New("start-up got slower"))
	}
	if h.BinaryBytes > was.BinaryBytes+was.BinaryBytes/50 {
		errs = append(errs, errors.New("the binary grew"))
	}
	if h.InitAllocs > was.InitAllocs+was.InitAllocs/50 {
		errs = append(errs, errors.New("more is allocated before main begins"))
	}
	return errors.Join(errs...)
}

func (b *bench) startUp(ctx context.Context) (held, error) {
	info, err := os.Stat(b.ours)
	if err != nil {
		return held{}, err
	}
	var trace bytes.Buffer
	cmd := exec.CommandContext(ctx, b.ours, "version")
	cmd.Env = append(cmd.Environ(), "GODEBUG=inittrace=1")
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		return held{}, fmt.Errorf("trace start-up: %w", err)
	}
	allocs := int64(0)
	for _, m := range regexp.MustCompile(`(?m)^init .* (\d+) allocs$`).FindAllSubmatch(trace.Bytes(), -1) {
		n, err := strconv.ParseInt(string(m[1]), 10, 64)
		if err != nil {
			return held{}, err
		}
		allocs += n
	}
	if allocs == 0 {
		return held{}, fmt.Errorf("trace start-up: no package in %q", trace.String())
	}
	return held{StartRatio: b.startRatio, BinaryBytes: info.Size(), InitAllocs: allocs}, nil
}
