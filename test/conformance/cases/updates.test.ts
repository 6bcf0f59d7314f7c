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

conformance("update", [
  { name: "replaces the object", steps: [configMap("a"), update("configmaps/a", { data: { y: "1" } })] },
  {
    name: "with the current version is taken",
    steps: [configMap("a"), update("configmaps/a", { metadata: { resourceVersion: "{rv}" }, data: { y: "1" } })],
  },
  {
    name: "with an old version is a conflict",
    steps: [
      configMap("a"),
      update("configmaps/a", { data: { y: "1" } }),
      update(
        "configmaps/a",
        { metadata: { resourceVersion: "{rv}" }, data: { y: "2" } },
        { gives: 409, saying: "please apply your changes to the latest version" },
      ),
    ],
  },
  {
    name: "with another uid is a conflict",
    steps: [
      configMap("a"),
      update(
        "configmaps/a",
        { metadata: { uid: "11111111-1111-1111-1111-111111111111" }, data: {} },
        { gives: 409, saying: "UID in precondition" },
      ),
    ],
  },
  {
    name: "with a uid of what is not there",
    steps: [
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
  },
  {
    name: "folds owners that stand there twice",
    steps: [
      create("configmaps", { metadata: { name: "a", ownerReferences: [OWNER, OWNER, OTHER, OWNER] } }, FOLDED),
      edit("configmaps/a", { metadata: { ownerReferences: [OTHER, OTHER] } }, FOLDED),
      mergePatch("configmaps/a", { metadata: { ownerReferences: [OWNER, OTHER, OTHER] } }, FOLDED),
      apply("configmaps/b", { metadata: { ownerReferences: [OWNER, OWNER] } }, { gives: 500 }),
      create("widgets", { metadata: { name: "w", ownerReferences: [OWNER, OWNER] } }, FOLDED),
      // The same uid, and another thing said of it: that are two.
      create("secrets", { metadata: { name: "s", ownerReferences: [OWNER, { ...OWNER, name: "t" }] } }),
    ],
  },
  { name: "of the same content changes nothing", steps: [configMap("a"), edit("configmaps/a", {})] },
  { name: "of what is not there is not found", steps: [update("configmaps/a", { data: {} }, { gives: 404 })] },
  {
    name: "of another name than the path's is refused",
    steps: [
      configMap("a"),
      update("configmaps/a", { metadata: { name: "b" } }, { gives: 400, saying: "does not match the name on the URL" }),
    ],
  },
  {
    name: "without a name is refused",
    steps: [
      configMap("a"),
      request("PUT", "configmaps/a", { apiVersion: "v1", kind: "ConfigMap", metadata: {} }, { gives: 400 }),
    ],
  },
  {
    name: "of a custom resource wants a resourceVersion",
    steps: [
      create("widgets", { metadata: { name: "w" } }),
      update("widgets/w", { spec: {} }, { gives: 422, saying: "must be specified for an update" }),
    ],
  },
  {
    name: "of a custom resource's spec raises the generation",
    steps: [
      create("widgets", { metadata: { name: "w" } }),
      edit("widgets/w", { spec: { size: 3 } }),
      edit("widgets/w", { metadata: { labels: { a: "b" } } }),
      edit("widgets/w", { status: { phase: "x" } }),
    ],
  },
  {
    name: "of a custom resource without status subresource raises the generation with any field",
    steps: [
      create("gadgets", { metadata: { name: "{ns}" }, spec: { a: 1 }, status: { b: 1 } }),
      edit("gadgets/{ns}", { metadata: { labels: { a: "b" } } }),
      edit("gadgets/{ns}", { spec: { a: 2 } }),
    ],
  },
  {
    name: "of a deployment's metadata keeps the generation",
    steps: [
      create("deployments", { metadata: { name: "web" }, ...deployment() }),
      edit("deployments/web", { metadata: { annotations: { a: "b" } } }),
      edit("deployments/web", { spec: { paused: true } }),
    ],
  },
  {
    name: "of a deployment's selector is refused",
    steps: [
      create("deployments", { metadata: { name: "web" }, ...deployment() }),
      edit(
        "deployments/web",
        { spec: { selector: { matchLabels: { b: "c" } }, template: { metadata: { labels: { b: "c" } } } } },
        { gives: 422, saying: "field is immutable" },
      ),
    ],
  },
  {
    name: "of a deletionTimestamp is refused",
    steps: [
      configMap("a"),
      edit(
        "configmaps/a",
        { metadata: { deletionTimestamp: "2001-01-01T00:00:00Z" } },
        { gives: 422, saying: "field is immutable" },
      ),
    ],
  },
  {
    name: "as a dry run changes nothing",
    steps: [configMap("a"), update("configmaps/a", { data: { y: "1" } }, { dryRun: "All" }), get("configmaps/a")],
  },
  {
    name: "creates a Lease that is not there",
    steps: [update("leases/l", { spec: { holderIdentity: "a" } }, { gives: 201 })],
  },
]);
