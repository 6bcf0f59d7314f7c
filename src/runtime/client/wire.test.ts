import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TransportError } from "../core/errors.ts";
import { CONFIGMAPS } from "./resources.ts";
import { eventFrom, listFrom, objectFrom, statusFrom, storable } from "./wire.ts";

const object = (metadata: unknown) => ({ metadata, data: { a: 1 } });
const good = { name: "a", namespace: "shop", uid: "u", resourceVersion: "7" };

/** JSON whose fields often have names that mean something. */
function arbitraryJson(): fc.Arbitrary<unknown> {
  const names = fc.constantFrom(
    ..."kind metadata items name namespace uid resourceVersion labels annotations managedFields".split(" "),
    ..."fieldsV1 manager type object code details causes deletionTimestamp continue __proto__".split(" "),
  );
  const texts = ["", "a", "a/b", "..", "ADDED", "BOOKMARK", "ERROR", "Status", "List"];
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.constantFrom<unknown>(null, 0, -1, 1e99, true, ...texts),
      fc.array(tie("tree"), { maxLength: 4 }),
      fc.array(fc.tuple(names, tie("tree")), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
    ),
  }));
  return tree;
}

function outcomeOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    expect(error).toBeInstanceOf(TransportError);
    expect((error as TransportError).reason).toBe("Protocol");
    return undefined;
  }
}

describe("an object", () => {
  test("is given the names of its type", () => {
    expect(objectFrom(object({ ...good }), CONFIGMAPS, "host")).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      ...object(good),
    });
  });

  test.each<[string, unknown]>([
    ["no object", null],
    ["a list", []],
    ["no metadata", {}],
    ["metadata that are a list", object([])],
    ["no name", object({ ...good, name: undefined })],
    ["an empty name", object({ ...good, name: "" })],
    ["a name that leads elsewhere", object({ ...good, name: "../x" })],
    ["a name that parts a key", object({ ...good, name: "a b" })],
    ["a name without an end", object({ ...good, name: "a".repeat(254) })],
    ["a namespace that is a number", object({ ...good, namespace: 7 })],
    ["a uid that is a number", object({ ...good, uid: 7 })],
    ["a resourceVersion that is a number", object({ ...good, resourceVersion: 7 })],
    ["a deletionTimestamp that is true", object({ ...good, deletionTimestamp: true })],
    ["labels that are a list", object({ ...good, labels: ["a"] })],
    ["a label that is a number", object({ ...good, labels: { a: 1 } })],
    ["an annotation that is an object", object({ ...good, annotations: { a: {} } })],
    ["managedFields that are an object", object({ ...good, managedFields: {} })],
    ["managedFields of numbers", object({ ...good, managedFields: [1] })],
    ["fieldsV1 that are a text", object({ ...good, managedFields: [{ manager: "m", fieldsV1: "f:spec" }] })],
    ["a manager that is a number", object({ ...good, managedFields: [{ manager: 1 }] })],
    ["finalizers that are a text", object({ ...good, finalizers: "x" })],
    ["ownerReferences of texts", object({ ...good, ownerReferences: ["x"] })],
  ])("with %s is a failure of its server", (_name, value) => {
    expect(() => objectFrom(structuredClone(value), CONFIGMAPS, "host")).toThrow(TransportError);
    expect(() =>
      listFrom({ kind: "ConfigMapList", metadata: {}, items: [object({ ...good }), value] }, CONFIGMAPS, "host"),
    ).toThrow(TransportError);
    expect(() => eventFrom({ type: "ADDED", object: value }, CONFIGMAPS, "host")).toThrow(TransportError);
  });

  test.each(["uid", "resourceVersion", "namespace"] as const)("without a %s goes into no store", (field) => {
    const { [field]: _without, ...rest } = good;
    const read = objectFrom(object(rest), CONFIGMAPS, "host");
    expect(() => storable(read, CONFIGMAPS, "shanghai-1")).toThrow(`without metadata.${field}`);
  });
});

test.each([
  null,
  [],
  "x",
  {},
  { metadata: {}, items: [] },
  { kind: "ConfigMap", metadata: {}, items: [] },
  { kind: "ConfigMapList", metadata: {} },
  { kind: "ConfigMapList", items: {} },
  { kind: "ConfigMapList", metadata: [], items: [] },
  { kind: "ConfigMapList", metadata: { resourceVersion: 1 }, items: [] },
])("%j is no list", (value) => expect(() => listFrom(value, CONFIGMAPS, "host")).toThrow(TransportError));

test.each([[], null])("a list of %j holds nothing", (items) =>
  expect(listFrom({ kind: "ConfigMapList", metadata: { resourceVersion: "7" }, items }, CONFIGMAPS, "host")).toEqual({
    items: [],
    resourceVersion: "7",
  }),
);

test("a Status is cut to what anybody reads", () => {
  const causes = Array.from({ length: 1_000 }, () => ({ message: "m".repeat(10_000), field: 5 }));
  const status = statusFrom({ kind: "Status", code: 422, message: "x".repeat(1 << 20), details: { causes } });
  expect(status?.message).toHaveLength(4_096);
  expect(status?.details?.causes).toHaveLength(64);
  expect(JSON.stringify(status).length).toBeLessThan(300_000);
  expect(statusFrom({ kind: "Pod" })).toBeUndefined();
});

describe("whatever a server sends", () => {
  test("is an object with texts where texts are expected, or a failure of the server", () => {
    fc.assert(
      fc.property(arbitraryJson(), (value) => {
        const event = outcomeOf(() => eventFrom(structuredClone(value), CONFIGMAPS, "host"));
        const list = outcomeOf(() => listFrom(structuredClone(value), CONFIGMAPS, "host"));
        const read = outcomeOf(() => objectFrom(structuredClone(value), CONFIGMAPS, "host"));
        statusFrom(value);
        void event;
        void list;
        if (read === undefined) return;
        const { metadata } = read as ReturnType<typeof objectFrom>;
        expect(metadata.name).not.toBe("");
        expect([...Object.values(metadata.labels ?? {}), ...Object.values(metadata.annotations ?? {})]).toSatisfy(
          (texts: unknown[]) => texts.every((text) => typeof text === "string"),
        );
        for (const entry of metadata.managedFields ?? []) expect(typeof (entry.fieldsV1 ?? {})).toBe("object");
      }),
      { numRuns: 2_000 },
    );
  });
});
