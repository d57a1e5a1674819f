package parts

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/argoproj/argo-cd/v3/cmpserver/apiclient"
	"github.com/argoproj/argo-cd/v3/util/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
	"github.com/rollstamp/rollstamp/e2e/cluster/process"
)

// CMPServer is the name of Argo CD's plugin server among the components of a test binary.
const CMPServer = "argocd-cmp-server"

// Plugin is a plugin.yaml.
type Plugin struct {
	Name                                 string // rollstamp where empty
	Init, Generate, Discover, Parameters []string
	FileName                             string // of discovery
	PreserveFileMode, ProvideGitCreds    bool
}

// Ours is the plugin as we recommend to install it: named, without discovery. Args follow the command of generate.
func Ours(args ...string) Plugin {
	return Plugin{
		Generate:   append([]string{"rollstamp", "argocd", "generate"}, args...),
		Parameters: []string{"rollstamp", "argocd", "parameters"},
	}
}

func (p Plugin) yaml(t testing.TB) string {
	t.Helper()
	command := func(words []string) map[string]any { return map[string]any{"command": words} }
	spec := map[string]any{
		"generate":         command(p.Generate),
		"preserveFileMode": p.PreserveFileMode, "provideGitCreds": p.ProvideGitCreds,
	}
	if p.Init != nil {
		spec["init"] = command(p.Init)
	}
	if p.Discover != nil {
		spec["discover"] = map[string]any{"find": command(p.Discover)}
	}
	if p.FileName != "" {
		spec["discover"] = map[string]any{"fileName": p.FileName}
	}
	if p.Parameters != nil {
		spec["parameters"] = map[string]any{"dynamic": command(p.Parameters)}
	}
	out, err := yaml.Marshal(map[string]any{
		"apiVersion": "argoproj.io/v1alpha1", "kind": "ConfigManagementPlugin",
		"metadata": map[string]any{"name": p.name()}, "spec": spec,
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func (p Plugin) name() string {
	if p.Name == "" {
		return "rollstamp"
	}
	return p.Name
}

// Server is a plugin server that listens: Argo CD's with a plugin behind it, or ours.
type Server struct {
	*process.Process
	Plugins string // the folder of sockets
	Work    string // where requests are unpacked
	Home    string
	workers int // processes that stay, for the next requests
	client  apiclient.ConfigManagementPluginServiceClient
}

// Sidecar is what surrounds a plugin server.
type Sidecar struct {
	Plugins string   // the folder of sockets; empty: a new one
	Env     []string // beyond PATH, HOME, TMPDIR and where things are
}

// StartCMP starts the real argocd-cmp-server with a plugin. It logs all that it can, where Env does not say otherwise.
// `rollstamp` is on its PATH.
func StartCMP(t testing.TB, plugin Plugin, beside Sidecar) *Server {
	t.Helper()
	s, env := beside.lay(t)
	folder.WriteFile(t, filepath.Join(s.Home, "config", "plugin.yaml"), plugin.yaml(t))
	env = append([]string{"ARGOCD_CMP_SERVER_LOGLEVEL=debug"}, env...)
	s.Process = Start(t, CMPServer, env, "--config-dir-path", filepath.Join(s.Home, "config"))
	s.connect(t, plugin.name())
	return s
}

// lay makes the folders of a sidecar, and the environment that names them.
func (beside Sidecar) lay(t testing.TB) (*Server, []string) {
	t.Helper()
	dir := folder.Empty(t)
	s := &Server{Plugins: beside.Plugins, Work: filepath.Join(dir, "w", "_cmp_server"), Home: filepath.Join(dir, "h")}
	if s.Plugins == "" {
		s.Plugins = filepath.Join(dir, "p")
	}
	for _, d := range []string{s.Plugins, s.Home, filepath.Join(dir, "w"), filepath.Join(dir, "tmp")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return s, append([]string{
		"PATH=" + filepath.Dir(process.Rollstamp(t)) + ":" + os.Getenv("PATH"),
		"HOME=" + s.Home,
		"TMPDIR=" + filepath.Join(dir, "tmp"),
		"ARGOCD_PLUGINSOCKFILEPATH=" + s.Plugins,
		"ARGOCD_CMP_WORKDIR=" + filepath.Join(dir, "w"),
	}, beside.Env...)
}

// connect waits for the socket and opens the client, with Argo CD's own limits.
func (s *Server) connect(t testing.TB, plugin string) {
	t.Helper()
	socket := filepath.Join(s.Plugins, plugin+".sock")
	s.Until(t, "the socket is there", func() bool {
		_, err := os.Stat(socket)
		return err == nil
	})
	conn, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(
			grpc.MaxCallRecvMsgSize(apiclient.MaxGRPCMessageSize), grpc.MaxCallSendMsgSize(apiclient.MaxGRPCMessageSize),
			grpc.WaitForReady(true)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	s.client = apiclient.NewConfigManagementPluginServiceClient(conn)
}

// Call is one request to a plugin server.
type Call struct {
	Application
	Repo     string        // the checkout
	Sent     string        // the folder that is sent, with the application in it; empty: the checkout
	Deadline time.Duration // the repo-server's: 60 s where 0
}

func (c Call) sentFolder() string {
	if c.Sent != "" {
		return c.Sent
	}
	return c.Repo
}

func (c Call) context(t testing.TB) context.Context {
	limit := c.Deadline
	if limit == 0 {
		limit = time.Minute
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	return ctx
}

// excluded is what everybody excludes who has read Argo CD's advice.
var excluded = []string{".git"}

// Generate asks for manifests, as the repo-server does.
func (s *Server) Generate(t testing.TB, c Call) ([]string, error) {
	t.Helper()
	ctx := c.context(t)
	stream, err := s.client.GenerateManifest(ctx)
	if err != nil {
		return nil, err
	}
	if err := cmp.SendRepoStream(ctx, c.dir(c.Repo), c.sentFolder(), stream, c.Environ(t), excluded); err != nil {
		return nil, err
	}
	answer, err := stream.CloseAndRecv()
	if err != nil {
		return nil, err
	}
	return answer.Manifests, nil
}

// Match asks whether the application is one for the plugin.
func (s *Server) Match(t testing.TB, c Call, env []string) (*apiclient.RepositoryResponse, error) {
	t.Helper()
	ctx := c.context(t)
	stream, err := s.client.MatchRepository(ctx)
	if err != nil {
		return nil, err
	}
	if err := cmp.SendRepoStream(ctx, c.dir(c.Repo), c.sentFolder(), stream, env, excluded); err != nil {
		return nil, err
	}
	return stream.CloseAndRecv()
}

// Announce asks which parameters the application takes.
func (s *Server) Announce(t testing.TB, c Call) (*apiclient.ParametersAnnouncementResponse, error) {
	t.Helper()
	ctx := c.context(t)
	stream, err := s.client.GetParametersAnnouncement(ctx)
	if err != nil {
		return nil, err
	}
	env := c.AnnouncementEnviron(t)
	if err := cmp.SendRepoStream(ctx, c.dir(c.Repo), c.sentFolder(), stream, env, excluded); err != nil {
		return nil, err
	}
	return stream.CloseAndRecv()
}

// Configuration asks what the plugin is.
func (s *Server) Configuration(t testing.TB) *apiclient.CheckPluginConfigurationResponse {
	t.Helper()
	answer, err := s.client.CheckPluginConfiguration(Call{}.context(t), &emptypb.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// LeftFiles lists what lies in the folder of requests and in the temporary folder: nothing, between requests.
func (s *Server) LeftFiles(t testing.TB) []string {
	t.Helper()
	var left []string
	for _, dir := range []string{s.Work, filepath.Join(filepath.Dir(s.Home), "tmp")} {
		entries, err := os.ReadDir(dir)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		for _, entry := range entries {
			left = append(left, filepath.Join(filepath.Base(dir), entry.Name()))
		}
	}
	return left
}

// Strays lists the children of the server that are no workers waiting for requests: zombies, and more than there are
// workers.
func (s *Server) Strays(t testing.TB) []string {
	t.Helper()
	workers := 0
	return slices.DeleteFunc(s.Children(t), func(child string) bool {
		if strings.HasSuffix(child, " Z") || workers == s.workers {
			return false
		}
		workers++
		return true
	})
}

// StartServe starts `rollstamp argocd serve` instead of Argo CD's plugin server, under the name of a plugin. Args
// are flags.
func StartServe(t testing.TB, name string, args []string, beside Sidecar) *Server {
	t.Helper()
	if help, _ := exec.Command(process.Rollstamp(t), "argocd", "serve", "--help").Output(); !strings.Contains(string(help),
		"rollstamp argocd serve") {
		t.Skip("there is no `rollstamp argocd serve` yet")
	}
	s, env := beside.lay(t)
	cmd := exec.Command(process.Rollstamp(t), append([]string{"argocd", "serve", "--name", name}, args...)...)
	cmd.Env = env
	s.Process, s.workers = process.Run(t, "rollstamp argocd serve", cmd), runtime.NumCPU()
	s.connect(t, name)
	return s
}
