import { conformance } from "../framework/conformance.ts";
import { deployment, pod, service } from "../framework/objects.ts";
import { create, get, mergePatch, type AskOptions, type Case, type Step } from "../framework/requests.ts";

const TABLE: AskOptions = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };
const named = (name: string, object: object, metadata: object = {}) => ({ metadata: { name, ...metadata }, ...object });
const account: Step = create("serviceaccounts", named("default", {}));
const table = (name: string, steps: Step[], path: string): Case => ({ name, steps: [...steps, get(path, TABLE)] });

conformance("Tables", [
  table(
    "of Deployments",
    [
      create("deployments", named("web", deployment({ replicas: 3 }))),
      mergePatch("deployments/web/status", {
        status: { replicas: 3, readyReplicas: 2, updatedReplicas: 1, availableReplicas: 2 },
      }),
    ],
    "deployments",
  ),
  table("of ReplicaSets", [create("replicasets", named("r", deployment({ replicas: 3 })))], "replicasets"),
  table(
    "of StatefulSets",
    [create("statefulsets", named("s", { spec: { ...(deployment() as { spec: object }).spec, serviceName: "s" } }))],
    "statefulsets",
  ),
  table("of DaemonSets", [create("daemonsets", named("d", deployment()))], "daemonsets?includeObject=None"),
  table(
    "of Jobs",
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
  table("of pending Pods", [account, create("pods", named("p", pod()))], "pods"),
  table(
    "of running Pods",
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
  table(
    "of Pods that cannot pull",
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
  table(
    "of Pods that crash",
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
  table(
    "of Services",
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
  table("of ConfigMaps", [create("configmaps", named("a", { data: { x: "1", y: "2" } }))], "configmaps"),
  table("of Secrets", [create("secrets", named("a", { data: { x: "YQ==" } }))], "secrets"),
  table("of Namespaces", [], "namespaces/{ns}"),
  table("of ServiceAccounts", [account], "serviceaccounts"),
  table(
    "of Nodes",
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
  table(
    "of Events",
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
  table(
    "of Roles and bindings",
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
  table("of Leases", [create("leases", named("l", { spec: { holderIdentity: "me" } }))], "leases"),
  table(
    "of autoscalers",
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
  table(
    "of disruption budgets",
    [create("poddisruptionbudgets", named("p", { spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } } }))],
    "poddisruptionbudgets",
  ),
  table(
    "of Ingresses",
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
  table(
    "of claims",
    [
      create(
        "persistentvolumeclaims",
        named("p", { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } }),
      ),
    ],
    "persistentvolumeclaims",
  ),
  table(
    "of controller revisions",
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
  table("of CRDs", [], "customresourcedefinitions/widgets.conformance.example.com"),
  table(
    "of custom resources with columns of their own",
    [
      create("widgets", named("w", { spec: { size: 3, color: "red", parts: [{ name: "a" }, { name: "b" }] } })),
      create("widgets", named("v", {})),
    ],
    "widgets",
  ),
  table("of custom resources without columns", [create("gadgets", named("{ns}", { spec: {} }))], "gadgets/{ns}"),
  table(
    "with whole objects",
    [create("configmaps", named("a", { data: { x: "1" } }))],
    "configmaps?includeObject=Object",
  ),
  table("without objects", [create("configmaps", named("a", { data: { x: "1" } }))], "configmaps?includeObject=None"),
  table("of nothing", [], "configmaps"),
  table(
    "of a part of a list",
    [create("configmaps", named("a", {})), create("configmaps", named("b", {}))],
    "configmaps?limit=1",
  ),
  { name: "of an object that is not there is a Status", steps: [get("configmaps/none", { ...TABLE, gives: 404 })] },
]);
