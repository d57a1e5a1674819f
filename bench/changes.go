package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"
)

// manyChanges compares streams in which every object is another one: what that costs grows as the objects do, and a
// report costs little beyond the comparison.
func (b *bench) manyChanges(ctx context.Context) error {
	sizes := []int{4000, 16000, 64000}
	if b.quick {
		sizes = []int{500, 1000, 2000}
	}
	var counts []command
	for _, objects := range sizes {
		c, err := b.writeChanged(objects)
		if err != nil {
			return err
		}
		counts = append(counts, c)
	}
	const exponent = 1.1
	_, err := b.do(ctx, work{
		name: fmt.Sprintf("diff of %d objects, all changed", sizes[1]), against: fmt.Sprintf("of %d", sizes[0]), runs: 3,
		theirs: side{counts[0]}, ours: side{counts[1]},
		claims: []claim{cpuClaim(atMost(math.Pow(float64(sizes[1])/float64(sizes[0]), exponent), 0)), memoryClaim(goal{})},
		check: func(ctx context.Context) (string, error) {
			fitted, err := fit(ctx, sizes, counts)
			if err == nil && fitted > exponent {
				err = fmt.Errorf("cost grows with the power %.2f of the objects, which is to be at most %.2f", fitted, exponent)
			}
			return fmt.Sprintf("the power %.2f of the objects, up to %d", fitted, sizes[len(sizes)-1]), err
		},
	})
	if err != nil {
		return err
	}
	for _, format := range []string{"text", "json", "markdown", "html", "sarif"} {
		report := counts[1]
		report.argv = append(report.argv[:len(report.argv)-1:len(report.argv)-1], format)
		_, err := b.do(ctx, work{
			name: fmt.Sprintf("diff of %d objects, as %s", sizes[1], format), against: "-o count", runs: 3,
			theirs: side{counts[1]}, ours: side{report}, claims: []claim{cpuClaim(atMost(1.2, 0)), memoryClaim(goal{})},
			check: func(ctx context.Context) (string, error) {
				report.stdout = b.path("changes.report")
				_, err := report.run(ctx)
				if err != nil {
					return "", err
				}
				info, err := os.Stat(report.stdout)
				if err != nil {
					return "", err
				}
				return fmt.Sprintf("%d KiB", info.Size()>>10), nil
			},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// writeChanged writes two streams of so many objects, of which each is another one, and returns how they are compared.
func (b *bench) writeChanged(objects int) (command, error) {
	other := strings.NewReplacer(`SETTING_00: "`, `SETTING_00: "x`, "KEY_00: ", "KEY_00: eHh4", ":1.4.0", ":1.5.0")
	var files [2]string
	for i, change := range []*strings.Replacer{strings.NewReplacer(), other} {
		files[i] = b.path(fmt.Sprintf("changes-%d-%d.yaml", objects, i))
		f, err := os.Create(files[i])
		if err != nil {
			return command{}, err
		}
		defer f.Close()
		writeApps(replacing{f, change}, 0, objects/kinds, false)
	}
	argv := []string{b.ours, "diff", "--exit-zero", "--from-file", files[0], "--to-file", files[1], "-o", "count"}
	return command{argv: argv}, nil
}

// replacing changes each text that is written.
type replacing struct {
	w      io.Writer
	change *strings.Replacer
}

func (r replacing) Write(text []byte) (int, error) {
	_, err := r.change.WriteString(r.w, string(text))
	return len(text), err
}

// fit returns the power of the sizes by which the CPU time of commands grows: the slope of both logarithms.
func fit(ctx context.Context, sizes []int, commands []command) (float64, error) {
	var x, y, xx, xy float64
	for i, c := range commands {
		best := time.Duration(math.MaxInt64)
		for range 3 {
			u, err := c.run(ctx)
			if err != nil {
				return 0, err
			}
			best = min(best, u.cpu)
		}
		a, b := math.Log(float64(sizes[i])), math.Log(best.Seconds())
		x, y, xx, xy = x+a, y+b, xx+a*a, xy+a*b
	}
	n := float64(len(commands))
	return (n*xy - x*y) / (n*xx - x*x), nil
}
