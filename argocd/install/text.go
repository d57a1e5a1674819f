package install

var head = map[Format]string{
	Kustomize: `# A component that adds rollstamp to Argo CD's repo-server. Save it as rollstamp/kustomization.yaml beside the kustomization
# that installs Argo CD, and name its folder there:
#
#     components:
#     - rollstamp
#
`,
	Helm: `# Values for the chart argo-cd of https://github.com/argoproj/argo-helm, to be passed beside your own:
#
#     helm upgrade argo-cd argo/argo-cd -n argocd -f values.yaml -f rollstamp.yaml
#
# Helm replaces lists: where your values have extraContainers, volumes or extraObjects of their own, put these among them.
#
`,
	Patch: `# A patch of the Deployment argocd-repo-server, and behind it the ConfigMaps that it names. The patch comes first because kubectl
# patch reads one document; the label picks the others. It is no whole Deployment, so kubectl apply must not have it.
#
#     kubectl apply -n argocd -l app.kubernetes.io/name=rollstamp -f rollstamp.yaml
#     kubectl patch deployment argocd-repo-server -n argocd --patch-file rollstamp.yaml
#
`,
}

const advice = `# First make the hash key, once. It keeps digests of Secrets from being guessed; whoever makes a new one restarts every consumer
# of a Secret once. The pod waits until the Secret is there.
#
#     rollstamp hash-key new | kubectl create secret generic rollstamp-hash-key -n argocd --from-file=hash-key=/dev/stdin
#
# Applications name the plugin: spec.source.plugin.name: (name). It has no discover: with it, Argo CD would send the repository
# twice for each render of an application that names the plugin, and once for each application that names no type at all.
#
(tar)
`

const tarAdvice = `# Each render sends the repository to the plugin as an archive. In the ConfigMap argocd-cmd-params-cm keep out what no render reads,
# and send only what an application says that it needs (its annotation is printed by rollstamp argocd paths):
#
#     reposerver.plugin.tar.exclusions: .git
#     reposerver.plugin.use.manifest.generate.paths: "true"
`

const spec = `generate:
  command: [/usr/local/bin/rollstamp, argocd, generate]
parameters:
  dynamic:
    command: [/usr/local/bin/rollstamp, argocd, parameters]
`

const policy = `# What a render may do beyond reading its repository, such as network. Only the operator says so, here; nothing in a repository
# and no parameter can.
allow: []
`

const sidecar = `- name: rollstamp
  image: (image)
  (server)
  env:
  - name: ROLLSTAMP_HASH_KEY_FILE
    value: /etc/rollstamp/key/hash-key
  - name: ROLLSTAMP_POLICY
    value: /etc/rollstamp/policy/policy.yaml
  - name: ROLLSTAMP_CACHE_DIR
    value: /var/cache/rollstamp
  resources:
    requests:
      cpu: 100m
      memory: 256Mi
    limits:
      (limits)
  # The user that owns the sockets. Nothing of the image can be changed; renders are unpacked in a /tmp of their own, out of
  # reach of the repo-server's.
  securityContext:
    runAsNonRoot: true
    runAsUser: 999
    readOnlyRootFilesystem: true
    allowPrivilegeEscalation: false
    capabilities:
      drop: [ALL]
    seccompProfile:
      type: RuntimeDefault
  volumeMounts:
  (server mounts)
  - name: plugins
    mountPath: /home/argocd/cmp-server/plugins
  - name: rollstamp-tmp
    mountPath: /tmp
  - name: rollstamp-cache
    mountPath: /var/cache/rollstamp
  - name: rollstamp-hash-key
    mountPath: /etc/rollstamp/key
    readOnly: true
  - name: rollstamp-policy
    mountPath: /etc/rollstamp/policy
    readOnly: true
  (plugin mount)
`

const perRender = `# The image holds nothing but rollstamp. Argo CD's plugin server comes from the pod's init container, and runs rollstamp for each render.
command: [/var/run/argocd/argocd-cmp-server]
`

const resident = `# rollstamp answers on the plugin's socket itself, and remembers what it rendered: an unchanged application costs next to nothing.
command: [/usr/local/bin/rollstamp]
args: [argocd, serve, --name, (name), --listen, ":8090"]
ports:
- name: rollstamp
  containerPort: 8090
livenessProbe:
  httpGet:
    path: /healthz
    port: rollstamp
`

const perRenderMounts = `- name: var-files
  mountPath: /var/run/argocd
`

const pluginMount = `- name: rollstamp-plugin
  mountPath: /home/argocd/cmp-server/config/plugin.yaml
  subPath: plugin.yaml
`

const chartPluginMount = `- name: rollstamp-plugin
  mountPath: /home/argocd/cmp-server/config/plugin.yaml
  subPath: (name).yaml
`

const volumes = `- name: rollstamp-tmp
  emptyDir: {}
- name: rollstamp-cache
  emptyDir:
    sizeLimit: 2Gi
- name: rollstamp-hash-key
  secret:
    secretName: rollstamp-hash-key
- name: rollstamp-policy
  configMap:
    name: rollstamp-policy
`

const pluginVolume = `- name: rollstamp-plugin
  configMap:
    name: rollstamp-plugin
`

const chartPluginVolume = `- name: rollstamp-plugin
  configMap:
    name: argocd-cmp-cm
`

const pluginGenerated = `- name: rollstamp-plugin
  literals:
  - |
    plugin.yaml=apiVersion: argoproj.io/v1alpha1
    kind: ConfigManagementPlugin
    metadata:
      name: (name)
    spec:
      (spec)
`

const pluginObject = `---
apiVersion: v1
kind: ConfigMap
metadata:
  name: rollstamp-plugin
  labels:
    app.kubernetes.io/name: rollstamp
data:
  plugin.yaml: |
    apiVersion: argoproj.io/v1alpha1
    kind: ConfigManagementPlugin
    metadata:
      name: (name)
    spec:
      (spec)
`

const pluginValues = `configs:
  cmp:
    create: true
    plugins:
      (name):
        (spec)
`

const component = `(head)
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
# Generated, so that a change of either starts the pod anew: Argo CD reads the plugin's file only when the sidecar starts.
configMapGenerator:
(plugin generated)
- name: rollstamp-policy
  literals:
  - |
    policy.yaml=
    (policy)
patches:
- target:
    group: apps
    kind: Deployment
    name: argocd-repo-server
  patch: |
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: argocd-repo-server
    spec:
      template:
        spec:
          containers:
          (sidecar)
          volumes:
          (volumes)
          (plugin volume)
`

const values = `(head)
(plugin values)
repoServer:
  extraContainers:
  (sidecar)
  volumes:
  (volumes)
  (chart's plugin volume)
extraObjects:
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: rollstamp-policy
  data:
    policy.yaml: |
      (policy)
`

const manifests = `(head)
apiVersion: apps/v1
kind: Deployment
metadata:
  name: argocd-repo-server
spec:
  template:
    spec:
      containers:
      (sidecar)
      volumes:
      (volumes)
      (plugin volume)
(plugin object)
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: rollstamp-policy
  labels:
    app.kubernetes.io/name: rollstamp
data:
  policy.yaml: |
    (policy)
`
