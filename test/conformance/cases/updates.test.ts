import { conformance } from "../framework/conformance.ts";
import { deployment } from "../framework/objects.ts";
import { apply, request, create, edit, get, mergePatch, update } from "../framework/requests.ts";

const configMap = (name: string) =>
  create(
    "configmaps",
    { metadata: { name }, data: { x: "1" } },
    { keep: { rv: "metadata.resourceVersion", uid: "metadata.uid" } },
  );

const OWNER = { apiVersion: "v1", kind: "Secret", name: "s", uid: "11111111-1111-1111-1111-111111111111" };
const OTHER = { apiVersion: "v1", kind: "Secret", name: "t", uid: "22222222-2222-2222-2222-222222222222" };
const FOLDED = { saying: "contains duplicate entries" };

conformance("update", {
  "replaces the object": [configMap("a"), update("configmaps/a", { data: { y: "1" } })],
  "with the current version is taken": [
    configMap("a"),
    update("configmaps/a", { metadata: { resourceVersion: "{rv}" }, data: { y: "1" } }),
  ],
  "with an old version is a conflict": [
    configMap("a"),
    update("configmaps/a", { data: { y: "1" } }),
    update(
      "configmaps/a",
      { metadata: { resourceVersion: "{rv}" }, data: { y: "2" } },
      { gives: 409, saying: "please apply your changes to the latest version" },
    ),
  ],
  "with another uid is a conflict": [
    configMap("a"),
    update(
      "configmaps/a",
      { metadata: { uid: "11111111-1111-1111-1111-111111111111" }, data: {} },
      { gives: 409, saying: "UID in precondition" },
    ),
  ],
  "with a uid of what is not there": [
    update(
      "configmaps/a",
      { metadata: { uid: "11111111-1111-1111-1111-111111111111" }, data: {} },
      { gives: 404, saying: "not found" },
    ),
    update(
      "leases/a",
      { metadata: { uid: "11111111-1111-1111-1111-111111111111" }, spec: {} },
      { gives: 409, saying: "UID in precondition" },
    ),
  ],
  "folds owners that stand there twice": [
    create("configmaps", { metadata: { name: "a", ownerReferences: [OWNER, OWNER, OTHER, OWNER] } }, FOLDED),
    edit("configmaps/a", { metadata: { ownerReferences: [OTHER, OTHER] } }, FOLDED),
    mergePatch("configmaps/a", { metadata: { ownerReferences: [OWNER, OTHER, OTHER] } }, FOLDED),
    apply("configmaps/b", { metadata: { ownerReferences: [OWNER, OWNER] } }, { gives: 500 }),
    create("widgets", { metadata: { name: "w", ownerReferences: [OWNER, OWNER] } }, FOLDED),
    // The same uid, and another thing said of it: that are two.
    create("secrets", { metadata: { name: "s", ownerReferences: [OWNER, { ...OWNER, name: "t" }] } }),
  ],
  "of the same content changes nothing": [configMap("a"), edit("configmaps/a", {})],
  "of what is not there is not found": [update("configmaps/a", { data: {} }, { gives: 404 })],
  "of another name than the path's is refused": [
    configMap("a"),
    update("configmaps/a", { metadata: { name: "b" } }, { gives: 400, saying: "does not match the name on the URL" }),
  ],
  "without a name is refused": [
    configMap("a"),
    request("PUT", "configmaps/a", { apiVersion: "v1", kind: "ConfigMap", metadata: {} }, { gives: 400 }),
  ],
  "of a custom resource wants a resourceVersion": [
    create("widgets", { metadata: { name: "w" } }),
    update("widgets/w", { spec: {} }, { gives: 422, saying: "must be specified for an update" }),
  ],
  "of a custom resource's spec raises the generation": [
    create("widgets", { metadata: { name: "w" } }),
    edit("widgets/w", { spec: { size: 3 } }),
    edit("widgets/w", { metadata: { labels: { a: "b" } } }),
    edit("widgets/w", { status: { phase: "x" } }),
  ],
  "of a custom resource without status subresource raises the generation with any field": [
    create("gadgets", { metadata: { name: "{ns}" }, spec: { a: 1 }, status: { b: 1 } }),
    edit("gadgets/{ns}", { metadata: { labels: { a: "b" } } }),
    edit("gadgets/{ns}", { spec: { a: 2 } }),
  ],
  "of a deployment's metadata keeps the generation": [
    create("deployments", { metadata: { name: "web" }, ...deployment() }),
    edit("deployments/web", { metadata: { annotations: { a: "b" } } }),
    edit("deployments/web", { spec: { paused: true } }),
  ],
  "of a deployment's selector is refused": [
    create("deployments", { metadata: { name: "web" }, ...deployment() }),
    edit(
      "deployments/web",
      { spec: { selector: { matchLabels: { b: "c" } }, template: { metadata: { labels: { b: "c" } } } } },
      { gives: 422, saying: "field is immutable" },
    ),
  ],
  "of a deletionTimestamp is refused": [
    configMap("a"),
    edit(
      "configmaps/a",
      { metadata: { deletionTimestamp: "2001-01-01T00:00:00Z" } },
      { gives: 422, saying: "field is immutable" },
    ),
  ],
  "as a dry run changes nothing": [
    configMap("a"),
    update("configmaps/a", { data: { y: "1" } }, { dryRun: "All" }),
    get("configmaps/a"),
  ],
  "creates a Lease that is not there": [update("leases/l", { spec: { holderIdentity: "a" } }, { gives: 201 })],
});
