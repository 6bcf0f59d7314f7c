import { conformance } from "../framework/conformance.ts";
import { deployment } from "../framework/objects.ts";
import { create, edit, get, remove, request, update } from "../framework/requests.ts";

const configMap = (name: string) =>
  create(
    "configmaps",
    { metadata: { name }, data: { x: "1" } },
    { keep: { rv: "metadata.resourceVersion", uid: "metadata.uid" } },
  );

conformance("delete", {
  "of a plain object answers with success": [
    configMap("a"),
    remove("configmaps/a"),
    get("configmaps/a", { gives: 404 }),
  ],
  "of what is not there is not found": [remove("configmaps/a", undefined, { gives: 404 })],
  "with the right uid": [configMap("a"), remove("configmaps/a", { preconditions: { uid: "{uid}" } })],
  "with a wrong uid is a conflict": [
    configMap("a"),
    remove(
      "configmaps/a",
      { preconditions: { uid: "11111111-1111-1111-1111-111111111111" } },
      { gives: 409, saying: "the UID in the precondition" },
    ),
  ],
  "with the right version": [configMap("a"), remove("configmaps/a", { preconditions: { resourceVersion: "{rv}" } })],
  "with an old version is a conflict": [
    configMap("a"),
    update("configmaps/a", { data: { y: "1" } }),
    remove(
      "configmaps/a",
      { preconditions: { resourceVersion: "{rv}" } },
      { gives: 409, saying: "the ResourceVersion in the precondition" },
    ),
  ],
  "of an object with finalizers marks it": [
    create("configmaps", { metadata: { name: "a", finalizers: ["example.com/f"] } }),
    remove("configmaps/a"),
    remove("configmaps/a"),
    edit("configmaps/a", { metadata: { finalizers: null } }),
    get("configmaps/a", { gives: 404 }),
  ],
  "of what is being deleted lets no finalizer come": [
    create("configmaps", { metadata: { name: "a", finalizers: ["example.com/f"] } }),
    remove("configmaps/a"),
    edit(
      "configmaps/a",
      { metadata: { finalizers: ["example.com/f", "example.com/g"] } },
      { gives: 422, saying: "no new finalizers can be added if the object is being deleted" },
    ),
  ],
  "of what is being deleted still lets changes in": [
    create("configmaps", { metadata: { name: "a", finalizers: ["example.com/f"] } }),
    remove("configmaps/a"),
    edit("configmaps/a", { data: { x: "2" } }),
  ],
  "in the foreground leaves a finalizer for the garbage collector": [
    configMap("a"),
    remove("configmaps/a", { propagationPolicy: "Foreground" }),
    get("configmaps/a"),
  ],
  "as an orphanage leaves a finalizer for the garbage collector": [
    configMap("a"),
    remove("configmaps/a", { propagationPolicy: "Orphan" }),
    get("configmaps/a"),
  ],
  "in the background deletes at once": [
    configMap("a"),
    remove("configmaps/a", { propagationPolicy: "Background" }),
    get("configmaps/a", { gives: 404 }),
  ],
  "with the policy as a parameter": [configMap("a"), remove("configmaps/a?propagationPolicy=Foreground")],
  "with an unknown policy is refused": [
    configMap("a"),
    remove("configmaps/a", { propagationPolicy: "Sideways" }, { gives: 422, saying: "propagationPolicy" }),
  ],
  "with a policy and orphanDependents is refused": [
    configMap("a"),
    remove("configmaps/a", { propagationPolicy: "Orphan", orphanDependents: true }, { gives: 422 }),
  ],
  "of a custom resource in the foreground raises its generation": [
    create("widgets", { metadata: { name: "w" } }),
    remove("widgets/w", { propagationPolicy: "Foreground" }),
  ],
  "of a custom resource answers with a Status": [create("widgets", { metadata: { name: "w" } }), remove("widgets/w")],
  "of a deployment answers with a Status": [
    create("deployments", { metadata: { name: "web" }, ...deployment() }),
    remove("deployments/web"),
  ],
  "of a ServiceAccount answers with the object": [
    create("serviceaccounts", { metadata: { name: "s" } }),
    remove("serviceaccounts/s"),
  ],
  "of a Service answers with the object": [
    create("services", { metadata: { name: "s" }, spec: { ports: [{ port: 1 }] } }),
    remove("services/s"),
  ],
  "as a dry run deletes nothing": [
    configMap("a"),
    remove("configmaps/a", undefined, { dryRun: "All" }),
    remove("configmaps/a", { dryRun: ["All"] }),
    get("configmaps/a"),
  ],
  "of a collection deletes what is selected": [
    create("configmaps", { metadata: { name: "a", labels: { p: "1" } } }),
    create("configmaps", { metadata: { name: "b" } }),
    request("DELETE", "configmaps", undefined, { query: { labelSelector: "p=1" } }),
    get("configmaps"),
  ],
  "of a collection of Services is allowed": [
    create("services", { metadata: { name: "s" }, spec: { ports: [{ port: 1 }] } }),
    request("DELETE", "services"),
    get("services"),
  ],
  "of a collection by a field selector": [
    configMap("a"),
    configMap("b"),
    request("DELETE", "configmaps", undefined, { query: { fieldSelector: "metadata.name=a" } }),
  ],
  "with a body that is no deletion options is refused": [
    configMap("a"),
    request("DELETE", "configmaps/a", { kind: "ConfigMap", apiVersion: "v1" }, { gives: 400 }),
  ],
});
