package sops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"filippo.io/age/agessh"
	"github.com/getsops/sops/v3/age"
	"github.com/getsops/sops/v3/azkv"
	"github.com/getsops/sops/v3/gcpkms"
	"github.com/getsops/sops/v3/hckms"
	"github.com/getsops/sops/v3/hcvault"
	"github.com/getsops/sops/v3/keyservice"
	"github.com/getsops/sops/v3/kms"
	"github.com/getsops/sops/v3/pgp"
	"google.golang.org/grpc"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/redact"
)

// What can be wrong with an age key. Errors of New are *diag.Error with exit code 2 and wrap one of
// these.
var (
	ErrKeyMissing    = errors.New("no such file")
	ErrKeyUnreadable = errors.New("cannot be read")
	ErrKeyFormat     = errors.New("holds no age identity that can be used")
)

// keyring is what may be used to decrypt data keys.
type keyring struct {
	age      age.ParsedIdentities
	gnuPG    bool
	services []string
}

func newKeyring(o Options) (*keyring, error) {
	ring := &keyring{gnuPG: o.GnuPG, services: o.KeyServices}
	for _, text := range o.AgeKeys {
		if err := ring.add(text); err != nil {
			return nil, diag.Usage(fmt.Errorf("read age key: %w", err), "")
		}
	}
	for _, file := range o.AgeKeyFiles {
		text, err := os.ReadFile(file)
		switch {
		case errors.Is(err, os.ErrNotExist):
			err = ErrKeyMissing
		case err != nil:
			err = ErrKeyUnreadable
		default:
			err = ring.add(redact.New(text))
		}
		if err != nil {
			hint := "It is the file of private keys that 'age-keygen' wrote, with a line that begins with AGE-SECRET-KEY-."
			if errors.Is(err, ErrKeyMissing) {
				hint = "Correct SOPS_AGE_KEY_FILE, or the file under sops in the operator's policy file."
			}
			return nil, diag.Usage(fmt.Errorf("read age key: %s: %w", file, err), hint)
		}
	}
	return ring, nil
}

// add reads identities. The library's errors are not passed on: they may quote what they read.
func (k *keyring) add(secret redact.Secret) error {
	text := bytes.TrimSpace(secret.Reveal())
	before := len(k.age)
	if bytes.HasPrefix(text, []byte("-----BEGIN")) {
		id, err := agessh.ParseIdentity(text)
		if err != nil {
			return fmt.Errorf("%w: an SSH key that is damaged, of another kind or under a passphrase", ErrKeyFormat)
		}
		k.age = append(k.age, id)
		return nil
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		for word := range strings.FieldsSeq(line) {
			if strings.HasPrefix(word, "AGE-PLUGIN-") {
				return fmt.Errorf("%w: plugins are not run", ErrKeyFormat)
			}
			if err := k.age.Import(word); err != nil {
				return ErrKeyFormat
			}
		}
	}
	if len(k.age) == before {
		return ErrKeyFormat
	}
	return nil
}

// allows reports whether a key of a cloud or Vault may be asked.
func (k *keyring) allows(name string) bool {
	return slices.ContainsFunc(k.services, func(s string) bool {
		start, prefix := strings.CutSuffix(s, "*")
		return s == name || prefix && start != "" && strings.HasPrefix(name, start)
	})
}

// service is what SOPS asks for data keys: one for each document. It remembers what was tried without success.
type service struct {
	ctx context.Context // SOPS hands on none
	*keyring
	lacking []string // keys that are not at hand
	refused []string // keys that may not be asked
	failed  []string // keys that were asked and did not answer
}

// failure reports why no data key was found.
func (s *service) failure() error {
	switch {
	case len(s.failed) > 0:
		return fmt.Errorf("%w: %s", ErrService, strings.Join(s.failed, ", "))
	case len(s.refused)+len(s.lacking) == 0:
		return fmt.Errorf("%w: it names no key", ErrFormat)
	}
	names := s.lacking
	for _, name := range s.refused {
		names = append(names, name+" (not listed)")
	}
	return fmt.Errorf("%w; it is encrypted for %s", ErrNoKey, strings.Join(names, ", "))
}

// Encrypt is never asked.
func (s *service) Encrypt(context.Context, *keyservice.EncryptRequest,
	...grpc.CallOption) (*keyservice.EncryptResponse, error) {
	return nil, errors.ErrUnsupported
}

// errKeyFailed is all that SOPS learns of a key that does not work; what there is to say is kept in the service.
var errKeyFailed = errors.New("the key did not work")

// Decrypt decrypts a data key.
func (s *service) Decrypt(_ context.Context, r *keyservice.DecryptRequest,
	_ ...grpc.CallOption) (*keyservice.DecryptResponse, error) {
	plain, err := s.key(r.GetKey(), string(r.GetCiphertext()))
	if err != nil {
		return nil, err
	}
	return &keyservice.DecryptResponse{Plaintext: plain}, nil
}

func (s *service) key(k *keyservice.Key, wrapped string) ([]byte, error) {
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	switch {
	case k.GetAgeKey() != nil:
		return s.local(k.GetAgeKey().GetRecipient(), len(s.age) > 0, func() ([]byte, error) {
			master := &age.MasterKey{Recipient: k.GetAgeKey().GetRecipient(), EncryptedKey: wrapped}
			s.age.ApplyToMasterKey(master)
			return master.Decrypt()
		})
	case k.GetPgpKey() != nil:
		return s.local("PGP "+k.GetPgpKey().GetFingerprint(), s.gnuPG, func() ([]byte, error) {
			master := pgp.NewMasterKeyFromFingerprint(k.GetPgpKey().GetFingerprint())
			master.EncryptedKey = wrapped
			pgp.DisableOpenPGP{}.ApplyToMasterKey(master) // that way asks for a passphrase on the terminal
			return master.DecryptContext(s.ctx)
		})
	}
	return s.remote(k, wrapped)
}

func (s *service) local(name string, have bool, decrypt func() ([]byte, error)) ([]byte, error) {
	if have {
		if plain, err := decrypt(); err == nil {
			return plain, nil
		}
	}
	s.lacking = append(s.lacking, name)
	return nil, errKeyFailed
}

// remote asks a cloud or a Vault, where the operator has listed the key.
func (s *service) remote(k *keyservice.Key, wrapped string) ([]byte, error) {
	name, decrypt := "a key of an unknown kind", func() ([]byte, error) { return nil, errKeyFailed }
	switch {
	case k.GetKmsKey() != nil:
		key := k.GetKmsKey()
		around := map[string]*string{}
		for field, value := range key.GetContext() {
			around[field] = &value
		}
		master := kms.MasterKey{Arn: key.GetArn(), Role: key.GetRole(), EncryptionContext: around,
			AwsProfile: key.GetAwsProfile(), EncryptedKey: wrapped}
		name, decrypt = key.GetArn(), func() ([]byte, error) { return master.DecryptContext(s.ctx) }
	case k.GetGcpKmsKey() != nil:
		master := gcpkms.MasterKey{ResourceID: k.GetGcpKmsKey().GetResourceId(), EncryptedKey: wrapped}
		name, decrypt = master.ResourceID, func() ([]byte, error) { return master.DecryptContext(s.ctx) }
	case k.GetAzureKeyvaultKey() != nil:
		key := k.GetAzureKeyvaultKey()
		master := azkv.MasterKey{VaultURL: key.GetVaultUrl(), Name: key.GetName(), Version: key.GetVersion(),
			EncryptedKey: wrapped}
		name, decrypt = master.ToString(), func() ([]byte, error) { return master.DecryptContext(s.ctx) }
	case k.GetVaultKey() != nil:
		key := k.GetVaultKey()
		master := hcvault.MasterKey{VaultAddress: key.GetVaultAddress(), EnginePath: key.GetEnginePath(),
			KeyName: key.GetKeyName(), EncryptedKey: wrapped}
		name, decrypt = master.ToString(), func() ([]byte, error) { return master.DecryptContext(s.ctx) }
	case k.GetHckmsKey() != nil:
		if master, err := hckms.NewMasterKey(k.GetHckmsKey().GetKeyId()); err == nil {
			master.EncryptedKey = wrapped
			name, decrypt = k.GetHckmsKey().GetKeyId(), func() ([]byte, error) { return master.DecryptContext(s.ctx) }
		}
	}
	if !s.allows(name) {
		s.refused = append(s.refused, name)
		return nil, errKeyFailed
	}
	plain, err := decrypt()
	if err != nil {
		s.failed = append(s.failed, name)
		return nil, errKeyFailed
	}
	return plain, nil
}
