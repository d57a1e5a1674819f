package config

// The examples of settings that are more than a line.
const (
	exampleWorkloads = `# The first entry that fits a workload counts.
- match: {kind: Deployment, name: "canary-*", namespace: "shop-*", labels: "track in (canary, beta),!frozen"}
  mode: off
- match: {kind: Job}
  mode: on
- match: {labels: "reloads=itself"}
  liveVolumes: true
- match: {namespace: "trial-*"}
  strategy: none
- match: {kind: StatefulSet}
  combined: true
  allContainers: true
  reload: manual`

	exampleIgnore = `- {kind: ConfigMap, name: kube-root-ca.crt}
- {kind: Secret, namespace: "*", labels: rotated-by=us}`

	exampleKinds = `# A kind with a pod template, and two references of its own.
- group: example.com
  kind: Shop
  template: spec.tills[*].podTemplate
  references:
    - {path: spec.payment.credentials, kind: Secret, name: secretName, key: secretKey}
    - {path: "spec.extraConfigMaps[*]", kind: ConfigMap}
# One whose pod spec and annotations lie apart.
- group: example.com
  kind: Warehouse
  podSpec: spec.pod
  annotations: spec.podAnnotations
# One that is only reported.
- kind: Ledger
  stamp: false
  references:
    - {path: "spec.sources.*", kind: Secret}
# One that wants a value in a field of its own.
- group: example.com
  kind: Bucket
  copies:
    - {kind: Secret, nameFrom: spec.s3.secretName, key: accessKey, to: spec.s3.accessKey}
    - {kind: ConfigMap, name: regions, key: default, to: spec.s3.region}`

	exampleProducers = `# A kind that makes a Secret whose keys are not known.
- group: example.com
  kind: DatabaseUser
  name: spec.secret.name
  namespace: spec.secret.namespace
  content: [spec.user, "spec.grants[*]"]
# One whose manifest lists the keys of a ConfigMap.
- group: example.com
  kind: Fetched
  makes: ConfigMap
  omit: [spec.interval]
  defaults: {spec.mode: auto, spec.replicas: 1}
  sets: [spec.tags]
  merge: overlay
  content: [spec.bucket]
  keys: {path: "spec.files[*]", key: name, content: [object, version]}`

	exampleSecretRules = `- match: {provider: onepassword}
  policy: spec
- match: {kind: SecretStore, name: "vault-*", namespace: shop, address: "https://vault.example.com:8200"}
  policy: lock
- match: {object: {kind: ExternalSecret, namespace: "shop-*", name: old}}
  policy: spec`

	exampleApps = `- path: charts/*
  as: helm
  release: web
  namespace: shop-{env}
  values: ["values-{env}.yaml", /environments/common.yaml]
  envs: [dev, prod]`

	exampleArgoCD = `helm:
  valueFiles: [values-*.yaml, /shared/values.yaml, $common/values.yaml]
  ignoreMissingValueFiles: true
  values: |
    replicas: 2
  valuesObject:
    replicas: 3
  parameters:
    - {name: image.tag, value: "1.10", forceString: true}
  fileParameters:
    - {name: settings, path: files/settings.ini}
  releaseName: web
  namespace: shop
  version: v3
  passCredentials: false
  skipCrds: true
  skipTests: true
  skipSchemaValidation: true
  kubeVersion: "1.34"
  apiVersions: [monitoring.coreos.com/v1/ServiceMonitor]
kustomize:
  namePrefix: blue-
  nameSuffix: -x
  images: [web=registry.example.com/web:1.2.3]
  replicas:
    - {name: web, count: 3}
  commonLabels: {team: shop}
  forceCommonLabels: true
  labelWithoutSelector: true
  labelIncludeTemplates: true
  commonAnnotations: {app: $ARGOCD_APP_NAME}
  forceCommonAnnotations: true
  commonAnnotationsEnvsubst: true
  namespace: shop
  patches:
    - path: patch.yaml
      target:
        group: apps
        version: v1
        kind: Deployment
        name: web
        namespace: shop
        labelSelector: c=d
        annotationSelector: a=b
    - patch: "[]"
      options: {allowNameChange: true}
  components: [../../components/tls]
  ignoreMissingComponents: true
  version: v5
  kubeVersion: "1.34"
  apiVersions: [monitoring.coreos.com/v1/ServiceMonitor]
directory:
  recurse: true
  include: "*.yaml"
  exclude: "{test,draft}/**"
  disableExtensionFilter: true
  jsonnet:
    extVars:
      - {name: cluster, value: blue, code: false}
    tlas:
      - {name: replicas, value: "2", code: true}
    libs: [vendor]
refs:
  common: environments/common
allowEmpty: false`

	exampleBindings = `# The Secret of each environment, as variables of some containers.
- match: {kind: Deployment, name: "*", namespace: "shop-*"}
  kind: Secret
  name: shop-{environment}
  as: env
  keys: [API_KEY]
  variables: {DB_PASSWORD: password}
  prefix: SHOP_
  containers: [app, "worker-*"]
  optional: true
  environments: {shop-prod: production, shop-test: test}
# Files.
- match: {labels: "needs=ca"}
  kind: ConfigMap
  name: company-ca
  as: volume
  mountPath: /etc/company-ca
  keys: [ca.crt]`

	exampleReplicate = `- kind: Secret
  name: registry
  namespace: platform
  to: {names: [shop, "team-*"]}
- kind: ConfigMap
  name: company-ca
  to: {labels: "needs-ca=true"}`
)
