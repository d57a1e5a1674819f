package main

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"cloud.google.com/go/secretmanager/apiv1/secretmanagerpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// gcpStory is Secret Manager as far as it describes; to access a value is not implemented.
type gcpStory struct {
	secretmanagerpb.UnimplementedSecretManagerServiceServer
	*shelf
	trusted *rsa.PublicKey
}

const (
	gcpProject = "projects/shop-1"
	gcpAccount = "render@shop-1.iam.gserviceaccount.com"
)

// enter looks at who asks: a service account that signs its tokens itself.
func (g *gcpStory) enter(ctx context.Context, operation string) error {
	md, _ := metadata.FromIncomingContext(ctx)
	token := strings.TrimPrefix(strings.Join(md.Get("authorization"), ""), "Bearer ")
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		g.t.Errorf("%s without a token", operation)
		return status.Error(codes.Unauthenticated, g.canary)
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err != nil || rsa.VerifyPKCS1v15(g.trusted, crypto.SHA256, sum[:], signature) != nil {
		g.t.Errorf("%s with a token of somebody else", operation)
		return status.Error(codes.Unauthenticated, g.canary)
	}
	switch g.shelf.enter(operation) {
	case tooMany:
		return status.Error(codes.ResourceExhausted, g.canary)
	case noRight:
		return status.Error(codes.PermissionDenied, g.canary)
	}
	return nil
}

// GetSecretVersion is the service's.
func (g *gcpStory) GetSecretVersion(
	ctx context.Context,
	r *secretmanagerpb.GetSecretVersionRequest,
) (*secretmanagerpb.SecretVersion, error) {
	if err := g.enter(ctx, "GetSecretVersion"); err != nil {
		return nil, err
	}
	name, version, _ := strings.Cut(strings.TrimPrefix(r.Name, gcpProject+"/secrets/"), "/versions/")
	k, ok := g.get(name)
	switch {
	case ok && version == "prod":
		k.newest--
	case !ok || version != "latest":
		return nil, status.Error(codes.NotFound, g.canary)
	}
	state := secretmanagerpb.SecretVersion_ENABLED
	if slices.Contains(k.off, k.newest) {
		state = secretmanagerpb.SecretVersion_DISABLED
	}
	return &secretmanagerpb.SecretVersion{Name: fmt.Sprintf("projects/1234/secrets/%s/versions/%d", name, k.newest), State: state}, nil
}

// ListSecrets is the service's, one to a page.
func (g *gcpStory) ListSecrets(
	ctx context.Context,
	r *secretmanagerpb.ListSecretsRequest,
) (*secretmanagerpb.ListSecretsResponse, error) {
	if err := g.enter(ctx, "ListSecrets"); err != nil {
		return nil, err
	}
	names := g.names()
	at := 0
	_, _ = fmt.Sscan(r.PageToken, &at)
	if r.Parent != gcpProject || at >= len(names) {
		return nil, status.Error(codes.InvalidArgument, g.canary)
	}
	out := &secretmanagerpb.ListSecretsResponse{Secrets: []*secretmanagerpb.Secret{{Name: "projects/1234/secrets/" + names[at]}}}
	if at+1 < len(names) {
		out.NextPageToken = fmt.Sprint(at + 1)
	}
	return out, nil
}

// gcpAt serves gRPC over TLS to a service account whose file the policy or the environment names.
func gcpAt(ambient bool) func(*testing.T, *shelf) place {
	return func(t *testing.T, s *shelf) place {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			t.Fatal(err)
		}
		private, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		file, err := json.Marshal(map[string]string{
			"type": "service_account", "project_id": "shop-1", "private_key_id": s.canary, "client_email": gcpAccount, "token_uri": "https://oauth2.invalid/token",
			"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})),
		})
		if err != nil {
			t.Fatal(err)
		}
		server := grpc.NewServer()
		secretmanagerpb.RegisterSecretManagerServiceServer(server, &gcpStory{shelf: s, trusted: &key.PublicKey})
		at := place{files: map[string]string{"google.json": string(file)}}
		at.url, at.ca = overTLS(t, http.HandlerFunc(server.ServeHTTP))
		if ambient {
			at.env = []string{"GOOGLE_APPLICATION_CREDENTIALS=$DIR/google.json"}
		}
		return at
	}
}
