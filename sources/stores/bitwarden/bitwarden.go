// Package bitwarden asks Bitwarden Secrets Manager when secrets were revised, by the server in front of its SDK that
// External Secrets uses (bitwarden-sdk-server). That sends values along, of which nothing is kept.
package bitwarden

import (
	"context"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/stores"
)

// Options say which server, and who we are for it.
type Options struct {
	Server       string // bitwarden-sdk-server
	API          string // of Bitwarden; "" is the server's default
	Identity     string // of Bitwarden; the same
	Organization string
	Project      string
	Token        func() (string, error) // of a machine account
	HTTP         *http.Client
}

// Store is one project.
type Store struct {
	Options

	mu   sync.Mutex
	list []identifier // nil before it was asked for
}

// identifier is a secret as the server lists it.
type identifier struct {
	ID  string `json:"id"`
	Key string `json:"key"`
}

// revision is what counts of a secret.
type revision struct {
	ID      string `json:"id"`
	Project string `json:"projectId"`
	Revised string `json:"revisionDate"`
}

// Open returns the client of a store, where values may be read: the server has no answer without them.
func Open(t *stores.Target) (sources.Versions, error) {
	if !t.Operator.Values {
		f := sources.Fail(sources.Unpermitted, "store-values")
		f.Next = "Permit store-values: Bitwarden sends the value along with the date of its revision, which alone is kept. " +
			"Or let its manifests count with secrets.stores in .rollstamp.yaml."
		return nil, f
	}
	client, err := stores.Client(t.CAFile)
	if err != nil {
		return nil, err
	}
	return New(Options{
		Server: t.Fields["bitwardenServerSDKURL"], API: t.Fields["apiURL"], Identity: t.Fields["identityURL"],
		Organization: t.Fields["organizationID"], Project: t.Fields["projectID"],
		Token: t.Token(config.EnvBitwardenToken), HTTP: client,
	}), nil
}

// New makes a client. It asks nothing yet.
func New(o Options) *Store {
	o.Server = strings.TrimSuffix(o.Server, "/")
	return &Store{Options: o}
}

var uuid = regexp.MustCompile(`(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$`)

// Version returns when a secret was revised last, whatever version or property is named: External Secrets looks at
// neither. A key is an id, or the name of the only secret in the project.
func (s *Store) Version(ctx context.Context, ref sources.Ref) (sources.Answer, error) {
	if ref.Find != nil {
		return s.all(ctx)
	}
	if uuid.MatchString(ref.Key) {
		r, err := s.revision(ctx, ref.Key)
		return sources.Answer{Version: r.Revised}, err
	}
	list, err := s.identifiers(ctx)
	if err != nil {
		return sources.Answer{}, err
	}
	version := ""
	for _, secret := range list {
		if secret.Key != ref.Key {
			continue
		}
		r, err := s.revision(ctx, secret.ID)
		switch {
		case err != nil:
			return sources.Answer{}, err
		case r.Project == "" || r.Project != s.Project:
			continue
		case version != "":
			return sources.Answer{}, sources.Fail(sources.Refused, "several secrets of this name")
		}
		version = r.Revised
	}
	if version == "" {
		return sources.Answer{}, sources.Fail(sources.NotFound, "")
	}
	return sources.Answer{Version: version}, nil
}

// all returns the version of the set of all secrets: External Secrets takes each, whatever a search says.
func (s *Store) all(ctx context.Context) (sources.Answer, error) {
	list, err := s.identifiers(ctx)
	if err != nil {
		return sources.Answer{}, err
	}
	items := make([]sources.Item, len(list))
	for i, secret := range list {
		r, err := s.revision(ctx, secret.ID)
		if err != nil {
			return sources.Answer{}, err
		}
		items[i] = sources.Item{Name: secret.ID, Version: r.Revised}
	}
	return sources.Answer{Version: sources.SetVersion(items)}, nil
}

// revision asks for a secret. Its date is written in one way, so that no word of the server's becomes a version.
func (s *Store) revision(ctx context.Context, id string) (revision, error) {
	var r revision
	if err := s.ask(ctx, "/rest/api/1/secret", map[string]string{"id": id}, &r); err != nil {
		return revision{}, err
	}
	at, err := time.Parse(time.RFC3339Nano, r.Revised)
	if err != nil || !strings.EqualFold(plain(r.ID), plain(id)) {
		return revision{}, sources.Fail(sources.Malformed, "secret")
	}
	r.Revised = at.UTC().Format(time.RFC3339Nano)
	return r, nil
}

// plain returns an id without the dashes that may be left out.
func plain(id string) string { return strings.ReplaceAll(id, "-", "") }

// identifiers lists the secrets of the organization that the token may see, once.
func (s *Store) identifiers(ctx context.Context) ([]identifier, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.list != nil {
		return s.list, nil
	}
	var answer struct {
		Data []identifier `json:"data"`
	}
	if err := s.ask(ctx, "/rest/api/1/secrets", map[string]string{"organizationId": s.Organization}, &answer); err != nil {
		return nil, err
	}
	for _, i := range answer.Data {
		if !uuid.MatchString(i.ID) {
			return nil, sources.Fail(sources.Malformed, "list of secrets")
		}
	}
	s.list = append([]identifier{}, answer.Data...)
	return s.list, nil
}

func (s *Store) ask(ctx context.Context, path string, body, answer any) error {
	token, err := s.Token()
	if err != nil {
		return err
	}
	return stores.AskJSON(ctx, s.HTTP, stores.JSONRequest{
		URL: s.Server + path, Body: body, Refused: refusalOf,
		Headers: map[string]string{"Warden-Access-Token": token,
			"Warden-Api-Url": strings.TrimSuffix(s.API, "/"), "Warden-Identity-Url": strings.TrimSuffix(s.Identity, "/")},
	}, answer)
}

// upstream is how the SDK writes what Bitwarden answered, and login what the server says where it could not log in.
var (
	upstream = regexp.MustCompile(`\[([1-5][0-9]{2}) [A-Za-z ]+\]`)
	login    = regexp.MustCompile(`^failed to login\b`)
)

// refusalOf returns why the server refused: all of what Bitwarden refuses it is a bad request for it.
func refusalOf(status int, text []byte) *sources.Failure {
	if status != http.StatusBadRequest && status != http.StatusInternalServerError {
		return sources.ByStatus(status)
	}
	m := upstream.FindSubmatch(text)
	switch {
	case login.Match(text) && (m == nil || m[1][0] == '4' && string(m[1]) != "429"):
		return sources.Fail(sources.NoLogin, "HTTP "+strconv.Itoa(status))
	case m == nil:
		return sources.ByStatus(status)
	}
	code, _ := strconv.Atoi(string(m[1]))
	return sources.ByStatus(code)
}
