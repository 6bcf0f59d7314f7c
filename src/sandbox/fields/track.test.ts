import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { FieldsV1, ManagedFieldsEntry } from "../../apis/index.ts";
import { StatusError } from "../statusError.ts";
import { resourceOfCrd } from "../schema/index.ts";
import type { Json, KubeObject, Schema } from "../types.ts";
import { applyConfiguration, trackWrite } from "./index.ts";
import { has } from "./sets/fieldSet.ts";

const texts: Schema = { type: "object", additionalProperties: { type: "string" } };
const part: Schema = {
  type: "object",
  required: ["name"],
  properties: { name: { type: "string" }, note: { type: "string" } },
};
/** A spec with every kind of list and map. */
const properties: Record<string, Schema> = {
  size: { type: "integer" },
  title: { type: "string" },
  tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
  parts: {
    type: "array",
    items: part,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
  },
  selector: { ...texts, "x-kubernetes-map-type": "atomic" },
  limits: texts,
  extra: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
};
const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } };
const gadgets = resourceOfCrd({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gadgets.fields.example.com" },
  spec: {
    group: "fields.example.com",
    scope: "Namespaced",
    names: { plural: "gadgets", kind: "Gadget" },
    versions: ["v1", "v1beta1"].map((name) => ({ name, served: true, storage: name === "v1", schema })),
  },
});

const V1 = "fields.example.com/v1";
const NOW = Date.parse("2026-11-21T12:00:00Z");

const gadget = (spec: Json, more: Record<string, Json> = {}): Json => ({
  apiVersion: V1,
  kind: "Gadget",
  metadata: { name: "sample" },
  spec,
  ...more,
});

interface Options {
  force?: boolean;
  now?: number;
  apiVersion?: string;
}

function apply(live: KubeObject | undefined, manager: string, config: Json, options: Options = {}) {
  const { force = false, now = NOW, apiVersion = V1 } = options;
  return applyConfiguration({ live, config, manager, force, apiVersion, now, resource: gadgets });
}

function update(live: KubeObject | undefined, manager: string, submitted: KubeObject, now = NOW): KubeObject {
  return trackWrite({ operation: "Update", live, submitted, manager, apiVersion: V1, now, resource: gadgets });
}

function ownedBy({ metadata }: KubeObject, manager: string): FieldsV1 | undefined {
  return metadata.managedFields?.find((entry) => entry.manager === manager)?.fieldsV1;
}

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    for (const child of Object.values(value)) frozen(child);
    Object.freeze(value);
  }
  return value;
}

const word = fc.constantFrom("1", "2");
const spec = fc.record(
  {
    size: fc.integer({ min: 0, max: 2 }),
    tags: fc.uniqueArray(fc.constantFrom("t", "u", "v"), { maxLength: 3 }),
    parts: fc.uniqueArray(fc.record({ name: fc.constantFrom("a", "b", "c"), note: word }, { requiredKeys: ["name"] }), {
      selector: ({ name }) => name,
      maxLength: 3,
    }),
    selector: fc.dictionary(fc.constantFrom("a", "b"), word, { maxKeys: 2 }),
    limits: fc.dictionary(fc.constantFrom("cpu", "memory"), word, { maxKeys: 2 }),
    extra: fc.dictionary(fc.constantFrom("x", "y"), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 2 }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Json>;

describe("an apply", () => {
  test.prop([spec, spec])("a second time changes nothing, not even the time", (first, second) => {
    const live = frozen(
      apply(apply(undefined, "other", gadget(first)).object, "one", gadget(second), { force: true }).object,
    );
    const again = apply(live, "one", gadget(second), { now: NOW + 60_000 });
    expect(again.changed).toBe(false);
    expect(again.object).toBe(live);
  });

  test.prop([spec, spec])("makes its manager owner of exactly its configuration", (first, second) => {
    const fresh = apply(undefined, "one", gadget(second)).object;
    const over = apply(apply(undefined, "one", gadget(first)).object, "one", gadget(second)).object;
    expect(ownedBy(over, "one")).toEqual(ownedBy(fresh, "one"));
  });

  test.prop([spec, spec])("takes back all that it alone applied before", (first, second) => {
    const fresh = apply(undefined, "one", gadget(second)).object;
    const over = apply(apply(undefined, "one", gadget(first)).object, "one", gadget(second)).object;
    expect(over.metadata.managedFields?.length ?? 0).toBeLessThanOrEqual(1);
    expect(leaves(over["spec"])).toEqual(leaves(fresh["spec"]));
  });

  test.prop([spec, spec])("without force never changes what another manager holds", (mine, theirs) => {
    const live = frozen(apply(undefined, "other", gadget(theirs)).object);
    const outcome = attempt(() => apply(live, "one", gadget(mine)));
    if (outcome instanceof StatusError) {
      expect(outcome.code).toBe(409);
      expect(outcome.status.details?.causes?.length).toBeGreaterThan(0);
    } else {
      expect(ownedBy(outcome.object, "other")).toEqual(ownedBy(live, "other"));
    }
  });

  test.prop([spec, spec, spec])("never changes what it is given", (a, b, c) => {
    const live = frozen(
      apply(apply(undefined, "one", frozen(gadget(a))).object, "two", gadget(b), { force: true }).object,
    );
    expect(() => apply(live, "one", frozen(gadget(c)), { force: true })).not.toThrow();
  });

  test("asks for conversions only when an entry is in another version", () => {
    const live = apply(undefined, "one", gadget({ size: 1 })).object;
    const asked: string[] = [];
    const convert = (object: KubeObject, apiVersion: string) => {
      asked.push(apiVersion);
      return { ...object, apiVersion };
    };
    const write = { live, manager: "two", force: true, apiVersion: V1, now: NOW, resource: gadgets, convert };
    applyConfiguration({ ...write, config: gadget({ size: 2 }) });
    expect(asked).toEqual([]);
    const beta = "fields.example.com/v1beta1";
    const config = { apiVersion: beta, kind: "Gadget", metadata: { name: "sample" }, spec: { size: 3 } };
    applyConfiguration({ ...write, live: { ...live, apiVersion: beta }, apiVersion: beta, config });
    expect(new Set(asked)).toEqual(new Set([V1]));
  });

  test("what a conversion throws comes out of it", () => {
    const live = apply(undefined, "one", gadget({ size: 1 }), {}).object;
    const beta = "fields.example.com/v1beta1";
    const config = { apiVersion: beta, kind: "Gadget", metadata: { name: "sample" }, spec: { size: 3 } };
    const sought = new Error("ask the webhook first");
    const convert = () => {
      throw sought;
    };
    const write = {
      live: { ...live, apiVersion: beta },
      manager: "two",
      force: true,
      apiVersion: beta,
      now: NOW,
      resource: gadgets,
    };
    expect(() => applyConfiguration({ ...write, config, convert })).toThrow(sought);
  });

  test("reads what was granular by a schema that says it is one leaf", () => {
    const live = apply(undefined, "one", gadget({ selector: { a: "1" } })).object;
    const [entry] = live.metadata.managedFields ?? [];
    const granular = { ...entry, fieldsV1: { "f:spec": { "f:selector": { "f:a": {} } } } } as ManagedFieldsEntry;
    const before = { ...live, metadata: { ...live.metadata, managedFields: [granular] } };
    const next = apply(before, "two", gadget({ size: 1 })).object;
    expect(ownedBy(next, "one")).toEqual({ "f:spec": { "f:selector": {} } });
  });
});

describe("an update", () => {
  test.prop([spec, spec])("takes from others what it changes, and nothing else", (applied, updated) => {
    const live = frozen(apply(undefined, "one", gadget(applied)).object);
    const next = update(live, "two", { ...live, spec: updated });
    const before = ownedBy(live, "one") ?? {};
    const after = ownedBy(next, "one") ?? {};
    const taken = ownedBy(next, "two") ?? {};
    for (const path of pathsOf(after)) expect(has(before, path)).toBe(true);
    for (const path of pathsOf(taken)) expect(has(after, path)).toBe(false);
  });

  test.prop([spec])("that changes nothing leaves managedFields as they are", (applied) => {
    const live = frozen(apply(undefined, "one", gadget(applied)).object);
    expect(update(live, "two", structuredClone(live)).metadata.managedFields).toEqual(live.metadata.managedFields);
  });
});

function attempt<T>(action: () => T): T | StatusError {
  try {
    return action();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
}

function pathsOf(set: FieldsV1, prefix: readonly string[] = []): string[][] {
  return Object.entries(set).flatMap(([element, child]) => {
    if (element === ".") return [];
    const path = [...prefix, element];
    return [...(Object.keys(child).length === 0 || "." in child ? [path] : []), ...pathsOf(child, path)];
  });
}

/** Leaf values with their paths; empty lists and maps do not count. */
function leaves(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null)
    return value === undefined || value === null ? [] : [`${path}=${JSON.stringify(value)}`];
  if (Array.isArray(value) && value.every((item) => typeof item !== "object"))
    return value.map((item) => `${path}[${item}]`).toSorted();
  return Object.entries(value)
    .flatMap(([key, child]) => leaves(child, `${path}/${(child as { name?: string } | null)?.name ?? key}`))
    .toSorted();
}
