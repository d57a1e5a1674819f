package config

import (
	"os"
	"path/filepath"
	"testing"
)

// A kubelet fills a volume with a folder of its own, a link ..data to that, and a link for each file through ..data.
func TestAKeyInAVolumeOfAPodIsReadByNobodyElse(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "..2026_11_21"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "..2026_11_21", "hash-key"), []byte("0123456789abcdef"), 0o644); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(dir, "hash-key")
	if err := os.Symlink("..2026_11_21/hash-key", key); err != nil {
		t.Fatal(err)
	}
	s := mustResolve(t, "", env(EnvSealingKeys, key), Flags{"hash-key-file": {key}})
	if _, findings, err := s.HashKey(); err != nil || len(findings) != 1 {
		t.Errorf("before: %v, findings %+v", err, findings)
	}
	if findings := s.KeyFindings(); len(findings) != 1 {
		t.Errorf("before: findings %+v of the sealing key", findings)
	}
	if err := os.Symlink("..2026_11_21", filepath.Join(dir, "..data")); err != nil {
		t.Fatal(err)
	}
	if _, findings, err := s.HashKey(); err != nil || len(findings) != 0 {
		t.Errorf("in a volume: %v, findings %+v", err, findings)
	}
	if findings := s.KeyFindings(); len(findings) != 0 {
		t.Errorf("in a volume: findings %+v of the sealing key", findings)
	}
}
