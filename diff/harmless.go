package diff

// harmlessEndings are how kinds are called, of any group, that are rules, routes and the like, and no pods.
var harmlessEndings = [...]string{
	"Backup", "Binding", "Dashboard", "Monitor", "Policy", "Quota", "Role", "Route", "Rule", "Schedule", "Silence",
	"Topic", "User",
}

// harmless are further kinds that restart no pod whatever changes in their spec. Some make Secrets.
var harmless = []kindsOf{
	// It is taken when a pod starts.
	{"k8s.cni.cncf.io", nil},
	{"security.openshift.io", nil},
	// They fill claims, or copy them away.
	{"barmancloud.cnpg.io", nil},
	// They make objects, and of what these hold stamps follow ConfigMaps and Secrets.
	{"secrets.hashicorp.com", nil},
	{"secrets.infisical.com", nil},
	{"bitnami.com", nil},
	{"spv.no", nil},
	{"kubernetes-client.io", nil},
	{"addons.projectcapsule.dev", nil},
	{"secretgenerator.mittwald.de", nil},
	{"redhatcop.redhat.io", nil},
	{"lerentis.uploadfilter24.eu", nil},
	{"isindir.github.com", nil},
	{"onepassword.com", nil},
	{"secrets-store.csi.x-k8s.io", nil},
	// They are things in what runs.
	{"access.strimzi.io", nil},
	{"rabbitmq.com", []string{"Binding", "Exchange", "Federation", "OperatorPolicy", "Permission", "Policy", "Queue",
		"SchemaReplication", "Shovel", "TopicPermission", "User", "Vhost"}},
	{"postgresql.cnpg.io", []string{"Backup", "Database", "Publication", "ScheduledBackup", "Subscription"}},
	{"k8s.mariadb.com", []string{"Backup", "Connection", "Database", "Grant", "SqlJob", "User"}},
	{"ceph.rook.io", []string{"CephBlockPool", "CephFilesystemSubVolumeGroup", "CephObjectStoreUser"}},
	{"longhorn.io", []string{"BackupTarget", "RecurringJob"}},
	{"grafana.integreatly.org", []string{"GrafanaAlertRuleGroup", "GrafanaContactPoint", "GrafanaDashboard",
		"GrafanaDatasource", "GrafanaFolder", "GrafanaLibraryPanel", "GrafanaMuteTiming", "GrafanaNotificationPolicy",
		"GrafanaNotificationTemplate"}},
	// They say what is measured, and reported.
	{"monitoring.coreos.com", []string{"AlertmanagerConfig", "PodMonitor", "Probe", "PrometheusRule", "ScrapeConfig",
		"ServiceMonitor"}},
	{"monitoring.googleapis.com", nil},
	{"operator.victoriametrics.com", []string{"VMAlertmanagerConfig", "VMNodeScrape", "VMPodScrape", "VMProbe", "VMRule",
		"VMScrapeConfig", "VMServiceScrape", "VMStaticScrape", "VMUser"}},
	{"sloth.slok.dev", nil},
	{"pyrra.dev", nil},
	{"aquasecurity.github.io", nil},
	{"perses.dev", []string{"PersesDashboard", "PersesDatasource"}},
	// They are routes and rules for traffic, which proxies take over as they run.
	{"networking.istio.io", nil},
	{"security.istio.io", nil},
	{"telemetry.istio.io", nil},
	{"traefik.io", nil},
	{"traefik.containo.us", nil},
	{"projectcontour.io", []string{"HTTPProxy", "TLSCertificateDelegation"}},
	{"configuration.konghq.com", nil},
	{"k8s.nginx.org", nil},
	{"gateway.envoyproxy.io", []string{"Backend", "BackendTrafficPolicy", "ClientTrafficPolicy", "EnvoyExtensionPolicy",
		"EnvoyPatchPolicy", "HTTPRouteFilter", "SecurityPolicy"}},
	{"gateway.networking.x-k8s.io", nil},
	{"cilium.io", nil},
	{"projectcalico.org", nil},
	{"metallb.io", nil},
	{"linkerd.io", nil},
	{"flagger.app", nil},
	{"cloud.google.com", []string{"BackendConfig"}},
	{"networking.gke.io", nil},
	{"elbv2.k8s.aws", nil},
	{"route.openshift.io", nil},
	{"console.openshift.io", nil},
	{"nfd.k8s-sigs.io", []string{"NodeFeatureGroup", "NodeFeatureRule"}},
	// They lie outside of the cluster.
	{"services.k8s.aws", nil},
	{"upbound.io", nil},
	{"cnrm.cloud.google.com", nil},
	{"azure.com", nil},
}
