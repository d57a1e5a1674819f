package azure

import (
	"context"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/security/keyvault/azkeys"
	"github.com/Azure/azure-sdk-for-go/sdk/security/keyvault/azsecrets"

	"github.com/rollstamp/rollstamp/sources"
)

func (s *Store) newestSecret(ctx context.Context, name string) (string, error) {
	return newest(ctx, "secrets", s.secrets.NewListSecretPropertiesVersionsPager(name, nil),
		func(page azsecrets.ListSecretPropertiesVersionsResponse) []*azsecrets.SecretProperties {
			return page.Value
		},
		func(p *azsecrets.SecretProperties) *version {
			if p.ID == nil || p.Attributes == nil {
				return nil
			}
			return &version{p.ID.Version(), p.Attributes.Created, p.Attributes.Enabled}
		})
}

func (s *Store) newestKey(ctx context.Context, name string) (string, error) {
	return newest(ctx, "keys", s.keys.NewListKeyPropertiesVersionsPager(name, nil),
		func(page azkeys.ListKeyPropertiesVersionsResponse) []*azkeys.KeyProperties { return page.Value },
		func(p *azkeys.KeyProperties) *version {
			if p.KID == nil || p.Attributes == nil {
				return nil
			}
			return &version{p.KID.Version(), p.Attributes.Created, p.Attributes.Enabled}
		})
}

// version is one of an object, as the SDK lists it.
type version struct {
	id      string
	created *time.Time
	enabled *bool
}

// newest goes through the pages of an object's versions. Of is nil where an item lacks what identifies it.
func newest[Page, Item any](ctx context.Context, listed string, pages *runtime.Pager[Page], items func(Page) []*Item,
	of func(*Item) *version) (string, error) {
	var all versions
	for pages.More() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return "", failure(err, listed)
		}
		for _, item := range items(page) {
			var one *version
			if item != nil {
				one = of(item)
			}
			if err := all.add(one); err != nil {
				return "", err
			}
		}
	}
	return all.newest()
}

// versions are those of one object, which come in no order. Only the newest is kept.
type versions struct {
	seen    int
	id      string
	created time.Time
	enabled bool
}

func (v *versions) add(one *version) error {
	if one == nil || one.created == nil {
		return sources.Fail(sources.Malformed, "list of versions")
	}
	if v.seen++; v.seen > maxFound {
		return sources.Fail(sources.TooLarge, "versions")
	}
	if v.id == "" || one.created.After(v.created) || one.created.Equal(v.created) && one.id > v.id {
		v.id, v.created, v.enabled = one.id, *one.created, one.enabled == nil || *one.enabled
	}
	return nil
}

func (v *versions) newest() (string, error) {
	switch {
	case v.seen == 0:
		return "", sources.Fail(sources.NotFound, "")
	case !v.enabled:
		return "", sources.Fail(sources.Disabled, "")
	}
	return v.id, nil
}
