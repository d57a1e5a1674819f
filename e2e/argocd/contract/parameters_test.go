package contract

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/argocd/parts"
	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
)

func TestParametersOfAnyShapeAreTakenAsTheJSONSays(t *testing.T) {
	both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
		repo := folder.New(t, chart+"-- z/more.yaml --\ngreeting: from a file\n-- shop.yaml --\ngreeting: from the application's\n")
		for name, c := range map[string]struct {
			call parts.Call
			want string
		}{
			"an array":                             {with(shop(repo), "valueFiles", []string{"z/more.yaml"}), "from a file"},
			"an empty array":                       {with(shop(repo), "valueFiles", []string{}), "hello"},
			"an empty map":                         {with(shop(repo), "parameters", map[string]string{}), "hello"},
			"a map":                                {with(shop(repo), "parameters", map[string]string{"greeting": "set"}), "set"},
			"a name to expand":                     {with(shop(repo), "valueFiles", []string{"$ARGOCD_APP_NAME.yaml"}), "from the application's"},
			"a text":                               {with(shop(repo), "values", "greeting: $ARGOCD_APP_NAME"), "$ARGOCD_APP_NAME"},
			"keys that would collide as variables": {with(shop(repo), "parameters", map[string]string{"greeting": "set", "greet-ing": "no", "GREETING": "no"}), "set"},
		} {
			t.Run(name, func(t *testing.T) {
				if got := field(render(t, s, c.call)["ConfigMap facts"], "data", "greeting"); got != c.want {
					t.Errorf("greeting is %q, want %q", got, c.want)
				}
			})
		}
	})
}

func TestAParameterThatIsWrongIsNamed(t *testing.T) {
	both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
		repo := folder.New(t, chart)
		for name, call := range map[string]parts.Call{
			"valueFiles": with(shop(repo), "valueFiles", "values.yaml"),
			"values":     with(shop(repo), "values", []string{"a: b"}),
			"parameters": with(shop(repo), "parameters", "a=b"),
			"skipCrds":   with(shop(repo), "skipCrds", "perhaps"),
			"valueFile":  with(shop(repo), "valueFile", []string{"values.yaml"}), // valueFiles is meant
		} {
			t.Run(name, func(t *testing.T) { says(t, refused(t, s, call), name) })
		}
	})
}

func TestAnApplicationOfAnotherNamespaceNamesItsReleaseAsArgoCDDoes(t *testing.T) {
	both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
		call := shop(folder.New(t, chart))
		call.Name = "teams_shop"
		got := render(t, s, call)["ConfigMap facts"]
		if release, namespace := field(got, "data", "release"), field(got, "data", "namespace"); release != "shop" || namespace != "retail" {
			t.Errorf("release %q in namespace %q, want shop in retail", release, namespace)
		}
		call.Name = strings.Repeat("a", 54)
		says(t, refused(t, s, call), "53", call.Name)
	})
}

func TestTheDestinationsVersionsReachTheChart(t *testing.T) {
	both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
		call := shop(folder.New(t, chart))
		call.KubeVersion, call.APIVersions = "1.33.4", []string{"v1", "example.com/v1/Widget"}
		got := render(t, s, call)["ConfigMap facts"]
		if kube, widgets := field(got, "data", "kube"), field(got, "data", "widgets"); kube != "v1.33.4" || widgets != "true" {
			t.Errorf("version %q, widgets %q", kube, widgets)
		}
		call.KubeVersion, call.APIVersions = "", nil // as in the first call of a discovery
		render(t, s, call)
	})
}

func TestALargeParameterArrivesWhileTheKernelTakesIt(t *testing.T) {
	// One variable may have 131,071 bytes with its name; the rest of the JSON is some 60.
	const space = 131071 - len(`ARGOCD_APP_PARAMETERS=[{"name":"values","string":"greeting: "}]`)
	both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
		text := strings.Repeat("x", space-8)
		call := with(shop(folder.New(t, chart)), "values", "greeting: "+text)
		if got := field(render(t, s, call)["ConfigMap facts"], "data", "greeting"); got != text {
			t.Errorf("greeting has %d bytes, want %d", len(got), len(text))
		}
	})
}

func TestOptionsThatAreTooLargeForAVariableComeFromAFileOfTheRepository(t *testing.T) {
	text := strings.Repeat("x", 200_000)
	both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
		repo := folder.New(t, chart)
		folder.WriteFile(t, filepath.Join(repo, ".rollstamp.yaml"), "argocd:\n  helm:\n    releaseName: other\n    values: |\n      greeting: "+text+"\n")
		got := render(t, s, shop(repo))["ConfigMap facts"]
		if greeting, release := field(got, "data", "greeting"), field(got, "data", "release"); greeting != text || release != "other" {
			t.Errorf("greeting has %d bytes, release is %q", len(greeting), release)
		}
	})
}

func TestVariablesOfTheApplicationStandForParameters(t *testing.T) {
	both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
		call := shop(folder.New(t, chart))
		call.Env = map[string]string{"ROLLSTAMP_RELEASE_NAME": "from-a-variable"}
		if got := field(render(t, s, call)["ConfigMap facts"], "data", "release"); got != "from-a-variable" {
			t.Errorf("release is %q", got)
		}
	})
}

func TestDollarsInTextArriveOrAreSaidToBeLost(t *testing.T) {
	// plugin.env is expanded by Argo CD before we see it, parameters are not.
	both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
		call := with(shop(folder.New(t, chart)), "values", "greeting: $5 and ${NOTHING} and $$")
		if got := field(render(t, s, call)["ConfigMap facts"], "data", "greeting"); got != "$5 and ${NOTHING} and $$" {
			t.Errorf("greeting is %q", got)
		}
		call = shop(folder.New(t, chart))
		call.Env = map[string]string{"ROLLSTAMP_VALUES": "greeting: 5"}
		says(t, refused(t, s, call), "VALUES")
	})
}

func TestAnnouncementsNameTypesAndDefaultsOfTheApplication(t *testing.T) {
	both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
		answer, err := s.Announce(t, shop(folder.New(t, chart)))
		if err != nil {
			t.Fatal(err)
		}
		byName := map[string]string{}
		for _, a := range answer.ParameterAnnouncements {
			if a.Name == "" || a.CollectionType == "" {
				t.Errorf("an announcement without name or type: %v", a)
			}
			byName[a.Name] = a.CollectionType
		}
		for name, want := range map[string]string{"valueFiles": "array", "parameters": "map", "releaseName": "string", "values": "string"} {
			if byName[name] != want {
				t.Errorf("%s is announced as %q, want %q", name, byName[name], want)
			}
		}
	})
}

func TestAnAnnouncedValueOfAChartCanBeSet(t *testing.T) {
	both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
		call := shop(folder.New(t, chart))
		answer, err := s.Announce(t, call)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range answer.ParameterAnnouncements {
			if a.Title != "greeting" {
				continue
			}
			if a.String_ != "hello" {
				t.Errorf("the default is announced as %q, want hello", a.String_)
			}
			if got := field(render(t, s, with(call, a.Name, "changed"))["ConfigMap facts"], "data", "greeting"); got != "changed" {
				t.Errorf("%s was set, and greeting is %q", a.Name, got)
			}
			return
		}
		t.Error("greeting is not announced")
	})
}

func TestAnnouncementsAreMadeOfWhateverLiesThere(t *testing.T) {
	both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
		for name, tree := range map[string]string{
			"a kustomization": overlay, "plain manifests": web, "a broken chart": "-- Chart.yaml --\n: [\n", "a broken file of values": chart + "-- values.yaml --\n: [\n", "nothing": "-- README.md --\n",
		} {
			t.Run(name, func(t *testing.T) {
				if _, err := s.Announce(t, shop(folder.New(t, tree))); err != nil {
					t.Error(err)
				}
			})
		}
	})
}
