// Package onepassword asks a 1Password Connect server for the versions of items, by lists that hold no value.
package onepassword

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/stores"
)

// Options say which server, and who we are for it.
type Options struct {
	Host   string                 // of the Connect server
	Vaults []string               // names or ids, in the order in which items are looked for
	Token  func() (string, error) // of Connect
	HTTP   *http.Client
}

// Store is one Connect server with some of its vaults.
type Store struct {
	Options

	mu     sync.Mutex
	vaults []vault // nil before they were asked for
}

// vault is a vault as the server lists it.
type vault struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Created time.Time `json:"createdAt"`
}

// item is an item as the server lists it: without its fields.
type item struct {
	ID      string    `json:"id"`
	Title   string    `json:"title"`
	Version int       `json:"version"`
	Tags    []string  `json:"tags"`
	Created time.Time `json:"createdAt"`
}

// New makes a client. It asks nothing yet.
func New(o Options) *Store {
	o.Host = strings.TrimSuffix(o.Host, "/")
	return &Store{Options: o}
}

// id is what 1Password's ids look like, and uuid what External Secrets takes for one.
var (
	id   = regexp.MustCompile(`^[a-z0-9]{26}$`)
	uuid = regexp.MustCompile(`(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$`)
)

// Version returns the version of an item, which each edit of it moves, or of the set that a search finds. A property
// has the version of its item.
func (s *Store) Version(ctx context.Context, ref sources.Ref) (sources.Answer, error) {
	switch {
	case ref.Find != nil:
		return s.find(ctx, ref.Find)
	case ref.Version != "":
		return sources.Answer{}, sources.Fail(sources.Refused, "version") // no operator takes one
	case ref.Store.Kind == sources.OnePassword:
		return s.atPath(ctx, ref.Key)
	}
	vaults := s.Vaults
	if uuid.MatchString(ref.Key) && len(vaults) > 1 {
		vaults = vaults[:1] // as External Secrets does
	}
	for _, name := range vaults {
		v, err := s.vault(ctx, name)
		if err != nil {
			return sources.Answer{}, err
		}
		items, err := s.items(ctx, v.ID, ref.Key)
		switch {
		case err != nil:
			return sources.Answer{}, err
		case len(items) == 1:
			return versionOf(items[0])
		case len(items) > 1:
			return sources.Answer{}, sources.Fail(sources.Refused, "several items of this title")
		}
	}
	return sources.Answer{}, sources.Fail(sources.NotFound, "")
}

// itemPath is how 1Password's own operator names an item.
var itemPath = regexp.MustCompile(`^vaults/(.*)/items/(.*)$`)

// atPath returns the version of the item that 1Password's operator takes: by its id, else the oldest of its title.
func (s *Store) atPath(ctx context.Context, path string) (sources.Answer, error) {
	m := itemPath.FindStringSubmatch(path)
	if m == nil {
		return sources.Answer{}, sources.Fail(sources.Refused, "itemPath")
	}
	v, err := s.oldestVault(ctx, m[1])
	if err != nil {
		return sources.Answer{}, err
	}
	if id.MatchString(m[2]) {
		all, err := s.items(ctx, v.ID, "")
		if err != nil {
			return sources.Answer{}, err
		}
		if at := slices.IndexFunc(all, func(i item) bool { return i.ID == m[2] }); at >= 0 {
			return versionOf(all[at])
		}
	}
	items, err := s.items(ctx, v.ID, m[2])
	if err != nil {
		return sources.Answer{}, err
	}
	if len(items) == 0 {
		return sources.Answer{}, sources.Fail(sources.NotFound, "")
	}
	return versionOf(slices.MinFunc(items, func(a, b item) int { return a.Created.Compare(b.Created) }))
}

func versionOf(i item) (sources.Answer, error) {
	if i.Version < 1 {
		return sources.Answer{}, sources.Fail(sources.Malformed, "version of an item")
	}
	return sources.Answer{Version: strconv.Itoa(i.Version)}, nil
}

// find returns the version of the set of items that a search looks into. Which of their fields fit is not known without
// their values, so all of an item counts. External Secrets looks at tags before the path, and then into one vault only.
func (s *Store) find(ctx context.Context, f *sources.Find) (sources.Answer, error) {
	if _, err := f.Pattern(); err != nil {
		return sources.Answer{}, err
	}
	var found []sources.Item
	for _, name := range s.Vaults {
		v, err := s.vault(ctx, name)
		if err != nil {
			return sources.Answer{}, err
		}
		items, err := s.items(ctx, v.ID, "")
		if err != nil {
			return sources.Answer{}, err
		}
		for _, i := range items {
			if !isWanted(i, f) {
				continue
			}
			answer, err := versionOf(i)
			if err != nil {
				return sources.Answer{}, err
			}
			found = append(found, sources.Item{Name: v.ID + "/" + i.ID, Version: answer.Version})
		}
		if f.Tags != nil {
			break
		}
	}
	return sources.Answer{Version: sources.SetVersion(found)}, nil
}

// isWanted reports whether a search looks into an item.
func isWanted(i item, f *sources.Find) bool {
	if f.Tags == nil {
		return f.Path == "" || f.Path == i.Title
	}
	for tag := range f.Tags {
		if !slices.Contains(i.Tags, tag) {
			return false
		}
	}
	return true
}

// vault returns a vault by its id, or the only one of a name.
func (s *Store) vault(ctx context.Context, name string) (vault, error) {
	all, err := s.vaultsByName(ctx, name)
	switch {
	case err != nil:
		return vault{}, err
	case len(all) > 1:
		return vault{}, sources.Fail(sources.Refused, "several vaults of this name")
	}
	return all[0], nil
}

// oldestVault returns a vault as 1Password's operator takes it: the oldest of a name, else by its id.
func (s *Store) oldestVault(ctx context.Context, name string) (vault, error) {
	all, err := s.vaultsByName(ctx, name)
	if err != nil {
		return vault{}, err
	}
	return slices.MinFunc(all, func(a, b vault) int { return a.Created.Compare(b.Created) }), nil
}

// vaultsByName returns the vaults of a name, or the one with that id: at least one.
func (s *Store) vaultsByName(ctx context.Context, name string) ([]vault, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.vaults == nil {
		var all []vault
		if err := s.ask(ctx, "/v1/vaults", &all); err != nil {
			return nil, err
		}
		s.vaults = all
	}
	var found []vault
	for _, v := range s.vaults {
		if v.Name == name || v.ID == name {
			found = append(found, v)
		}
	}
	if len(found) == 0 {
		return nil, sources.Fail(sources.NotFound, "vault")
	}
	for _, v := range found {
		if !id.MatchString(v.ID) {
			return nil, sources.Fail(sources.Malformed, "id of a vault")
		}
	}
	return found, nil
}

// items lists the items of a vault that have a title; all where it is empty.
func (s *Store) items(ctx context.Context, vault, title string) (all []item, err error) {
	path := "/v1/vaults/" + vault + "/items"
	if title != "" {
		if strings.ContainsAny(title, "\"\\") {
			return nil, sources.Fail(sources.Refused, "key") // nothing says how a filter quotes them
		}
		path += "?filter=" + url.QueryEscape(`title eq "`+title+`"`)
	}
	if err := s.ask(ctx, path, &all); err != nil {
		return nil, err
	}
	if title != "" {
		all = slices.DeleteFunc(all, func(i item) bool { return i.Title != title })
	}
	return all, nil
}

func (s *Store) ask(ctx context.Context, path string, answer any) error {
	token, err := s.Token()
	if err != nil {
		return err
	}
	return stores.AskJSON(ctx, s.HTTP, stores.JSONRequest{
		URL: s.Host + path, Headers: map[string]string{"Authorization": "Bearer " + token},
	}, answer)
}
