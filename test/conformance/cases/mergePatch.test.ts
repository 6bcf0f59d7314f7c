import { conformance } from "../framework/conformance.ts";
import { at, deployment, service } from "../framework/objects.ts";
import { create, get, mergePatch, type AskOptions } from "../framework/requests.ts";

const patched = (patch: unknown, options?: AskOptions) => mergePatch("configmaps/a", patch, options);

const before = [create("configmaps", { metadata: { name: "a", labels: { p: "1" } }, data: { x: "1", y: "2" } })];

conformance("merge patch", {
  "sets a field and leaves the rest": [...before, patched({ data: { x: "2" } })],
  "null removes a field": [...before, patched({ data: { x: null } })],
  "null removes a whole map": [...before, patched({ data: null })],
  "null of what is not there changes nothing": [...before, patched({ data: { z: null } })],
  "makes the maps that it needs": [...before, patched({ metadata: { annotations: { "example.com/a": "1" } } })],
  "of the same value changes nothing": [...before, patched({ data: { x: "1" } })],
  "an empty patch changes nothing": [...before, patched({})],
  "of a list is refused": [...before, patched([], { gives: 400 })],
  "of what is no JSON is refused": [...before, patched("{", { gives: 400 })],
  "of a map by a string is refused": [
    ...before,
    patched({ data: "x" }, { gives: 422, saying: "cannot unmarshal string" }),
  ],
  "of another kind is refused": [...before, patched({ kind: "Secret" }, { gives: 422, see: at("code") })],
  "of another version is refused": [...before, patched({ apiVersion: "v2" }, { gives: 422, saying: "no kind" })],
  "of another name is refused": [...before, patched({ metadata: { name: "b" } }, { gives: 400 })],
  "of another namespace is refused": [...before, patched({ metadata: { namespace: "default" } }, { gives: 400 })],
  "with an old resourceVersion is a conflict": [
    ...before,
    patched(
      { metadata: { resourceVersion: "1" }, data: { x: "3" } },
      { gives: 409, saying: "the object has been modified" },
    ),
  ],
  "with the current resourceVersion is taken": [
    create("configmaps", { metadata: { name: "b" }, data: { x: "1" } }, { keep: { rv: "metadata.resourceVersion" } }),
    mergePatch("configmaps/b", { metadata: { resourceVersion: "{rv}" }, data: { x: "3" } }),
  ],
  "of an unknown field warns when asked to": [
    ...before,
    patched({ dta: {} }, { fieldValidation: "Warn", saying: 'unknown field "dta"' }),
  ],
  "of an unknown field is refused when strict": [
    ...before,
    patched({ dta: {} }, { fieldValidation: "Strict", gives: 422, saying: 'unknown field "dta"' }),
  ],
  "replaces lists as a whole": [
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
  "of a container's list takes away the rest of the container": [
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
  "of what the server defaults brings the default back": [
    create("deployments", { metadata: { name: "web" }, ...deployment({ replicas: 3 }) }),
    mergePatch("deployments/web", { spec: { replicas: null, strategy: null } }),
  ],
  "of what is not there is not found": [
    mergePatch("configmaps/none", { data: {} }, { gives: 404, saying: "not found" }),
  ],
  "of a custom resource sets defaults again": [
    create("widgets", { metadata: { name: "w" }, spec: { size: 2, nested: { mode: "manual" } } }),
    mergePatch("widgets/w", { spec: { size: null, nested: null } }),
  ],
  "of a custom resource prunes what the schema lacks, with a warning when asked to": [
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
  "of the status goes to the status alone": [
    create("widgets", { metadata: { name: "w" }, spec: { size: 2 }, status: { phase: "Never" } }),
    mergePatch("widgets/w/status", {
      spec: { size: 3 },
      status: { phase: "Ready" },
      metadata: { labels: { a: "b" }, annotations: { c: "d" } },
    }),
    mergePatch("widgets/w", { status: { phase: "Other" } }),
    get("widgets/w/status"),
  ],
  "of most metadata that belongs to the server is ignored, and of some refused": [
    ...before,
    patched({ metadata: { creationTimestamp: "2001-01-01T00:00:00Z", generation: 7, selfLink: "/x" } }),
    patched({ metadata: { deletionGracePeriodSeconds: 5 } }, { gives: 422, saying: "field is immutable" }),
  ],
  "of a deployment's status through the main resource changes nothing": [
    create("deployments", { metadata: { name: "web" }, ...deployment() }),
    mergePatch("deployments/web", { status: { replicas: 3 } }),
  ],
  "of a deployment's status through the subresource keeps the spec": [
    create("deployments", { metadata: { name: "web" }, ...deployment() }),
    mergePatch("deployments/web/status", { spec: { replicas: 9 }, status: { replicas: 3, observedGeneration: 1 } }),
  ],
  "of an immutable ConfigMap is refused": [
    create("configmaps", { metadata: { name: "i" }, immutable: true, data: { x: "1" } }),
    mergePatch(
      "configmaps/i",
      { data: { x: "2" } },
      { gives: 422, saying: "field is immutable when `immutable` is set" },
    ),
    mergePatch("configmaps/i", { immutable: false }, { gives: 422 }),
    mergePatch("configmaps/i", { metadata: { labels: { a: "b" } } }),
  ],
});
