import { conformance } from "../framework/conformance.ts";
import { at, deployment, pod, service } from "../framework/objects.ts";
import { create, edit, get, mergePatch, remove, request, update, type Step } from "../framework/requests.ts";

const named = (name: string, object: object, metadata: object = {}) => ({ metadata: { name, ...metadata }, ...object });
const web: Step[] = [create("deployments", named("web", deployment({ replicas: 2 })))];
const account: Step[] = [create("serviceaccounts", named("default", {}))];
const aPod = (name: string, labels: object = {}): Step => create("pods", named(name, pod(), { labels }));

conformance("status subresources", {
  "an update of the status changes the status alone": [
    ...web,
    edit("deployments/web/status", {
      spec: { replicas: 9 },
      metadata: { labels: { a: "b" } },
      status: { replicas: 2, readyReplicas: 1 },
    }),
  ],
  "an update of the main resource keeps the status": [
    ...web,
    mergePatch("deployments/web/status", { status: { replicas: 2 } }),
    edit("deployments/web", { spec: { replicas: 3 }, status: { replicas: 7 } }),
  ],
  "does not raise the generation": [
    ...web,
    mergePatch("deployments/web/status", { status: { observedGeneration: 1 } }),
  ],
  "reads as the object itself": [...web, get("deployments/web/status")],
  "of a wrong status is refused": [
    ...web,
    mergePatch(
      "deployments/web/status",
      { status: { replicas: 1, readyReplicas: 2 } },
      { gives: 422, saying: "cannot be greater than status.replicas" },
    ),
  ],
  "with an old version is a conflict": [
    ...web,
    mergePatch(
      "deployments/web/status",
      { metadata: { resourceVersion: "1" }, status: { replicas: 1 } },
      { gives: 409 },
    ),
  ],
  "of a Service with a load balancer's address": [
    create("services", named("s", service({ type: "LoadBalancer" }))),
    mergePatch("services/s/status", { status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } } }),
    edit("services/s", { spec: { type: "ClusterIP" } }),
  ],
  "of a Pod that is ready": [
    ...account,
    aPod("p"),
    mergePatch("pods/p/status", {
      status: {
        phase: "Running",
        conditions: [{ type: "Ready", status: "True" }],
        containerStatuses: [
          {
            name: "app",
            ready: true,
            image: "nginx:1",
            imageID: "x",
            restartCount: 0,
            state: { running: { startedAt: "2020-01-01T00:00:00Z" } },
          },
        ],
      },
    }),
  ],
  "of a Namespace cannot touch the spec": [
    mergePatch("namespaces/{ns}/status", { status: { phase: "Active" }, spec: { finalizers: [] } }),
  ],
  "of a kind without one is not found": [
    create("configmaps", named("a", {})),
    get("configmaps/a/status", { gives: 404 }),
  ],
});

conformance("scale subresources", {
  "of a Deployment reads spec, status and selector": [
    ...web,
    mergePatch("deployments/web/status", { status: { replicas: 2 } }),
    get("deployments/web/scale"),
  ],
  "of a Deployment writes the replicas": [
    ...web,
    edit("deployments/web/scale", { spec: { replicas: 5 } }),
    get("deployments/web"),
  ],
  "with an old version is a conflict": [
    ...web,
    update(
      "deployments/web/scale",
      { metadata: { resourceVersion: "1", namespace: "{ns}" }, spec: { replicas: 5 } },
      { gives: 409 },
    ),
  ],
  "without a version is unconditional": [
    ...web,
    update("deployments/web/scale", { metadata: { namespace: "{ns}" }, spec: { replicas: 5 } }),
  ],
  "below zero is refused": [
    ...web,
    mergePatch(
      "deployments/web/scale",
      { spec: { replicas: -1 } },
      { gives: 422, saying: "must be greater than or equal to 0" },
    ),
  ],
  "of what is not there is not found": [get("deployments/none/scale", { gives: 404 })],
  "as a dry run changes nothing": [
    ...web,
    mergePatch("deployments/web/scale", { spec: { replicas: 7 } }, { dryRun: "All" }),
    get("deployments/web/scale"),
  ],
  "of a StatefulSet and of a ReplicaSet": [
    create("statefulsets", named("s", { spec: { ...(deployment() as { spec: object }).spec, serviceName: "s" } })),
    mergePatch("statefulsets/s/scale", { spec: { replicas: 3 } }),
    create("replicasets", named("r", deployment())),
    mergePatch("replicasets/r/scale", { spec: { replicas: 3 } }),
  ],
});

conformance("other subresources", {
  "binding puts a Pod on a node": [
    ...account,
    aPod("p"),
    create("pods/p/binding", { target: { kind: "Node", name: "n1" } }),
    get("pods/p"),
  ],
  "binding twice is a conflict": [
    ...account,
    aPod("p"),
    create("pods/p/binding", { target: { kind: "Node", name: "n1" } }),
    create("pods/p/binding", { target: { kind: "Node", name: "n2" } }, { gives: 409 }),
  ],
  "eviction deletes a Pod": [...account, aPod("p"), create("pods/p/eviction", {}), get("pods/p", { gives: 404 })],
  "eviction of what is not there is not found": [create("pods/none/eviction", {}, { gives: 404 })],
  "eviction as a dry run deletes nothing": [
    ...account,
    aPod("p"),
    create("pods/p/eviction", { deleteOptions: { dryRun: ["All"] } }),
    get("pods/p", { see: at("metadata.name") }),
  ],
  "a token of a ServiceAccount is issued for as long as asked": [
    create("serviceaccounts", named("s", {})),
    create(
      "serviceaccounts/s/token",
      { spec: { expirationSeconds: 1200 } },
      {
        see: (answer) => {
          const { kind, status } = answer as { kind: string; status: { token: string } };
          const claims = JSON.parse(Buffer.from(status.token.split(".")[1] ?? "", "base64url").toString()) as {
            sub: string;
            exp: number;
            iat: number;
          };
          return { kind, sub: claims.sub, seconds: claims.exp - claims.iat };
        },
      },
    ),
  ],
  "a token of a ServiceAccount for too short a time is refused": [
    create("serviceaccounts", named("s", {})),
    create(
      "serviceaccounts/s/token",
      { spec: { expirationSeconds: 5 } },
      { gives: 422, saying: "may not specify a duration less than 10 minutes" },
    ),
  ],
  "a token of what is not there is not found": [create("serviceaccounts/none/token", { spec: {} }, { gives: 404 })],
  "a Namespace that is deleted is terminating until it is finalized": [
    remove("namespaces/{ns}", undefined, { see: at("status") }),
    create("configmaps", named("a", {}), { gives: 403, saying: "because it is being terminated" }),
    request("PUT", "/api/v1/namespaces/{ns}/finalize", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "{ns}" },
      spec: { finalizers: [] },
    }),
    get("namespaces/{ns}", { gives: 404 }),
  ],
  "a Namespace that is deleted twice stays as it is": [remove("namespaces/{ns}"), remove("namespaces/{ns}")],
});

conformance("access reviews", {
  "the administrator may do everything": [
    create(
      "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectAccessReview",
        spec: { resourceAttributes: { verb: "delete", resource: "pods", namespace: "{ns}" } },
      },
      { see: at("status.allowed") },
    ),
  ],
  "a stranger may not": [
    create("/apis/authorization.k8s.io/v1/subjectaccessreviews", {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec: { user: "stranger", resourceAttributes: { verb: "get", resource: "pods", namespace: "{ns}" } },
    }),
  ],
  "a local review speaks of its namespace": [
    create("/apis/authorization.k8s.io/v1/namespaces/{ns}/localsubjectaccessreviews", {
      apiVersion: "authorization.k8s.io/v1",
      kind: "LocalSubjectAccessReview",
      spec: { user: "stranger", resourceAttributes: { verb: "get", resource: "pods", namespace: "{ns}" } },
    }),
    create(
      "/apis/authorization.k8s.io/v1/namespaces/{ns}/localsubjectaccessreviews",
      {
        apiVersion: "authorization.k8s.io/v1",
        kind: "LocalSubjectAccessReview",
        spec: { user: "stranger", resourceAttributes: { verb: "get", resource: "pods", namespace: "other" } },
      },
      { gives: 422 },
    ),
  ],
  "a review without a subject is refused": [
    create(
      "/apis/authorization.k8s.io/v1/subjectaccessreviews",
      {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SubjectAccessReview",
        spec: { resourceAttributes: { verb: "get", resource: "pods" } },
      },
      { gives: 422, saying: "at least one of user or group must be specified" },
    ),
  ],
  "a token is reviewed": [
    create("serviceaccounts", named("s", {})),
    create("serviceaccounts/s/token", { spec: {} }, { keep: { t: "status.token" }, see: () => "kept" }),
    create(
      "/apis/authentication.k8s.io/v1/tokenreviews",
      { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token: "{t}" } },
      {
        see: (answer) => {
          const { status } = answer as {
            status: { authenticated: boolean; user: { username: string; groups: string[] } };
          };
          return { authenticated: status.authenticated, username: status.user.username, groups: status.user.groups };
        },
      },
    ),
  ],
  "a token that is nobody's is not authenticated": [
    create(
      "/apis/authentication.k8s.io/v1/tokenreviews",
      { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token: "nonsense" } },
      { see: at("status.authenticated") },
    ),
  ],
  "who am I": [
    create(
      "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
      {
        see: (answer) => {
          const { userInfo } = (answer as { status: { userInfo: { groups: string[] } } }).status;
          return userInfo.groups;
        },
      },
    ),
  ],
});
