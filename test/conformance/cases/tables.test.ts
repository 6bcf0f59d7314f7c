import { conformance } from "../framework/conformance.ts";
import { deployment, pod, service } from "../framework/objects.ts";
import { create, get, mergePatch, type AskOptions, type Step } from "../framework/requests.ts";

const TABLE: AskOptions = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };
const named = (name: string, object: object, metadata: object = {}) => ({ metadata: { name, ...metadata }, ...object });
const account: Step = create("serviceaccounts", named("default", {}));
const table = (path: string, ...steps: Step[]) => [...steps, get(path, TABLE)];
/** A Pod whose container has this status. */
const podWith = (phase: string, spec: object, container: object, more: object = {}): Step[] => {
  const status = { name: "app", ready: false, image: "nginx:1", imageID: "x", restartCount: 0, ...container };
  return [
    account,
    create("pods", named("p", pod(spec as Record<string, unknown>))),
    mergePatch("pods/p/status", { status: { phase, containerStatuses: [status], ...more } }),
  ];
};

conformance("Tables", {
  "of Deployments": table(
    "deployments",
    create("deployments", named("web", deployment({ replicas: 3 }))),
    mergePatch("deployments/web/status", {
      status: { replicas: 3, readyReplicas: 2, updatedReplicas: 1, availableReplicas: 2 },
    }),
  ),
  "of ReplicaSets": table("replicasets", create("replicasets", named("r", deployment({ replicas: 3 })))),
  "of StatefulSets": table(
    "statefulsets",
    create("statefulsets", named("s", { spec: { ...(deployment() as { spec: object }).spec, serviceName: "s" } })),
  ),
  "of DaemonSets": table("daemonsets?includeObject=None", create("daemonsets", named("d", deployment()))),
  "of Jobs": table(
    "jobs",
    create(
      "jobs",
      named("j", {
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "a" }] } } },
      }),
    ),
  ),
  "of pending Pods": table("pods", account, create("pods", named("p", pod()))),
  "of running Pods": table(
    "pods",
    ...podWith(
      "Running",
      { nodeName: "n" },
      { ready: true, restartCount: 2, state: { running: {} } },
      { podIP: "192.0.2.7", podIPs: [{ ip: "192.0.2.7" }], conditions: [{ type: "Ready", status: "True" }] },
    ),
  ),
  "of Pods that cannot pull": table(
    "pods",
    ...podWith("Pending", {}, { state: { waiting: { reason: "ImagePullBackOff" } } }),
  ),
  "of Pods that crash": table(
    "pods?fieldSelector=metadata.name!=q",
    ...podWith(
      "Running",
      {},
      {
        restartCount: 4,
        state: { waiting: { reason: "CrashLoopBackOff" } },
        lastState: { terminated: { exitCode: 1, finishedAt: "2020-01-01T00:00:00Z" } },
      },
    ),
  ),
  "of Services": table(
    "services",
    create("services", named("a", service({ clusterIP: "None" }))),
    create("services", named("b", service({ type: "NodePort", ports: [{ port: 80, nodePort: 32201 }] }))),
    create("services", named("c", { spec: { type: "ExternalName", externalName: "example.com" } })),
    create(
      "services",
      named(
        "d",
        service({
          type: "LoadBalancer",
          ports: [
            { port: 80, nodePort: 32202 },
            { port: 81, name: "b", nodePort: 32203 },
          ].map((port, index) => ({ name: `p${index}`, ...port })),
        }),
      ),
    ),
  ),
  "of ConfigMaps": table("configmaps", create("configmaps", named("a", { data: { x: "1", y: "2" } }))),
  "of Secrets": table("secrets", create("secrets", named("a", { data: { x: "YQ==" } }))),
  "of Namespaces": table("namespaces/{ns}"),
  "of ServiceAccounts": table("serviceaccounts", account),
  "of Nodes": table(
    "nodes/{ns}-n",
    create(
      "nodes",
      named("{ns}-n", { spec: { unschedulable: true } }, { labels: { "node-role.kubernetes.io/worker": "" } }),
    ),
    mergePatch("nodes/{ns}-n/status", {
      status: {
        conditions: [{ type: "Ready", status: "True" }],
        nodeInfo: {
          kubeletVersion: "v1.2.3",
          osImage: "x",
          kernelVersion: "y",
          containerRuntimeVersion: "z",
          operatingSystem: "linux",
          architecture: "amd64",
          machineID: "",
          systemUUID: "",
          bootID: "",
          kubeProxyVersion: "",
        },
      },
    }),
  ),
  "of Events": table(
    "events",
    create(
      "events",
      named("e", {
        involvedObject: { kind: "Pod", name: "p", namespace: "{ns}" },
        reason: "Started",
        message: "it runs",
        type: "Normal",
        count: 3,
      }),
    ),
  ),
  "of Roles and bindings": table(
    "rolebindings",
    create(
      "rolebindings",
      named("b", {
        roleRef: { kind: "Role", name: "r" },
        subjects: [
          { kind: "ServiceAccount", name: "s" },
          { kind: "User", name: "u" },
          { kind: "Group", name: "g" },
        ],
      }),
    ),
  ),
  "of Leases": table("leases", create("leases", named("l", { spec: { holderIdentity: "me" } }))),
  "of autoscalers": table(
    "horizontalpodautoscalers",
    create(
      "horizontalpodautoscalers",
      named("h", {
        spec: {
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
          minReplicas: 2,
          maxReplicas: 5,
        },
      }),
    ),
  ),
  "of disruption budgets": table(
    "poddisruptionbudgets",
    create("poddisruptionbudgets", named("p", { spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } } })),
  ),
  "of Ingresses": table(
    "ingresses",
    create(
      "ingresses",
      named("i", {
        spec: {
          ingressClassName: "x",
          tls: [{ hosts: ["a"] }],
          rules: [{ host: "a.example.com" }, { host: "b.example.com" }],
        },
      }),
    ),
  ),
  "of claims": table(
    "persistentvolumeclaims",
    create(
      "persistentvolumeclaims",
      named("p", { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } }),
    ),
  ),
  "of controller revisions": table(
    "controllerrevisions",
    create(
      "controllerrevisions",
      named(
        "c",
        { revision: 3, data: {} },
        { ownerReferences: [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "s", uid: "1", controller: true }] },
      ),
    ),
  ),
  "of CRDs": table("customresourcedefinitions/widgets.conformance.example.com"),
  "of custom resources with columns of their own": table(
    "widgets",
    create("widgets", named("w", { spec: { size: 3, color: "red", parts: [{ name: "a" }, { name: "b" }] } })),
    create("widgets", named("v", {})),
  ),
  "of custom resources without columns": table("gadgets/{ns}", create("gadgets", named("{ns}", { spec: {} }))),
  "with whole objects": table(
    "configmaps?includeObject=Object",
    create("configmaps", named("a", { data: { x: "1" } })),
  ),
  "without objects": table("configmaps?includeObject=None", create("configmaps", named("a", { data: { x: "1" } }))),
  "of nothing": table("configmaps"),
  "of a part of a list": table(
    "configmaps?limit=1",
    create("configmaps", named("a", {})),
    create("configmaps", named("b", {})),
  ),
  "of an object that is not there is a Status": [get("configmaps/none", { ...TABLE, gives: 404 })],
});
