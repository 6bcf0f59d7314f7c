import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { FieldsV1, KubeObject, ManagedFieldsEntry } from "../../apis/index.ts";
import captured from "../testdata/userFields.json" with { type: "json" };
import { isServerDefault } from "./serverDefaults.ts";
import { holdsPlace, sameIn, unwrittenFields, withoutPath } from "./unwritten.ts";

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** A Deployment as the server stores it, with its replicas; `written` is what kubectl says that it applied. */
function deployment(replicas: number, owners: ManagedFieldsEntry[], written?: unknown): KubeObject {
  const text = typeof written === "string" ? written : JSON.stringify(written);
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: "web",
      ...(written === undefined ? {} : { annotations: { [LAST_APPLIED]: text } }),
      managedFields: owners,
    },
    spec: {
      replicas,
      revisionHistoryLimit: 10,
      template: { spec: { containers: [{ name: "web", image: "nginx", imagePullPolicy: "Always" }] } },
    },
  };
}

const wholeSpec: FieldsV1 = {
  "f:replicas": {},
  "f:revisionHistoryLimit": {},
  "f:template": {
    "f:spec": {
      "f:containers": { 'k:{"name":"web"}': { ".": {}, "f:name": {}, "f:image": {}, "f:imagePullPolicy": {} } },
    },
  },
};
const applied: FieldsV1 = {
  "f:metadata": { "f:annotations": { ".": {}, [`f:${LAST_APPLIED}`]: {} } },
  "f:spec": wholeSpec,
};
const by = (manager: string, fieldsV1: FieldsV1, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager,
  operation: "Update",
  fieldsV1,
  ...more,
});
const kubectlApply = by("kubectl-client-side-apply", applied);
const kubectlCreate = by("kubectl-create", { "f:spec": wholeSpec });
const replicas: FieldsV1 = { "f:spec": { "f:replicas": {} } };

const manifest = (spec: object) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: { template: { spec: { containers: [{ name: "web", image: "nginx" }] } }, ...spec },
});

/** Whether the replicas are nobody's own. */
const isUnwritten = (object: KubeObject): boolean => holdsPlace(unwrittenFields(object), ["f:spec", "f:replicas"]);

describe("of an object that was applied by kubectl", () => {
  test("what the annotation does not hold is unwritten, and nothing else", () => {
    expect(unwrittenFields(deployment(1, [kubectlApply], manifest({})))).toEqual({
      "f:spec": {
        "f:replicas": {},
        "f:revisionHistoryLimit": {},
        "f:template": { "f:spec": { "f:containers": { 'k:{"name":"web"}': { "f:imagePullPolicy": {} } } } },
      },
    });
  });

  test.each<{ name: string; object: KubeObject; want: boolean }>([
    { name: "no replicas", object: deployment(1, [kubectlApply], manifest({})), want: true },
    {
      name: "replicas that equal the default",
      object: deployment(1, [kubectlApply], manifest({ replicas: 1 })),
      want: false,
    },
    { name: "replicas that are null", object: deployment(1, [kubectlApply], manifest({ replicas: null })), want: true },
    {
      name: "no replicas, and a person scaled",
      object: deployment(3, [kubectlApply, by("kubectl", replicas, { subresource: "scale" })], manifest({})),
      want: false,
    },
  ])("$name: $want", ({ object, want }) => expect(isUnwritten(object)).toBe(want));

  test.each<[name: string, written: unknown]>([
    ["no JSON", "{"],
    ["of another object", { ...manifest({}), metadata: { name: "other" } }],
    ["very long", `${" ".repeat(300_000)}{}`],
  ])("an annotation that is %s counts as none", (_name, written) => {
    const mangled = deployment(1, [kubectlApply], written);
    expect(isUnwritten(mangled)).toBe(true);
    expect(isUnwritten(deployment(3, [kubectlApply], written))).toBe(false);
  });

  test("a Secret that was written as text has written its data", () => {
    const fieldsV1: FieldsV1 = { ...applied, "f:spec": {}, "f:data": { ".": {}, "f:a": {}, "f:b": {} } };
    const secret: KubeObject = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: {
        name: "s",
        annotations: {
          [LAST_APPLIED]: JSON.stringify({
            apiVersion: "v1",
            kind: "Secret",
            metadata: { name: "s" },
            stringData: { a: "p" },
          }),
        },
        managedFields: [by("kubectl-client-side-apply", fieldsV1)],
      },
      data: { a: "cA==", b: "cA==" },
    };
    expect(unwrittenFields(secret)).toEqual({ "f:data": { "f:b": {} } });
  });
});

describe("of an object that another client created", () => {
  test.each([
    [1, true],
    [3, false],
  ])("%i replicas: %s", (count, want) => expect(isUnwritten(deployment(count, [kubectlCreate]))).toBe(want));

  test("a server-side apply owns what it wrote", () => {
    expect(
      unwrittenFields(deployment(1, [by("kubectl", { "f:spec": wholeSpec }, { operation: "Apply" })])),
    ).toBeUndefined();
  });

  test("fields in another version have other names", () => {
    const other = by("kubectl-create", { "f:spec": wholeSpec }, { apiVersion: "apps/v1beta1" });
    expect(unwrittenFields(deployment(1, [other]))).toBeUndefined();
  });

  test("nothing of a custom kind, whose defaults stand in its schema, nor of data", () => {
    const object = { ...deployment(1, [kubectlCreate]), apiVersion: "example.com/v1" };
    expect(unwrittenFields(object)).toBeUndefined();
    const data = by("kubectl-create", { "f:data": { "f:replicas": {} } });
    expect(
      unwrittenFields({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "c", managedFields: [data] },
        data: { replicas: 1 },
      }),
    ).toBeUndefined();
  });

  // As a real API server filled them in: everything of these objects that was not written is known.
  test.each([
    ["Deployment created and scaled", ["image", "name", "app", "selector", "replicas"]],
    ["Job by kubectl create", ["image", "name", "command", "args", "restartPolicy"]],
  ])("of %s the server's values are known", (name, written) => {
    const live = (captured as unknown as { name: string; live: KubeObject }[]).find((one) => one.name === name)?.live;
    const created = live?.metadata.managedFields?.find(({ manager }) => manager === "kubectl-create")?.fieldsV1 ?? {};
    const places = [...leaves(created["f:spec"] ?? {}, ["f:spec"])];
    const unknown = places.filter((place) => !holdsPlace(unwrittenFields(live as KubeObject), place));
    expect(unknown.map((place) => (place.at(-1) ?? "").slice(2)).filter((field) => !written.includes(field))).toEqual(
      [],
    );
  });
});

function* leaves(fields: FieldsV1, at: readonly string[]): Generator<readonly string[]> {
  const elements = Object.keys(fields).filter((element) => element !== ".");
  if (elements.length === 0) yield at;
  for (const element of elements) yield* leaves(fields[element] ?? {}, [...at, element]);
}

describe("sets of fields", () => {
  const fields: FieldsV1 = { "f:spec": { "f:a": {}, "f:b": { 'k:{"name":"x"}': { "f:c": {} } } } };

  test("hold what is within their fields", () => {
    expect(holdsPlace(fields, ["f:spec", "f:a"])).toBe(true);
    expect(holdsPlace(fields, ["f:spec", "f:a", "f:z"])).toBe(true);
    expect(holdsPlace(fields, ["f:spec"])).toBe(false);
    expect(holdsPlace(fields, ["f:spec", "f:z"])).toBe(false);
    expect(holdsPlace(undefined, ["f:spec"])).toBe(false);
  });

  test("lose what somebody has changed since", () => {
    const a = { spec: { a: 1, b: [{ name: "x", c: 1 }] } };
    expect(sameIn(fields, a, a)).toBe(fields);
    expect(sameIn(fields, a, { spec: { ...a.spec, a: 2 } })).toEqual({
      "f:spec": { "f:b": fields["f:spec"]?.["f:b"] },
    });
    expect(sameIn(fields, a, { spec: { a: 1 } })).toEqual({ "f:spec": { "f:a": {} } });
    expect(sameIn(fields, a, {})).toBeUndefined();
  });

  test("lose a path", () => {
    expect(withoutPath(fields, ["spec", "a"])).toEqual({ "f:spec": { "f:b": fields["f:spec"]?.["f:b"] } });
    expect(withoutPath(fields, ["spec", "z"])).toBe(fields);
    expect(withoutPath({ "f:spec": { "f:a": {} } }, ["spec", "a"])).toBeUndefined();
    expect(withoutPath(undefined, ["spec"])).toBeUndefined();
  });
});

test("a default is one by its name and its value", () => {
  expect(isServerDefault("f:replicas", 1)).toBe(true);
  expect(isServerDefault("f:replicas", 2)).toBe(false);
  expect(isServerDefault("f:constructor", 1)).toBe(false);
  expect(isServerDefault("f:resources", {})).toBe(true);
  expect(isServerDefault('v:"replicas"', 1)).toBe(false);
});

test.prop([fc.json({ maxDepth: 4 }), fc.nat(3)])(
  "whatever stands in the annotation, replicas that it holds are written",
  (json, count) => {
    const value: unknown = JSON.parse(json);
    const object = deployment(count, [kubectlApply], value);
    expect(() => unwrittenFields(object)).not.toThrow();
    const isHeld = unwrittenFields(
      deployment(count, [kubectlApply], { ...manifest({ replicas: count }), extra: value }),
    );
    expect(holdsPlace(isHeld, ["f:spec", "f:replicas"])).toBe(false);
  },
);
