package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
)

// inFolder is how many applications of an engine are described in one folder, by which another one applies them.
const inFolder = 100

// describedRepo is where the repositories of described applications are said to lie.
const describedRepo = "https://git.example.com/team/apps.git"

// writeDescribed writes a repository of small applications, each in its folder, and files that describe them.
func writeDescribed(ctx context.Context, dir string, n int, describe func(i int) (file, text string)) error {
	if err := writeSmall(dir, n); err != nil {
		return err
	}
	for i := range n {
		file, text := describe(i)
		err := writeFiles(dir, map[string]func(io.Writer){file: func(w io.Writer) { fmt.Fprint(w, text) }})
		if err != nil {
			return err
		}
	}
	for _, args := range [][]string{
		{"init", "-q"}, {"remote", "add", "origin", describedRepo}, {"add", "-A"}, {"commit", "-q", "-m", "begin"},
	} {
		if err := gitIn(ctx, dir, nil, args...); err != nil {
			return err
		}
	}
	return nil
}

// writeArgo writes applications that Applications of Argo CD describe.
func (b *bench) writeArgo(ctx context.Context, dir string, n int) (command, error) {
	c := command{argv: []string{b.ours, "render", "--as", "argocd", "--output-dir", "out", "argocd"}, dir: dir}
	return c, writeDescribed(ctx, dir, n, func(i int) (string, string) {
		return fmt.Sprintf("argocd/app-%05d.yaml", i), fmt.Sprintf(`apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: app-%05[1]d, namespace: argocd}
spec:
  project: default
  destination: {server: https://kubernetes.default.svc, namespace: app-%05[1]d}
  source: {repoURL: %[2]s, path: apps/app-%05[1]d, targetRevision: HEAD}
`, i, describedRepo)
	})
}

// writeFlux writes applications that Kustomizations of Flux describe, each with a ConfigMap that it takes values from.
// A Kustomization for each hundred applies these.
func (b *bench) writeFlux(ctx context.Context, dir string, n int) (command, error) {
	c := command{argv: []string{b.ours, "render", "--as", "flux", "--output-dir", "out", "cluster"}, dir: dir}
	kustomization := func(name, path, more string) string {
		return fmt.Sprintf(`apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: %s, namespace: flux-system}
spec:
  interval: 10m
  prune: true
  path: %s
  sourceRef: {kind: GitRepository, name: apps}
%s---
`, name, path, more)
	}
	err := writeFiles(dir, map[string]func(io.Writer){filepath.Join("cluster", "teams.yaml"): func(w io.Writer) {
		fmt.Fprintf(w, `apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: apps, namespace: flux-system}
spec: {interval: 1m, url: %s, ref: {branch: main}}
---
`, describedRepo)
		for team := 0; team*inFolder < n; team++ {
			fmt.Fprint(w, kustomization(fmt.Sprint("team-", team), fmt.Sprint("./teams/", team), ""))
		}
	}})
	if err != nil {
		return c, err
	}
	return c, writeDescribed(ctx, dir, n, func(i int) (string, string) {
		name := fmt.Sprintf("app-%05d", i)
		takes := fmt.Sprintf("  targetNamespace: %s\n  postBuild: {substituteFrom: [{kind: ConfigMap, name: %[1]s}]}\n", name)
		return fmt.Sprintf("teams/%d/%s.yaml", i/inFolder, name),
			kustomization(name, "./apps/"+name, takes) + fmt.Sprintf(`apiVersion: v1
kind: ConfigMap
metadata: {name: %s, namespace: flux-system}
data: {region: eu}
`, name)
	})
}
