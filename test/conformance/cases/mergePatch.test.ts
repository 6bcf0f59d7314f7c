import { conformance } from "../framework/conformance.ts";
import { at, deployment, service } from "../framework/objects.ts";
import { create, get, mergePatch } from "../framework/requests.ts";

const before = [create("configmaps", { metadata: { name: "a", labels: { p: "1" } }, data: { x: "1", y: "2" } })];

conformance("merge patch", [
  { name: "sets a field and leaves the rest", steps: [...before, mergePatch("configmaps/a", { data: { x: "2" } })] },
  { name: "null removes a field", steps: [...before, mergePatch("configmaps/a", { data: { x: null } })] },
  { name: "null removes a whole map", steps: [...before, mergePatch("configmaps/a", { data: null })] },
  {
    name: "null of what is not there changes nothing",
    steps: [...before, mergePatch("configmaps/a", { data: { z: null } })],
  },
  {
    name: "makes the maps that it needs",
    steps: [...before, mergePatch("configmaps/a", { metadata: { annotations: { "example.com/a": "1" } } })],
  },
  { name: "of the same value changes nothing", steps: [...before, mergePatch("configmaps/a", { data: { x: "1" } })] },
  { name: "an empty patch changes nothing", steps: [...before, mergePatch("configmaps/a", {})] },
  { name: "of a list is refused", steps: [...before, mergePatch("configmaps/a", [], { gives: 400 })] },
  { name: "of what is no JSON is refused", steps: [...before, mergePatch("configmaps/a", "{", { gives: 400 })] },
  {
    name: "of a map by a string is refused",
    steps: [...before, mergePatch("configmaps/a", { data: "x" }, { gives: 422, saying: "cannot unmarshal string" })],
  },
  {
    name: "of another kind is refused",
    steps: [...before, mergePatch("configmaps/a", { kind: "Secret" }, { gives: 422, see: at("code") })],
  },
  {
    name: "of another version is refused",
    steps: [...before, mergePatch("configmaps/a", { apiVersion: "v2" }, { gives: 422, saying: "no kind" })],
  },
  {
    name: "of another name is refused",
    steps: [...before, mergePatch("configmaps/a", { metadata: { name: "b" } }, { gives: 400 })],
  },
  {
    name: "of another namespace is refused",
    steps: [...before, mergePatch("configmaps/a", { metadata: { namespace: "default" } }, { gives: 400 })],
  },
  {
    name: "with an old resourceVersion is a conflict",
    steps: [
      ...before,
      mergePatch(
        "configmaps/a",
        { metadata: { resourceVersion: "1" }, data: { x: "3" } },
        { gives: 409, saying: "the object has been modified" },
      ),
    ],
  },
  {
    name: "with the current resourceVersion is taken",
    steps: [
      create("configmaps", { metadata: { name: "b" }, data: { x: "1" } }, { keep: { rv: "metadata.resourceVersion" } }),
      mergePatch("configmaps/b", { metadata: { resourceVersion: "{rv}" }, data: { x: "3" } }),
    ],
  },
  {
    name: "of an unknown field warns when asked to",
    steps: [
      ...before,
      mergePatch("configmaps/a", { dta: {} }, { fieldValidation: "Warn", saying: 'unknown field "dta"' }),
    ],
  },
  {
    name: "of an unknown field is refused when strict",
    steps: [
      ...before,
      mergePatch("configmaps/a", { dta: {} }, { fieldValidation: "Strict", gives: 422, saying: 'unknown field "dta"' }),
    ],
  },
  {
    name: "replaces lists as a whole",
    steps: [
      create("services", {
        metadata: { name: "s" },
        ...service({
          ports: [
            { name: "a", port: 80 },
            { name: "b", port: 81 },
          ],
        }),
      }),
      mergePatch("services/s", { spec: { ports: [{ port: 82 }] } }),
    ],
  },
  {
    name: "of a container's list takes away the rest of the container",
    steps: [
      create("deployments", { metadata: { name: "web" }, ...deployment({}, { env: [{ name: "A", value: "1" }] }) }),
      mergePatch("deployments/web", {
        spec: { template: { spec: { containers: [{ name: "app", image: "nginx:2" }] } } },
      }),
      mergePatch(
        "deployments/web",
        { spec: { template: { spec: { containers: [{ name: "app" }] } } } },
        { gives: 422, saying: "image: Required value" },
      ),
    ],
  },
  {
    name: "of what the server defaults brings the default back",
    steps: [
      create("deployments", { metadata: { name: "web" }, ...deployment({ replicas: 3 }) }),
      mergePatch("deployments/web", { spec: { replicas: null, strategy: null } }),
    ],
  },
  {
    name: "of what is not there is not found",
    steps: [mergePatch("configmaps/none", { data: {} }, { gives: 404, saying: "not found" })],
  },
  {
    name: "of a custom resource sets defaults again",
    steps: [
      create("widgets", { metadata: { name: "w" }, spec: { size: 2, nested: { mode: "manual" } } }),
      mergePatch("widgets/w", { spec: { size: null, nested: null } }),
    ],
  },
  {
    name: "of a custom resource prunes what the schema lacks, with a warning when asked to",
    steps: [
      create("widgets", { metadata: { name: "w" }, spec: { size: 2 } }),
      mergePatch(
        "widgets/w",
        { spec: { colour: "red", nested: { deep: { x: 1 } } } },
        { fieldValidation: "Warn", saying: "spec.colour" },
      ),
      mergePatch(
        "widgets/w",
        { spec: { colour: "red", nested: { deep: { x: 1 } } } },
        { fieldValidation: "Strict", gives: 422, saying: "spec.colour" },
      ),
      mergePatch("widgets/w", { spec: { colour: "red" } }, { fieldValidation: "Ignore" }),
    ],
  },
  {
    name: "of the status goes to the status alone",
    steps: [
      create("widgets", { metadata: { name: "w" }, spec: { size: 2 }, status: { phase: "Never" } }),
      mergePatch("widgets/w/status", {
        spec: { size: 3 },
        status: { phase: "Ready" },
        metadata: { labels: { a: "b" }, annotations: { c: "d" } },
      }),
      mergePatch("widgets/w", { status: { phase: "Other" } }),
      get("widgets/w/status"),
    ],
  },
  {
    name: "of most metadata that belongs to the server is ignored, and of some refused",
    steps: [
      ...before,
      mergePatch("configmaps/a", {
        metadata: { creationTimestamp: "2001-01-01T00:00:00Z", generation: 7, selfLink: "/x" },
      }),
      mergePatch(
        "configmaps/a",
        { metadata: { deletionGracePeriodSeconds: 5 } },
        { gives: 422, saying: "field is immutable" },
      ),
    ],
  },
  {
    name: "of a deployment's status through the main resource changes nothing",
    steps: [
      create("deployments", { metadata: { name: "web" }, ...deployment() }),
      mergePatch("deployments/web", { status: { replicas: 3 } }),
    ],
  },
  {
    name: "of a deployment's status through the subresource keeps the spec",
    steps: [
      create("deployments", { metadata: { name: "web" }, ...deployment() }),
      mergePatch("deployments/web/status", { spec: { replicas: 9 }, status: { replicas: 3, observedGeneration: 1 } }),
    ],
  },
  {
    name: "of an immutable ConfigMap is refused",
    steps: [
      create("configmaps", { metadata: { name: "i" }, immutable: true, data: { x: "1" } }),
      mergePatch(
        "configmaps/i",
        { data: { x: "2" } },
        { gives: 422, saying: "field is immutable when `immutable` is set" },
      ),
      mergePatch("configmaps/i", { immutable: false }, { gives: 422 }),
      mergePatch("configmaps/i", { metadata: { labels: { a: "b" } } }),
    ],
  },
]);
