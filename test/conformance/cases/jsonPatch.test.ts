import { conformance } from "../framework/conformance.ts";
import { deployment } from "../framework/objects.ts";
import { create, get, jsonPatch, request, type AskOptions } from "../framework/requests.ts";

const patched = (patch: unknown, options?: AskOptions) => jsonPatch("configmaps/a", patch, options);

const before = [create("configmaps", { metadata: { name: "a", labels: { p: "1" } }, data: { x: "1", y: "2" } })];

conformance("JSON patch", {
  "add sets a field": [...before, patched([{ op: "add", path: "/data/z", value: "3" }])],
  "add of what is there replaces it": [...before, patched([{ op: "add", path: "/data/x", value: "3" }])],
  "add below what is not there is refused": [
    ...before,
    patched([{ op: "add", path: "/binaryData/x", value: "YQ==" }], {
      gives: 422,
      saying: "the server rejected our request due to an error in our request",
    }),
  ],
  "replace of what is there": [...before, patched([{ op: "replace", path: "/data/x", value: "9" }])],
  "replace of what is not there adds it to a map and is refused without the map": [
    ...before,
    patched([{ op: "replace", path: "/data/z", value: "9" }]),
    patched([{ op: "replace", path: "/binaryData/z", value: "9" }], { gives: 422 }),
  ],
  "remove of what is there": [...before, patched([{ op: "remove", path: "/data/x" }])],
  "remove of what is not there is refused": [
    ...before,
    patched([{ op: "remove", path: "/data/z" }], { gives: 422 }),
    get("configmaps/a"),
  ],
  "move renames a key": [...before, patched([{ op: "move", from: "/data/x", path: "/data/z" }])],
  "copy doubles a value": [...before, patched([{ op: "copy", from: "/data/x", path: "/data/z" }])],
  "test that holds lets the rest pass": [
    ...before,
    patched([
      { op: "test", path: "/data/x", value: "1" },
      { op: "replace", path: "/data/x", value: "2" },
    ]),
  ],
  "test that fails refuses the whole patch": [
    ...before,
    patched(
      [
        { op: "replace", path: "/data/y", value: "9" },
        { op: "test", path: "/data/x", value: "8" },
      ],
      { gives: 422 },
    ),
    get("configmaps/a"),
  ],
  "test of a missing field against null holds": [...before, patched([{ op: "test", path: "/data/z", value: null }])],
  "a pointer escapes slashes and tildes": [
    ...before,
    patched([
      { op: "add", path: "/metadata/annotations", value: {} },
      { op: "add", path: "/metadata/annotations/example.com~1a", value: "1" },
      { op: "add", path: "/metadata/annotations/example.com~1b", value: "2" },
    ]),
    patched([{ op: "remove", path: "/metadata/annotations/example.com~1a" }]),
  ],
  "an unknown operation is refused": [...before, patched([{ op: "frobnicate", path: "/data/x" }], { gives: 422 })],
  "a patch that is no list is refused": [...before, patched({ op: "remove", path: "/data/x" }, { gives: 400 })],
  "inserts into a list by index and appends with a dash": [
    create("deployments", { metadata: { name: "web" }, ...deployment({}, { args: ["a", "c"] }) }),
    jsonPatch("deployments/web", [
      { op: "add", path: "/spec/template/spec/containers/0/args/1", value: "b" },
      { op: "add", path: "/spec/template/spec/containers/0/args/-", value: "d" },
    ]),
  ],
  "of an index beyond the list is refused": [
    create("deployments", { metadata: { name: "web" }, ...deployment({}, { args: ["a", "c"] }) }),
    jsonPatch("deployments/web", [{ op: "add", path: "/spec/template/spec/containers/0/args/7", value: "b" }], {
      gives: 422,
    }),
    jsonPatch("deployments/web", [{ op: "remove", path: "/spec/template/spec/containers/3" }], { gives: 422 }),
  ],
  "that makes the object invalid is refused with the field": [
    create("deployments", { metadata: { name: "web" }, ...deployment() }),
    jsonPatch("deployments/web", [{ op: "replace", path: "/spec/replicas", value: -1 }], {
      gives: 422,
      saying: "spec.replicas: Invalid value: -1",
    }),
  ],
  "of a value of another type is refused": [
    create("deployments", { metadata: { name: "web" }, ...deployment() }),
    jsonPatch("deployments/web", [{ op: "replace", path: "/spec/replicas", value: "many" }], {
      gives: 422,
      saying: "cannot unmarshal string",
    }),
  ],
  "of the name is refused": [
    ...before,
    patched([{ op: "replace", path: "/metadata/name", value: "b" }], { gives: 400 }),
  ],
  "of a custom resource is validated and pruned": [
    create("widgets", { metadata: { name: "w" }, spec: { size: 2 } }),
    jsonPatch("widgets/w", [{ op: "add", path: "/spec/unknown", value: 1 }]),
    jsonPatch("widgets/w", [{ op: "replace", path: "/spec/size", value: 200 }], { gives: 422 }),
    jsonPatch("widgets/w", [{ op: "remove", path: "/spec/size" }]),
  ],
  "of the status of a custom resource": [
    create("widgets", { metadata: { name: "w" }, spec: { size: 2 } }),
    jsonPatch("widgets/w/status", [
      { op: "add", path: "/status", value: { phase: "Ready" } },
      { op: "replace", path: "/spec/size", value: 9 },
    ]),
    get("widgets/w"),
  ],
  "as a dry run changes nothing": [
    ...before,
    patched([{ op: "remove", path: "/data/x" }], { dryRun: "All" }),
    get("configmaps/a"),
  ],
});

conformance(
  "kinds of patches",
  {
    "a patch without a content type that is known is refused": [
      request("PATCH", "configmaps/a", { data: { x: "2" } }, { contentType: "application/json", gives: 415 }),
      request("PATCH", "configmaps/a", { data: { x: "2" } }, { contentType: "text/plain", gives: 415 }),
    ],
    "a content type may have parameters": [
      request(
        "PATCH",
        "configmaps/a",
        { data: { x: "2" } },
        { contentType: "application/merge-patch+json; charset=utf-8" },
      ),
    ],
    "an unknown dry run is refused": [patched([], { dryRun: "Some", gives: 422 })],
  },
  { before },
);
