import { conformance } from "../framework/conformance.ts";
import { deployment } from "../framework/objects.ts";
import { create, get, jsonPatch, request } from "../framework/requests.ts";

const before = [create("configmaps", { metadata: { name: "a", labels: { p: "1" } }, data: { x: "1", y: "2" } })];

conformance("JSON patch", [
  {
    name: "add sets a field",
    steps: [...before, jsonPatch("configmaps/a", [{ op: "add", path: "/data/z", value: "3" }])],
  },
  {
    name: "add of what is there replaces it",
    steps: [...before, jsonPatch("configmaps/a", [{ op: "add", path: "/data/x", value: "3" }])],
  },
  {
    name: "add below what is not there is refused",
    steps: [
      ...before,
      jsonPatch("configmaps/a", [{ op: "add", path: "/binaryData/x", value: "YQ==" }], {
        gives: 422,
        saying: "the server rejected our request due to an error in our request",
      }),
    ],
  },
  {
    name: "replace of what is there",
    steps: [...before, jsonPatch("configmaps/a", [{ op: "replace", path: "/data/x", value: "9" }])],
  },
  {
    name: "replace of what is not there adds it to a map and is refused without the map",
    steps: [
      ...before,
      jsonPatch("configmaps/a", [{ op: "replace", path: "/data/z", value: "9" }]),
      jsonPatch("configmaps/a", [{ op: "replace", path: "/binaryData/z", value: "9" }], { gives: 422 }),
    ],
  },
  {
    name: "remove of what is there",
    steps: [...before, jsonPatch("configmaps/a", [{ op: "remove", path: "/data/x" }])],
  },
  {
    name: "remove of what is not there is refused",
    steps: [
      ...before,
      jsonPatch("configmaps/a", [{ op: "remove", path: "/data/z" }], { gives: 422 }),
      get("configmaps/a"),
    ],
  },
  {
    name: "move renames a key",
    steps: [...before, jsonPatch("configmaps/a", [{ op: "move", from: "/data/x", path: "/data/z" }])],
  },
  {
    name: "copy doubles a value",
    steps: [...before, jsonPatch("configmaps/a", [{ op: "copy", from: "/data/x", path: "/data/z" }])],
  },
  {
    name: "test that holds lets the rest pass",
    steps: [
      ...before,
      jsonPatch("configmaps/a", [
        { op: "test", path: "/data/x", value: "1" },
        { op: "replace", path: "/data/x", value: "2" },
      ]),
    ],
  },
  {
    name: "test that fails refuses the whole patch",
    steps: [
      ...before,
      jsonPatch(
        "configmaps/a",
        [
          { op: "replace", path: "/data/y", value: "9" },
          { op: "test", path: "/data/x", value: "8" },
        ],
        { gives: 422 },
      ),
      get("configmaps/a"),
    ],
  },
  {
    name: "test of a missing field against null holds",
    steps: [...before, jsonPatch("configmaps/a", [{ op: "test", path: "/data/z", value: null }])],
  },
  {
    name: "a pointer escapes slashes and tildes",
    steps: [
      ...before,
      jsonPatch("configmaps/a", [
        { op: "add", path: "/metadata/annotations", value: {} },
        { op: "add", path: "/metadata/annotations/example.com~1a", value: "1" },
        { op: "add", path: "/metadata/annotations/example.com~1b", value: "2" },
      ]),
      jsonPatch("configmaps/a", [{ op: "remove", path: "/metadata/annotations/example.com~1a" }]),
    ],
  },
  {
    name: "an unknown operation is refused",
    steps: [...before, jsonPatch("configmaps/a", [{ op: "frobnicate", path: "/data/x" }], { gives: 422 })],
  },
  {
    name: "a patch that is no list is refused",
    steps: [...before, jsonPatch("configmaps/a", { op: "remove", path: "/data/x" }, { gives: 400 })],
  },
  {
    name: "a patch that is no JSON is refused",
    steps: [...before, jsonPatch("configmaps/a", "[{", { gives: 400 })],
  },
  {
    name: "an empty patch changes nothing",
    steps: [...before, jsonPatch("configmaps/a", [])],
  },
  {
    name: "inserts into a list by index and appends with a dash",
    steps: [
      create("deployments", { metadata: { name: "web" }, ...deployment({}, { args: ["a", "c"] }) }),
      jsonPatch("deployments/web", [
        { op: "add", path: "/spec/template/spec/containers/0/args/1", value: "b" },
        { op: "add", path: "/spec/template/spec/containers/0/args/-", value: "d" },
      ]),
    ],
  },
  {
    name: "of an index beyond the list is refused",
    steps: [
      create("deployments", { metadata: { name: "web" }, ...deployment({}, { args: ["a", "c"] }) }),
      jsonPatch("deployments/web", [{ op: "add", path: "/spec/template/spec/containers/0/args/7", value: "b" }], {
        gives: 422,
      }),
      jsonPatch("deployments/web", [{ op: "remove", path: "/spec/template/spec/containers/3" }], { gives: 422 }),
    ],
  },
  {
    name: "that makes the object invalid is refused with the field",
    steps: [
      create("deployments", { metadata: { name: "web" }, ...deployment() }),
      jsonPatch("deployments/web", [{ op: "replace", path: "/spec/replicas", value: -1 }], {
        gives: 422,
        saying: "spec.replicas: Invalid value: -1",
      }),
    ],
  },
  {
    name: "of a value of another type is refused",
    steps: [
      create("deployments", { metadata: { name: "web" }, ...deployment() }),
      jsonPatch("deployments/web", [{ op: "replace", path: "/spec/replicas", value: "many" }], {
        gives: 422,
        saying: "cannot unmarshal string",
      }),
    ],
  },
  {
    name: "of the name is refused",
    steps: [
      ...before,
      jsonPatch("configmaps/a", [{ op: "replace", path: "/metadata/name", value: "b" }], { gives: 400 }),
    ],
  },
  {
    name: "of the uid is refused",
    steps: [
      ...before,
      jsonPatch(
        "configmaps/a",
        [{ op: "replace", path: "/metadata/uid", value: "11111111-1111-1111-1111-111111111111" }],
        { gives: 422, saying: "field is immutable" },
      ),
    ],
  },
  {
    name: "of an old resourceVersion is a conflict",
    steps: [
      ...before,
      jsonPatch(
        "configmaps/a",
        [
          { op: "replace", path: "/metadata/resourceVersion", value: "1" },
          { op: "add", path: "/data/z", value: "1" },
        ],
        { gives: 409 },
      ),
    ],
  },
  {
    name: "of what is not there is not found",
    steps: [jsonPatch("configmaps/none", [{ op: "add", path: "/data/x", value: "1" }], { gives: 404 })],
  },
  {
    name: "of a custom resource is validated and pruned",
    steps: [
      create("widgets", { metadata: { name: "w" }, spec: { size: 2 } }),
      jsonPatch("widgets/w", [{ op: "add", path: "/spec/unknown", value: 1 }]),
      jsonPatch("widgets/w", [{ op: "replace", path: "/spec/size", value: 200 }], { gives: 422 }),
      jsonPatch("widgets/w", [{ op: "remove", path: "/spec/size" }]),
    ],
  },
  {
    name: "of the status of a custom resource",
    steps: [
      create("widgets", { metadata: { name: "w" }, spec: { size: 2 } }),
      jsonPatch("widgets/w/status", [
        { op: "add", path: "/status", value: { phase: "Ready" } },
        { op: "replace", path: "/spec/size", value: 9 },
      ]),
      get("widgets/w"),
    ],
  },
  {
    name: "as a dry run changes nothing",
    steps: [
      ...before,
      jsonPatch("configmaps/a", [{ op: "remove", path: "/data/x" }], { dryRun: "All" }),
      get("configmaps/a"),
    ],
  },
]);

conformance("kinds of patches", [
  {
    name: "a patch without a content type that is known is refused",
    steps: [
      ...before,
      request("PATCH", "configmaps/a", { data: { x: "2" } }, { contentType: "application/json", gives: 415 }),
      request("PATCH", "configmaps/a", { data: { x: "2" } }, { contentType: "text/plain", gives: 415 }),
    ],
  },
  {
    name: "a content type may have parameters",
    steps: [
      ...before,
      request(
        "PATCH",
        "configmaps/a",
        { data: { x: "2" } },
        { contentType: "application/merge-patch+json; charset=utf-8" },
      ),
    ],
  },
  {
    name: "an unknown dry run is refused",
    steps: [...before, jsonPatch("configmaps/a", [], { dryRun: "Some", gives: 422 })],
  },
]);
