package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/rollstamp/rollstamp/sources/lock"
)

// external is how many of a stream's Secrets are written as ExternalSecrets, spread evenly, and how many keys each has.
type external struct{ objects, keys int }

// in reports whether the Secret of app i is one of them.
func (e external) in(i, apps int) bool { return (i+1)*e.objects/apps > i*e.objects/apps }

// writeExternal writes app i as writeApp does, with an ExternalSecret for its Secret.
func writeExternal(w io.Writer, i, keys int) {
	var app bytes.Buffer
	writeApp(&app, i, false)
	documents := bytes.Split(app.Bytes(), []byte("---\n"))
	name := fmt.Sprintf("app-%05d", i)
	var es bytes.Buffer
	fmt.Fprintf(&es, "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata:\n  name: %s\n  labels:\n    app: %s\nspec:\n", name, name)
	fmt.Fprintf(&es, "  refreshInterval: 1h\n  secretStoreRef:\n    kind: ClusterSecretStore\n    name: vault\n  target:\n    name: %s\n  data:\n", name)
	for k := range keys {
		fmt.Fprintf(&es, "    - secretKey: KEY_%02d\n      remoteRef:\n        key: apps/%s\n        property: key_%02d\n",
			k, name, k)
	}
	documents[1] = es.Bytes()
	fmt.Fprintf(w, "%s", bytes.Join(documents, []byte("---\n")))
}

// secrets measures what Secrets that are not in Git cost over those that are.
func (b *bench) secrets(ctx context.Context) error {
	objects, few := 10000, external{200, 5}
	if b.quick {
		objects, few = 300, external{10, 5}
	}
	apps := objects / kinds
	plain := b.path("secrets", "plain", "all.yaml")
	if err := writeFiles(filepath.Dir(plain),
		map[string]func(io.Writer){"all.yaml": func(w io.Writer) { writeApps(w, 0, apps, false) }}); err != nil {
		return err
	}
	all := external{apps, 16}
	for _, row := range []struct {
		policy string
		external
		most float64
	}{{"spec", few, 1.10}, {"lock", few, 1.10}, {"spec", all, 1.20}, {"lock", all, 1.60}} {
		dir := b.path("secrets", fmt.Sprintf("%s-%d", row.policy, row.objects))
		err := writeFiles(dir, map[string]func(io.Writer){
			"all.yaml": func(w io.Writer) {
				for i := range apps {
					fmt.Fprint(w, "---\n")
					if row.in(i, apps) {
						writeExternal(w, i, row.keys)
					} else {
						writeApp(w, i, false)
					}
				}
			},
			"rollstamp.lock": func(w io.Writer) { writeLock(w, lock.Schema, row.external, apps) },
			filepath.Join(forOlder, "rollstamp.lock"): func(w io.Writer) { writeLock(w, 1, row.external, apps) },
		})
		if err != nil {
			return err
		}
		theirs := command{argv: []string{b.ours, "stamp"}, stdin: plain}
		ours := command{argv: []string{b.ours, "stamp", "--secrets", row.policy}, dir: dir,
			stdin: filepath.Join(dir, "all.yaml")}
		more := 0
		if row.policy == "lock" {
			more = row.objects // each has a stamp of its own, for its operator
		}
		_, err = b.do(ctx, work{
			name: fmt.Sprintf("stamping %d objects, %d of them ExternalSecrets of %d keys, by %s", objects, row.objects,
				row.keys, row.policy),
			against: "the same with Secrets in their place", runs: 15, theirs: side{theirs}, ours: side{ours},
			claims: []claim{cpuClaim(atMost(row.most, 0))},
			check:  func(ctx context.Context) (string, error) { return b.asManyStamps(ctx, theirs, ours, more) },
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// writeLock writes the lock of a schema for all ExternalSecrets.
func writeLock(w io.Writer, schema int, e external, apps int) {
	fmt.Fprintf(w, "schema %d\n", schema)
	for i := range apps {
		if e.in(i, apps) {
			fmt.Fprintf(w, "ClusterSecretStore/vault apps/app-%05d version 3\n", i)
		}
	}
}

// asManyStamps checks that ours writes as many stamps as theirs, and so many more.
func (b *bench) asManyStamps(ctx context.Context, theirs, ours command, more int) (string, error) {
	theirs.stdout, ours.stdout = b.path("secrets", "theirs.yaml"), b.path("secrets", "ours.yaml")
	if _, err := (side{theirs, ours}).run(ctx); err != nil {
		return "", err
	}
	var counts [2]int
	for i, path := range []string{theirs.stdout, ours.stdout} {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		counts[i] = bytes.Count(text, []byte(stampPrefix))
	}
	if counts[1] != counts[0]+more || counts[0] == 0 {
		return "", fmt.Errorf("%d stamps, want %d and %d more", counts[1], counts[0], more)
	}
	return fmt.Sprintf("%d stamps", counts[1]), nil
}
