/** The sample that the contract publishes, and the policies that run it in three regions. */

export const SAMPLE = `
apiVersion: paas.cmft.com/v1
kind: DemoApplication
metadata:
  name: nginx-demo
spec:
  replica: 2
  image: nginx:latest
  ports:
    - port: 80
      targetPort: 80
      nodePort: 30002
`;

export const EVERYWHERE = `
apiVersion: federation.paas.cmft.com/v1alpha1
kind: Placement
metadata: {name: everywhere, namespace: default}
spec:
  resourceSelectors:
    - {apiVersion: paas.cmft.com/v1, kind: DemoApplication, name: nginx-demo}
  clusterAffinities:
    - name: all-regions
      labelSelector:
        matchExpressions:
          - {key: topology.kubernetes.io/region, operator: In, values: [cn-shanghai, ap-southeast-1, eu-central-1]}
  replicaScheduling: {mode: Duplicated}
`;

export const REGIONAL = `
apiVersion: federation.paas.cmft.com/v1alpha1
kind: OverridePolicy
metadata: {name: regional-replicas, namespace: default}
spec:
  resourceSelectors:
    - {apiVersion: paas.cmft.com/v1, kind: DemoApplication}
  rules:
    - targetClusters: {labelSelector: {matchLabels: {topology.kubernetes.io/region: cn-shanghai}}}
      replicas: 5
      image: {registry: registry.example.cn}
    - targetClusters: {labelSelector: {matchLabels: {topology.kubernetes.io/region: ap-southeast-1}}}
      replicas: 3
      env: [{name: REGION, value: ap-southeast-1}]
      labels: {data-residency: sg}
      annotations: {example.com/owner: sre-asia}
      patches:
        - {kind: Service, op: replace, path: /spec/type, value: LoadBalancer}
        - {kind: Deployment, op: add, path: /spec/template/spec/terminationGracePeriodSeconds, value: 45}
`;
