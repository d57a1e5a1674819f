// Package kubernetes asks a cluster for versions of its Secrets, by their metadata alone.
package kubernetes

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/stores"
)

// Options say which cluster, and who we are for it.
type Options struct {
	Kubeconfig string // the operator's; "" where Server says all
	Context    string // in the kubeconfig; "" is its current one
	Server     string // "" is the kubeconfig's
	Token      string // "" is the kubeconfig's
	CAFile     string
	Namespace  string
	Wrap       func(http.RoundTripper) http.RoundTripper // what is careful with redirections and sizes
}

// Store is one namespace of a cluster.
type Store struct {
	namespace string
	client    metadata.Interface
}

var secrets = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}

// maxFound is how many Secrets a search looks at in one page.
const maxFound = 500

// Open returns the client of a namespace.
func Open(t *stores.Target) (sources.Versions, error) {
	o := Options{
		Kubeconfig: string(t.Credentials.Kubeconfig), Context: string(t.Credentials.Context),
		Server: t.Fields["server.url"], CAFile: t.CAFile, Namespace: t.Fields["remoteNamespace"],
		Wrap: stores.Careful,
	}
	if o.Kubeconfig == "" {
		token, err := t.Token("")()
		if err != nil {
			return nil, err
		}
		o.Token = token
	}
	return New(o)
}

// New makes a client. It asks nobody yet.
func New(o Options) (*Store, error) {
	cfg, err := config(o)
	if err != nil {
		return nil, err
	}
	cfg.QPS = -1 // the resolver bounds what is asked at once
	cfg.WrapTransport = func(next http.RoundTripper) http.RoundTripper {
		if o.Wrap != nil {
			next = o.Wrap(next)
		}
		return metadataOnly{next}
	}
	client, err := metadata.NewForConfig(cfg)
	if err != nil {
		return nil, sources.Fail(sources.Refused, "server")
	}
	if o.Namespace == "" {
		o.Namespace = metav1.NamespaceDefault
	}
	return &Store{o.Namespace, client}, nil
}

func config(o Options) (*rest.Config, error) {
	if o.Kubeconfig == "" {
		cfg := &rest.Config{Host: o.Server, BearerToken: o.Token}
		if o.CAFile != "" {
			pem, _, err := sources.Authorities(o.CAFile)
			if err != nil {
				return nil, err
			}
			cfg.CAData = pem
		}
		return cfg, nil
	}
	over := &clientcmd.ConfigOverrides{CurrentContext: o.Context}
	file := &clientcmd.ClientConfigLoadingRules{ExplicitPath: o.Kubeconfig}
	cfg, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(file, over).ClientConfig()
	if err != nil {
		f := sources.Fail(sources.NoIdentity, "kubeconfig "+o.Kubeconfig)
		f.Next = "Check the kubeconfig that the operator's policy file names: it must be readable and have the context."
		return nil, f
	}
	if o.Server != "" && o.Server != cfg.Host {
		return nil, sources.Fail(sources.Unlisted, "the kubeconfig is of another server")
	}
	return cfg, nil
}

// metadataOnly takes no answer that holds more than metadata: the library would take the whole Secret of a server that
// knows no better.
type metadataOnly struct{ next http.RoundTripper }

// RoundTrip is http.RoundTripper's.
func (m metadataOnly) RoundTrip(req *http.Request) (*http.Response, error) {
	var forms []string
	for form := range strings.SplitSeq(req.Header.Get("Accept"), ",") {
		if strings.Contains(form, "as=PartialObjectMetadata") {
			forms = append(forms, form)
		}
	}
	req = req.Clone(req.Context())
	req.Header.Set("Accept", strings.Join(forms, ","))
	return m.next.RoundTrip(req)
}

// Version returns what changes with each write of a Secret, whatever version is asked for: there is one, and External
// Secrets takes it. Labels and annotations move it, too: the API has nothing finer that shows no value.
func (s *Store) Version(ctx context.Context, ref sources.Ref) (sources.Answer, error) {
	if ref.Find != nil {
		return s.find(ctx, ref.Find)
	}
	m, err := s.client.Resource(secrets).Namespace(s.namespace).Get(ctx, ref.Key, metav1.GetOptions{})
	if err != nil {
		return sources.Answer{}, failure(err)
	}
	v, err := version(m)
	return sources.Answer{Version: v}, err
}

// version joins what distinguishes writes and what distinguishes Secrets of one name: a cluster that is set up again
// counts from the start.
func version(m *metav1.PartialObjectMetadata) (string, error) {
	if m.UID == "" || m.ResourceVersion == "" {
		return "", sources.Fail(sources.Malformed, "metadata")
	}
	return string(m.UID) + "/" + m.ResourceVersion, nil
}

// find lists what a search names. External Secrets looks at names where there are no tags, which are labels, and never
// at the path.
func (s *Store) find(ctx context.Context, f *sources.Find) (sources.Answer, error) {
	name := f.Name
	if len(f.Tags) > 0 {
		name = ""
	}
	pattern, err := regexp.Compile(name)
	if err != nil {
		return sources.Answer{}, sources.Fail(sources.Refused, "search")
	}
	var items []sources.Item
	opts := metav1.ListOptions{LabelSelector: labels.Set(f.Tags).String(), Limit: maxFound}
	for {
		page, err := s.client.Resource(secrets).Namespace(s.namespace).List(ctx, opts)
		if err != nil {
			return sources.Answer{}, failure(err)
		}
		for i := range page.Items {
			if !pattern.MatchString(page.Items[i].Name) {
				continue
			}
			v, err := version(&page.Items[i])
			if err != nil {
				return sources.Answer{}, err
			}
			items = append(items, sources.Item{Name: page.Items[i].Name, Version: v})
		}
		if opts.Continue = page.Continue; opts.Continue == "" {
			return sources.Answer{Version: sources.SetVersion(items)}, nil
		}
	}
}

// failure keeps the status of an error of the client, whose words may be the server's.
func failure(err error) *sources.Failure {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return sources.Reason(err)
	}
	f := sources.ByStatus(int(status.Status().Code))
	if f.Class == sources.NoPermit {
		f.Next = `Allow the verb "get" (for a search "list") on secrets in the namespace; Kubernetes has no permission for metadata alone.`
	}
	return f
}
