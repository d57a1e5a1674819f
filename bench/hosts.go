package main

import (
	"context"
	"fmt"
	"io"
)

// hosts are programs that hand manifests to another and go on with what it returns. Beside ours stands one that returns
// what it gets, so the difference is what ours adds.
func (b *bench) hosts(ctx context.Context) error {
	const objects = 100
	chart := b.path("host-chart")
	if err := writeChart(chart, objects); err != nil {
		return err
	}
	rendered := func(program string, args ...string) command {
		argv := []string{b.helm, "template", chart, "--post-renderer", program}
		for _, arg := range args {
			argv = append(argv, "--post-renderer-args", arg)
		}
		return command{argv: argv}
	}
	empty, err := b.functionBuild("empty", "path: cat", objects)
	if err != nil {
		return err
	}
	ours, err := b.functionBuild("fn", fmt.Sprintf("path: %q, args: [fn]", b.ours), objects)
	if err != nil {
		return err
	}
	for _, row := range []struct {
		name, against string
		theirs, ours  command
	}{
		{"kustomize build of 100 objects with fn", "with an empty function", empty, ours},
		{"helm template of 100 objects with a post-renderer", "with an empty one",
			rendered("cat"), rendered(b.ours, "stamp")},
	} {
		_, err := b.do(ctx, work{
			name: row.name, against: row.against, runs: 31, theirs: side{row.theirs}, ours: side{row.ours},
			check: b.sameButStamps(row.theirs, row.ours), claims: []claim{cpuClaim(goal{})},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// functionBuild writes a kustomization with a function, and returns its build.
func (b *bench) functionBuild(name, function string, objects int) (command, error) {
	dir := b.path("host-" + name)
	if err := writeKustomization(dir, objects); err != nil {
		return command{}, err
	}
	err := writeFiles(dir, map[string]func(io.Writer){
		"kustomization.yaml": text("resources: [all.yaml]\ntransformers: [stamp.yaml]\n"),
		"stamp.yaml": text("apiVersion: rollstamp.dev/v1\nkind: Stamp\nmetadata:\n  name: stamp\n" +
			"  annotations:\n    config.kubernetes.io/function: 'exec: {" + function + "}'\n"),
	})
	return command{argv: []string{b.kustomize, "build", "--enable-alpha-plugins", "--enable-exec", dir}}, err
}

// sameButStamps checks that ours prints what an empty one does, and adds nothing but stamps.
func (b *bench) sameButStamps(theirs, ours command) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		theirs.stdout, ours.stdout = b.path("theirs.yaml"), b.path("stamped.yaml")
		if _, err := (side{theirs, ours}).run(ctx); err != nil {
			return "", err
		}
		stamps, err := b.lessStamps(ctx, theirs.stdout, ours.stdout)
		return fmt.Sprintf("nothing else changes; %d stamps", stamps), err
	}
}
