package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func (b *bench) stampSynthetic(ctx context.Context) error {
	objects := 10000
	if b.quick {
		objects = 300
	}
	stream := b.path("stream.yaml")
	if err := writeStream(stream, objects); err != nil {
		return err
	}
	_, err := b.do(ctx, b.stamping(fmt.Sprintf("stamping %d objects", objects), stream, 5,
		cpuClaim(timesLess(35, 60)), memoryClaim(timesLess(20, 0))))
	return err
}

// stamping is a row that stamps a file, against kyaml.
func (b *bench) stamping(name, file string, runs int, claims ...claim) work {
	theirs := command{argv: []string{b.kio}, stdin: file}
	ours := command{argv: []string{b.ours, "stamp"}, stdin: file}
	return work{
		name: name, against: "kyaml: parse, annotate, print all", runs: runs, theirs: side{theirs}, ours: side{ours},
		claims: claims,
		check: func(ctx context.Context) (string, error) {
			theirs.stdout, ours.stdout = b.path("theirs.yaml"), b.path("stamped.yaml")
			if _, err := (side{theirs, ours}).run(ctx); err != nil {
				return "", err
			}
			stamps, err := b.lessStamps(ctx, file, ours.stdout)
			if err != nil {
				return "", err
			}
			// Ours are the bytes that came in; kyaml writes them again, and some values come out differently.
			objects, changed, err := b.compare(ctx, theirs.stdout, ours.stdout)
			if err != nil {
				return "", err
			}
			readers, err := b.ask(ctx, "readers", file)
			return fmt.Sprintf("%d objects, %d of them changed by kyaml; %d stamps; %s", objects, changed, stamps, readers), err
		},
	}
}

// stampStreams stamps the files of the globs. Those too small to show more than start-up are joined, but for those that
// kyaml or the comparison itself refuses.
func (b *bench) stampStreams(ctx context.Context) error {
	const large = 1 << 20
	files, err := expand(b.streams)
	if err != nil || len(files) == 0 {
		return err
	}
	joined, err := os.Create(b.path("small.yaml"))
	if err != nil {
		return err
	}
	defer joined.Close()
	var rows []string
	small := 0
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		if info.Size() >= large {
			rows = append(rows, file)
			continue
		}
		if err := b.comparable(ctx, file); err != nil {
			fmt.Fprintf(os.Stderr, "%s is left out: %v\n", filepath.Base(file), err)
			continue
		}
		small++
		if err := appendStream(joined, file); err != nil {
			return err
		}
	}
	if small > 0 {
		rows = append(rows, joined.Name())
		fmt.Fprintf(os.Stderr, "%s: %d streams below 1 MiB, joined\n", filepath.Base(joined.Name()), small)
	}
	idle, err := b.idle(ctx)
	if err != nil {
		return err
	}
	for _, file := range rows {
		w := b.stamping("stamping "+filepath.Base(file), file, 5, cpuClaim(timesLess(25, 40)), memoryClaim(goal{times: true}))
		w.idle = &idle
		if _, err := b.do(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// idle measures both sides over a stream of a single line.
func (b *bench) idle(ctx context.Context) (pair, error) {
	file := b.path("idle.yaml")
	if err := os.WriteFile(file, []byte("kind: None\n"), 0o644); err != nil {
		return pair{}, err
	}
	w := b.stamping("", file, 0)
	return measure(ctx, b.runs(15), w.theirs, w.ours)
}

// comparable reports whether there is anything to compare: kyaml takes the file, and it can be read without a key given
// twice.
func (b *bench) comparable(ctx context.Context, file string) error {
	if _, err := (command{argv: []string{b.kio}, stdin: file}).run(ctx); err != nil {
		return err
	}
	_, _, err := b.compare(ctx, file, file)
	return err
}

func appendStream(w io.Writer, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	_, errEnd := io.WriteString(w, "\n---\n")
	return errors.Join(err, errEnd)
}
