package wiring

import (
	"context"
	"sync"

	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/sources"
)

// decrypters are made once for all applications of a run that have the same settings.
type decrypters struct {
	mu   sync.Mutex
	made map[string]sources.Decrypter
}

func (d *decrypters) once(id string, load func() (sources.Decrypter, error)) (sources.Decrypter, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if made := d.made[id]; made != nil {
		return made, nil
	}
	made, err := load()
	if err != nil {
		return nil, err
	}
	if d.made == nil {
		d.made = map[string]sources.Decrypter{}
	}
	d.made[id] = made
	return made, nil
}

// chain is several decrypters, each for documents of its own kind.
type chain []sources.Decrypter

// Decrypt returns what the first of them decrypts.
func (c chain) Decrypt(ctx context.Context, namespace string, doc []byte) (map[string]redact.Secret, error) {
	for _, d := range c {
		if values, err := d.Decrypt(ctx, namespace, doc); values != nil || err != nil {
			return values, err
		}
	}
	return nil, nil
}
