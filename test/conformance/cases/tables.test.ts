import { conformance } from "../framework/conformance.ts";
import { deployment, pod, service } from "../framework/objects.ts";
import { create, get, mergePatch, type AskOptions, type Step } from "../framework/requests.ts";

const TABLE: AskOptions = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };
const named = (name: string, object: object, metadata: object = {}) => ({ metadata: { name, ...metadata }, ...object });
const account: Step = create("serviceaccounts", named("default", {}));
const table = (steps: Step[], path: string) => [...steps, get(path, TABLE)];

conformance("Tables", {
  "of Deployments": table(
    [
      create("deployments", named("web", deployment({ replicas: 3 }))),
      mergePatch("deployments/web/status", {
        status: { replicas: 3, readyReplicas: 2, updatedReplicas: 1, availableReplicas: 2 },
      }),
    ],
    "deployments",
  ),
  "of ReplicaSets": table([create("replicasets", named("r", deployment({ replicas: 3 })))], "replicasets"),
  "of StatefulSets": table(
    [create("statefulsets", named("s", { spec: { ...(deployment() as { spec: object }).spec, serviceName: "s" } }))],
    "statefulsets",
  ),
  "of DaemonSets": table([create("daemonsets", named("d", deployment()))], "daemonsets?includeObject=None"),
  "of Jobs": table(
    [
      create(
        "jobs",
        named("j", {
          spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "a" }] } } },
        }),
      ),
    ],
    "jobs",
  ),
  "of pending Pods": table([account, create("pods", named("p", pod()))], "pods"),
  "of running Pods": table(
    [
      account,
      create("pods", named("p", pod({ nodeName: "n" }))),
      mergePatch("pods/p/status", {
        status: {
          phase: "Running",
          podIP: "192.0.2.7",
          podIPs: [{ ip: "192.0.2.7" }],
          conditions: [{ type: "Ready", status: "True" }],
          containerStatuses: [
            { name: "app", ready: true, image: "nginx:1", imageID: "x", restartCount: 2, state: { running: {} } },
          ],
        },
      }),
    ],
    "pods",
  ),
  "of Pods that cannot pull": table(
    [
      account,
      create("pods", named("p", pod())),
      mergePatch("pods/p/status", {
        status: {
          phase: "Pending",
          containerStatuses: [
            {
              name: "app",
              ready: false,
              image: "nginx:1",
              imageID: "",
              restartCount: 0,
              state: { waiting: { reason: "ImagePullBackOff" } },
            },
          ],
        },
      }),
    ],
    "pods",
  ),
  "of Pods that crash": table(
    [
      account,
      create("pods", named("p", pod())),
      mergePatch("pods/p/status", {
        status: {
          phase: "Running",
          containerStatuses: [
            {
              name: "app",
              ready: false,
              image: "nginx:1",
              imageID: "",
              restartCount: 4,
              state: { waiting: { reason: "CrashLoopBackOff" } },
              lastState: { terminated: { exitCode: 1, finishedAt: "2020-01-01T00:00:00Z" } },
            },
          ],
        },
      }),
    ],
    "pods?fieldSelector=metadata.name!=q",
  ),
  "of Services": table(
    [
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
    ],
    "services",
  ),
  "of ConfigMaps": table([create("configmaps", named("a", { data: { x: "1", y: "2" } }))], "configmaps"),
  "of Secrets": table([create("secrets", named("a", { data: { x: "YQ==" } }))], "secrets"),
  "of Namespaces": table([], "namespaces/{ns}"),
  "of ServiceAccounts": table([account], "serviceaccounts"),
  "of Nodes": table(
    [
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
    ],
    "nodes/{ns}-n",
  ),
  "of Events": table(
    [
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
    ],
    "events",
  ),
  "of Roles and bindings": table(
    [
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
    ],
    "rolebindings",
  ),
  "of Leases": table([create("leases", named("l", { spec: { holderIdentity: "me" } }))], "leases"),
  "of autoscalers": table(
    [
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
    ],
    "horizontalpodautoscalers",
  ),
  "of disruption budgets": table(
    [create("poddisruptionbudgets", named("p", { spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } } }))],
    "poddisruptionbudgets",
  ),
  "of Ingresses": table(
    [
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
    ],
    "ingresses",
  ),
  "of claims": table(
    [
      create(
        "persistentvolumeclaims",
        named("p", { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } }),
      ),
    ],
    "persistentvolumeclaims",
  ),
  "of controller revisions": table(
    [
      create(
        "controllerrevisions",
        named(
          "c",
          { revision: 3, data: {} },
          { ownerReferences: [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "s", uid: "1", controller: true }] },
        ),
      ),
    ],
    "controllerrevisions",
  ),
  "of CRDs": table([], "customresourcedefinitions/widgets.conformance.example.com"),
  "of custom resources with columns of their own": table(
    [
      create("widgets", named("w", { spec: { size: 3, color: "red", parts: [{ name: "a" }, { name: "b" }] } })),
      create("widgets", named("v", {})),
    ],
    "widgets",
  ),
  "of custom resources without columns": table([create("gadgets", named("{ns}", { spec: {} }))], "gadgets/{ns}"),
  "with whole objects": table(
    [create("configmaps", named("a", { data: { x: "1" } }))],
    "configmaps?includeObject=Object",
  ),
  "without objects": table([create("configmaps", named("a", { data: { x: "1" } }))], "configmaps?includeObject=None"),
  "of nothing": table([], "configmaps"),
  "of a part of a list": table(
    [create("configmaps", named("a", {})), create("configmaps", named("b", {}))],
    "configmaps?limit=1",
  ),
  "of an object that is not there is a Status": [get("configmaps/none", { ...TABLE, gives: 404 })],
});
