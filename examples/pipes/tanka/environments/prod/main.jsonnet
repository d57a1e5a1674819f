// Applied with: tk show --dangerous-allow-redirect environments/prod | rollstamp stamp | rollstamp verify --pass | kubectl apply -f -
{
  settings: {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings' },
    data: { GREETING: 'hello' },
  },
  web: {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          containers: [{
            name: 'web',
            image: 'nginx:1.29',
            envFrom: [{ configMapRef: { name: $.settings.metadata.name } }],
          }],
        },
      },
    },
  },
}
