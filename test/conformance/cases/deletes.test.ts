import { conformance } from "../framework/conformance.ts";
import { deployment } from "../framework/objects.ts";
import { create, edit, get, remove, request, update } from "../framework/requests.ts";

const configMap = (name: string) =>
  create(
    "configmaps",
    { metadata: { name }, data: { x: "1" } },
    { keep: { rv: "metadata.resourceVersion", uid: "metadata.uid" } },
  );

conformance("delete", [
  {
    name: "of a plain object answers with success",
    steps: [configMap("a"), remove("configmaps/a"), get("configmaps/a", { gives: 404 })],
  },
  { name: "of what is not there is not found", steps: [remove("configmaps/a", undefined, { gives: 404 })] },
  { name: "with the right uid", steps: [configMap("a"), remove("configmaps/a", { preconditions: { uid: "{uid}" } })] },
  {
    name: "with a wrong uid is a conflict",
    steps: [
      configMap("a"),
      remove(
        "configmaps/a",
        { preconditions: { uid: "11111111-1111-1111-1111-111111111111" } },
        { gives: 409, saying: "the UID in the precondition" },
      ),
    ],
  },
  {
    name: "with the right version",
    steps: [configMap("a"), remove("configmaps/a", { preconditions: { resourceVersion: "{rv}" } })],
  },
  {
    name: "with an old version is a conflict",
    steps: [
      configMap("a"),
      update("configmaps/a", { data: { y: "1" } }),
      remove(
        "configmaps/a",
        { preconditions: { resourceVersion: "{rv}" } },
        { gives: 409, saying: "the ResourceVersion in the precondition" },
      ),
    ],
  },
  {
    name: "of an object with finalizers marks it",
    steps: [
      create("configmaps", { metadata: { name: "a", finalizers: ["example.com/f"] } }),
      remove("configmaps/a"),
      remove("configmaps/a"),
      edit("configmaps/a", { metadata: { finalizers: null } }),
      get("configmaps/a", { gives: 404 }),
    ],
  },
  {
    name: "of what is being deleted lets no finalizer come",
    steps: [
      create("configmaps", { metadata: { name: "a", finalizers: ["example.com/f"] } }),
      remove("configmaps/a"),
      edit(
        "configmaps/a",
        { metadata: { finalizers: ["example.com/f", "example.com/g"] } },
        { gives: 422, saying: "no new finalizers can be added if the object is being deleted" },
      ),
    ],
  },
  {
    name: "of what is being deleted still lets changes in",
    steps: [
      create("configmaps", { metadata: { name: "a", finalizers: ["example.com/f"] } }),
      remove("configmaps/a"),
      edit("configmaps/a", { data: { x: "2" } }),
    ],
  },
  {
    name: "in the foreground leaves a finalizer for the garbage collector",
    steps: [configMap("a"), remove("configmaps/a", { propagationPolicy: "Foreground" }), get("configmaps/a")],
  },
  {
    name: "as an orphanage leaves a finalizer for the garbage collector",
    steps: [configMap("a"), remove("configmaps/a", { propagationPolicy: "Orphan" }), get("configmaps/a")],
  },
  {
    name: "in the background deletes at once",
    steps: [
      configMap("a"),
      remove("configmaps/a", { propagationPolicy: "Background" }),
      get("configmaps/a", { gives: 404 }),
    ],
  },
  {
    name: "with the policy as a parameter",
    steps: [configMap("a"), remove("configmaps/a?propagationPolicy=Foreground")],
  },
  {
    name: "with an unknown policy is refused",
    steps: [
      configMap("a"),
      remove("configmaps/a", { propagationPolicy: "Sideways" }, { gives: 422, saying: "propagationPolicy" }),
    ],
  },
  {
    name: "with a policy and orphanDependents is refused",
    steps: [
      configMap("a"),
      remove("configmaps/a", { propagationPolicy: "Orphan", orphanDependents: true }, { gives: 422 }),
    ],
  },
  {
    name: "of a custom resource in the foreground raises its generation",
    steps: [create("widgets", { metadata: { name: "w" } }), remove("widgets/w", { propagationPolicy: "Foreground" })],
  },
  {
    name: "of a custom resource answers with a Status",
    steps: [create("widgets", { metadata: { name: "w" } }), remove("widgets/w")],
  },
  {
    name: "of a deployment answers with a Status",
    steps: [create("deployments", { metadata: { name: "web" }, ...deployment() }), remove("deployments/web")],
  },
  {
    name: "of a ServiceAccount answers with the object",
    steps: [create("serviceaccounts", { metadata: { name: "s" } }), remove("serviceaccounts/s")],
  },
  {
    name: "of a Service answers with the object",
    steps: [create("services", { metadata: { name: "s" }, spec: { ports: [{ port: 1 }] } }), remove("services/s")],
  },
  {
    name: "as a dry run deletes nothing",
    steps: [
      configMap("a"),
      remove("configmaps/a", undefined, { dryRun: "All" }),
      remove("configmaps/a", { dryRun: ["All"] }),
      get("configmaps/a"),
    ],
  },
  {
    name: "of a collection deletes what is selected",
    steps: [
      create("configmaps", { metadata: { name: "a", labels: { p: "1" } } }),
      create("configmaps", { metadata: { name: "b" } }),
      request("DELETE", "configmaps", undefined, { query: { labelSelector: "p=1" } }),
      get("configmaps"),
    ],
  },
  {
    name: "of a collection of Services is allowed",
    steps: [
      create("services", { metadata: { name: "s" }, spec: { ports: [{ port: 1 }] } }),
      request("DELETE", "services"),
      get("services"),
    ],
  },
  {
    name: "of a collection by a field selector",
    steps: [
      configMap("a"),
      configMap("b"),
      request("DELETE", "configmaps", undefined, { query: { fieldSelector: "metadata.name=a" } }),
    ],
  },
  {
    name: "with a body that is no deletion options is refused",
    steps: [configMap("a"), request("DELETE", "configmaps/a", { kind: "ConfigMap", apiVersion: "v1" }, { gives: 400 })],
  },
]);
