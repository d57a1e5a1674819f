package vault

import (
	"context"
	"fmt"
	"strings"

	"github.com/rollstamp/rollstamp/sources"
)

// maxFound is how many keys a search looks at.
const maxFound = 10_000

// find goes down the folders of the metadata, and returns the set of what fits with its versions.
func (s *Store) find(ctx context.Context, f *sources.Find) (sources.Answer, error) {
	if s.Options.Version != "v2" {
		return sources.Answer{}, sources.Fail(sources.NoVersions, "search in KV version 1")
	}
	pattern, err := f.Pattern()
	if err != nil {
		return sources.Answer{}, err
	}
	mount, folder, prefix := s.folder(f.Path)
	if !clean(mount) || folder != "" && !clean(folder) {
		return sources.Answer{}, sources.Fail(sources.Refused, "path of the search")
	}
	keys, err := s.list(ctx, mount, folder)
	if err != nil {
		return sources.Answer{}, err
	}
	var items []sources.Item
	for _, key := range keys {
		if f.Name != "" && !pattern.MatchString(prefix+key) {
			continue
		}
		version, custom, err := s.newest(ctx, mount, key)
		if isGone(err) {
			continue // a search passes over what is deleted
		}
		if err != nil {
			return sources.Answer{}, err
		}
		if f.Name != "" || hasTags(custom, f.Tags) { // External Secrets looks at them where there is no name
			items = append(items, sources.Item{Name: key, Version: version})
		}
	}
	return sources.Answer{Version: sources.SetVersion(items)}, nil
}

// folder finds mount and folder of a search, and what stands before a key where External Secrets compares its name:
// where the store names no mount, the path says it as the API does, and keys go on from there.
func (s *Store) folder(path string) (mount, folder, prefix string) {
	const data = "/data/"
	folder = strings.Trim(path, "/")
	if s.Mount != "" {
		return s.Mount, folder, ""
	}
	if before, after, is := strings.Cut(folder+"/", data); is {
		return before, strings.Trim(after, "/"), before + data
	}
	mount, folder, _ = strings.Cut(folder, "/")
	return mount, folder, ""
}

func isGone(err error) bool {
	f, ok := err.(*sources.Failure) //nolint:errorlint // newest returns it as it is
	return ok && (f.Class == sources.Deleted || f.Class == sources.NotFound)
}

func hasTags(custom map[string]any, tags map[string]string) bool {
	for k, v := range tags {
		if have, ok := custom[k]; !ok || fmt.Sprint(have) != v {
			return false
		}
	}
	return true
}

// list returns all keys below a folder.
func (s *Store) list(ctx context.Context, mount, folder string) (keys []string, err error) {
	folders := []string{folder}
	for len(folders) > 0 {
		at := folders[0]
		folders = folders[1:]
		answer, err := s.client.Logical().ListWithContext(ctx, strings.TrimSuffix(mount+"/metadata/"+at, "/"))
		if err != nil {
			f := failure(err)
			if f.Class == sources.NoPermit {
				f.Next = `Give this token the capability "list" on the path "` + mount + "/metadata/" + at + `".`
			}
			return nil, f
		}
		if answer == nil {
			continue // nothing is there
		}
		names, ok := answer.Data["keys"].([]any)
		if !ok {
			return nil, sources.Fail(sources.Malformed, "list")
		}
		for _, n := range names {
			name, ok := n.(string)
			path := strings.TrimPrefix(at+"/"+name, "/")
			switch {
			case !ok || !clean(strings.TrimSuffix(path, "/")):
				return nil, sources.Fail(sources.Malformed, "list")
			case strings.HasSuffix(path, "/"):
				folders = append(folders, strings.TrimSuffix(path, "/"))
			default:
				keys = append(keys, path)
			}
		}
		if len(keys)+len(folders) > maxFound {
			return nil, sources.Fail(sources.TooLarge, fmt.Sprintf("more than %d keys", maxFound))
		}
	}
	return keys, nil
}
