import { conformance } from "../framework/conformance.ts";
import { apply, create, get, mergePatch, remove, request, type AskOptions } from "../framework/requests.ts";

/** The first apply, which creates the object. */
const first = (config: object) => apply("configmaps/a", config, { gives: 201 });
const again = (config: unknown, options?: AskOptions) => apply("configmaps/a", config, options);

/** Server-side apply of a plain map, one manager and several. */
conformance("apply of a ConfigMap", {
  "creates an object that is not there": [first({ data: { x: "1" } }), get("configmaps/a")],
  "keeps keys that are the name of something else in JavaScript": [
    first({ data: { ["__proto__"]: "p", constructor: "c" } }),
    mergePatch("configmaps/a", { data: { ["__proto__"]: "q", toString: "t" } }),
    create(
      "configmaps",
      { metadata: { name: "b" }, data: { ["__proto__"]: "p", hasOwnProperty: "h" } },
      { gives: 201 },
    ),
    get("configmaps/a"),
  ],
  "of an empty map owns the map itself": [
    first({ data: {} }),
    again({ data: { x: "1" } }, { manager: "beta", gives: 409, saying: 'conflict with "alpha": .data' }),
    again({}),
  ],
  "of another's field with another value is a conflict that names the manager and the field": [
    first({ data: { x: "1" } }),
    again({ data: { x: "2" } }, { manager: "beta", gives: 409, saying: 'conflict with "alpha": .data.x' }),
    get("configmaps/a"),
  ],
  "without a field manager is refused": [
    request(
      "PATCH",
      "configmaps/a",
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
      { contentType: "application/apply-patch+yaml", gives: 422, saying: "fieldManager" },
    ),
  ],
  "takes YAML": [
    request("PATCH", "configmaps/a", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: '1'\n", {
      contentType: "application/apply-patch+yaml",
      manager: "alpha",
      gives: 201,
    }),
  ],
  "of what is no YAML is refused": [
    request("PATCH", "configmaps/a", "a: [", {
      contentType: "application/apply-patch+yaml",
      manager: "alpha",
      gives: 400,
      saying: "yaml",
    }),
  ],
  "of a body without a kind is refused": [
    request(
      "PATCH",
      "configmaps/a",
      { apiVersion: "v1", metadata: { name: "a" } },
      { contentType: "application/apply-patch+yaml", manager: "alpha", gives: 400 },
    ),
  ],
  "of another name than the path's is refused": [
    again({ metadata: { name: "b" } }, { gives: 400, saying: "does not match" }),
  ],
  "of another namespace than the path's is refused": [
    again({ metadata: { namespace: "other" } }, { gives: 400, saying: "does not match" }),
  ],
  "without a name in the body is refused": [
    request(
      "PATCH",
      "configmaps/a",
      { apiVersion: "v1", kind: "ConfigMap", data: { x: "1" } },
      { contentType: "application/apply-patch+yaml", manager: "alpha", gives: 400, saying: "name must be provided" },
    ),
  ],
  "of another kind than the path's is refused": [again({ kind: "Secret" }, { gives: 400 })],
  "with managed fields in it is refused": [
    first({ data: { x: "1" } }),
    again(
      { metadata: { managedFields: [{ manager: "alpha", operation: "Apply", apiVersion: "v1" }] } },
      { gives: 400, saying: "metadata.managedFields must be nil" },
    ),
  ],
  "with the current resourceVersion is taken": [
    again({ data: { x: "1" } }, { gives: 201, keep: { rv: "metadata.resourceVersion" } }),
    again({ metadata: { resourceVersion: "{rv}" }, data: { x: "2" } }),
  ],
  "with an old resourceVersion is a conflict": [
    again({ data: { x: "1" } }, { gives: 201, keep: { rv: "metadata.resourceVersion" } }),
    again({ data: { x: "2" } }),
    again({ metadata: { resourceVersion: "{rv}" }, data: { x: "3" } }, { gives: 409 }),
  ],
  "with a resourceVersion creates all the same": [first({ metadata: { resourceVersion: "1" }, data: { x: "1" } })],
  "with a uid does not create": [
    again({ metadata: { uid: "11111111-1111-1111-1111-111111111111" } }, { gives: 409, saying: "uid mismatch" }),
  ],
  "with the uid of another object is refused": [
    first({ data: { x: "1" } }),
    again({ metadata: { uid: "11111111-1111-1111-1111-111111111111" } }, { gives: 422, saying: "field is immutable" }),
  ],
  "as a dry run answers and changes nothing": [
    again({ data: { x: "1" } }, { gives: 201, dryRun: "All" }),
    get("configmaps/a", { gives: 404 }),
    first({ data: { x: "1" } }),
    again({ data: { x: "2" } }, { dryRun: "All" }),
    get("configmaps/a"),
  ],
  "as a dry run finds conflicts": [
    create("configmaps", { metadata: { name: "a" }, data: { x: "1" } }),
    again({ data: { x: "2" } }, { dryRun: "All", gives: 409 }),
  ],
  "force belongs to apply alone": [
    create("configmaps", { metadata: { name: "a" }, data: { x: "1" } }),
    mergePatch("configmaps/a", { data: { x: "2" } }, { force: true, gives: 422, saying: "force" }),
  ],
  "of owner references merges them by uid": [
    first({
      metadata: {
        ownerReferences: [{ apiVersion: "v1", kind: "Secret", name: "s", uid: "11111111-1111-1111-1111-111111111111" }],
      },
    }),
    again(
      {
        metadata: {
          ownerReferences: [
            { apiVersion: "v1", kind: "Secret", name: "t", uid: "22222222-2222-2222-2222-222222222222" },
          ],
        },
      },
      { manager: "beta" },
    ),
  ],
  "after deletion creates anew, without the old ownership": [
    first({ data: { x: "1" } }),
    again({ data: { y: "1" } }, { manager: "beta" }),
    remove("configmaps/a"),
    first({ data: { y: "2" } }),
  ],
  "of a null value leaves the field out": [first({ data: { x: null, y: "1" } })],
  "of a value of another type is refused": [again({ data: { x: 1 } }, { gives: 500 })],
  "of a field that the schema lacks is refused": [
    again({ dta: { x: "1" } }, { gives: 500, saying: "field not declared in schema" }),
  ],
});
