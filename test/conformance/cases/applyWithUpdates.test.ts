import { conformance } from "../framework/conformance.ts";
import { deployment } from "../framework/objects.ts";
import { apply, create, edit, get, mergePatch, update, type AskOptions } from "../framework/requests.ts";

/** The first apply, which creates the object. */
const first = (config: object) => apply("configmaps/a", config, { gives: 201 });
const again = (config: unknown, options?: AskOptions) => apply("configmaps/a", config, options);

const data = (fields: object) => ({ data: fields });
const managedFields = (...entries: object[]) => ({ metadata: { managedFields: entries } });

conformance("managed fields of updates", {
  "create owns all that it sent, under the first word of the user agent": [
    create(
      "configmaps",
      { metadata: { name: "a", labels: { p: "1" } }, ...data({ x: "1" }) },
      { userAgent: "tool/v1.2 (linux)" },
    ),
  ],
  "create owns all that it sent, under the field manager": [
    create("configmaps", { metadata: { name: "a" }, ...data({ x: "1" }) }, { manager: "creator" }),
  ],
  "a field manager with control characters is refused": [
    create("configmaps", { metadata: { name: "a" } }, { manager: "a\u0007b", gives: 422, saying: "fieldManager" }),
  ],
  "a field manager of more than 128 bytes is refused": [
    create("configmaps", { metadata: { name: "a" } }, { manager: "m".repeat(129), gives: 422, saying: "128" }),
  ],
  "removing all takes the manager away": [
    create("configmaps", { metadata: { name: "a" }, ...data({ x: "1" }) }, { manager: "creator" }),
    edit("configmaps/a", { data: null }, { manager: "editor" }),
  ],
  "a replacement without managed fields keeps them": [
    create("configmaps", { metadata: { name: "a" }, ...data({ x: "1" }) }, { manager: "creator" }),
    update("configmaps/a", data({ x: "2" }), { manager: "editor" }),
  ],
  "a replacement with an empty list of managed fields forgets them": [
    create("configmaps", { metadata: { name: "a" }, ...data({ x: "1" }) }, { manager: "creator" }),
    update("configmaps/a", { ...managedFields(), ...data({ x: "1" }) }, { manager: "editor" }),
    update("configmaps/a", { ...managedFields({}), ...data({ x: "1" }) }, { manager: "editor" }),
    again(data({ x: "2" }), { gives: 409, saying: "before-first-apply" }),
  ],
  "a merge patch of managed fields to a list with an empty entry forgets them": [
    first(data({ x: "1" })),
    mergePatch("configmaps/a", managedFields({})),
    get("configmaps/a"),
    again(data({ x: "1" })),
  ],
  "an object without managed fields is owned by before-first-apply at its first apply": [
    first(data({ x: "1", y: "1" })),
    mergePatch("configmaps/a", managedFields({})),
    again(data({ x: "1" }), { manager: "beta" }),
    again(data({ x: "2" }), { manager: "beta", gives: 409, saying: "before-first-apply" }),
  ],
  "a submitted entry is taken over, as when a client migrates": [
    create("configmaps", { metadata: { name: "a" }, ...data({ x: "1" }) }, { manager: "kubectl-client-side-apply" }),
    mergePatch(
      "configmaps/a",
      managedFields({
        manager: "alpha",
        operation: "Apply",
        apiVersion: "v1",
        time: "2020-01-01T00:00:00Z",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": { ".": {}, "f:x": {} } },
      }),
    ),
    again(data({ x: "2" })),
  ],
  "a submitted entry with an unknown operation is ignored": [
    first(data({ x: "1" })),
    update("configmaps/a", {
      ...managedFields({ manager: "x", operation: "Guess", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: {} }),
      ...data({ x: "1" }),
    }),
  ],
  "a submitted entry with an unknown fieldsType is ignored": [
    first(data({ x: "1" })),
    update("configmaps/a", {
      ...managedFields({ manager: "x", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV9", fieldsV1: {} }),
      ...data({ x: "1" }),
    }),
  ],
  "submitted entries that make no sense are ignored": [
    first(data({ x: "1" })),
    update(
      "configmaps/a",
      {
        ...managedFields({
          manager: "x",
          operation: "Update",
          apiVersion: "v1",
          fieldsType: "FieldsV1",
          fieldsV1: { "q:x": {} },
        }),
        ...data({ x: "3" }),
      },
      { manager: "editor" },
    ),
  ],
  "an entry of an unknown version owns nothing": [
    first(data({ x: "1" })),
    mergePatch(
      "configmaps/a",
      managedFields({
        manager: "old",
        operation: "Update",
        apiVersion: "v0",
        time: "2020-01-01T00:00:00Z",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": { "f:x": {} } },
      }),
    ),
    again(data({ x: "2" }), { manager: "beta", gives: 409, saying: "before-first-apply" }),
    again(data({ y: "2" }), { manager: "beta" }),
  ],
  "the status subresource makes an entry of its own": [
    create("deployments", { metadata: { name: "web" }, ...deployment() }, { manager: "creator" }),
    edit(
      "deployments/web/status",
      { status: { replicas: 1, conditions: [{ type: "Available", status: "True" }] } },
      { manager: "creator" },
    ),
    edit("deployments/web", { status: { replicas: 5 } }, { manager: "editor" }),
  ],
  "the scale subresource makes an entry of its own": [
    create("deployments", { metadata: { name: "web" }, ...deployment() }, { manager: "creator" }),
    edit("deployments/web/scale", { spec: { replicas: 3 } }, { manager: "scaler" }),
    get("deployments/web"),
    edit("deployments/web", { spec: { replicas: 2 } }, { manager: "editor" }),
  ],
  "defaults that the creator got are the creator's": [
    create("deployments", { metadata: { name: "web" }, ...deployment() }, { manager: "creator" }),
    edit(
      "deployments/web",
      { spec: { template: { spec: { terminationGracePeriodSeconds: 5 } } } },
      { manager: "editor" },
    ),
  ],
  "kubectl's last-applied annotation is owned as any other": [
    create(
      "configmaps",
      {
        metadata: { name: "a", annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" } },
        ...data({ x: "1" }),
      },
      { manager: "kubectl-client-side-apply" },
    ),
    again(data({ x: "1" }), { manager: "kubectl" }),
  ],
});
