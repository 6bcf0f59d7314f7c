import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { GOOD_OBJECTS } from "../../../test/builders/goodObjects.ts";
import { convertObject } from "./convert.ts";
import { ConversionError } from "../conversion/conversion.ts";
import { type KindDefinition, KINDS, type KindVersion } from "./kinds.ts";
import type { KubeObject } from "../metadata/meta.ts";
import { parseObject } from "./parse.ts";
import { parseSpec } from "../schema/parseSpec.ts";
import { anyObject } from "../testing/anyObject.ts";
import { KINDS_STORED_AS_NEXT, KINDS_WITH_NEXT, NEXT_ANNOTATION, NEXT_API_VERSION } from "../testing/nextVersion.ts";
import { FEDERATION_API_VERSION, FEDERATION_GROUP } from "../metadata/wellknown.ts";

interface Pair {
  name: string;
  kinds: readonly KindDefinition[];
  kind: KindDefinition;
  from: KindVersion;
  to: KindVersion;
}

const REGISTRIES = [
  { when: "", kinds: KINDS },
  { when: ", once it is served", kinds: KINDS_WITH_NEXT },
  { when: ", once it is stored", kinds: KINDS_STORED_AS_NEXT },
];
/**
 * Every version of every kind with each other one. DemoApplications have tests of their own: v1 refuses what is not
 * valid.
 */
const PAIRS: Pair[] = REGISTRIES.flatMap(({ when, kinds }) =>
  kinds
    .filter(({ group }) => group === FEDERATION_GROUP)
    .flatMap((kind) =>
      kind.versions.flatMap((from) =>
        kind.versions
          .filter((to) => to.name !== from.name)
          .map((to) => ({ name: `${kind.kind} from ${from.name} to ${to.name}${when}`, kinds, kind, from, to })),
      ),
    ),
);
const FEDERATION = KINDS.filter(({ group }) => group === FEDERATION_GROUP);

const clusterOf = (more: object = {}): KubeObject => ({
  apiVersion: FEDERATION_API_VERSION,
  kind: "MemberCluster",
  metadata: { name: "shanghai-1" },
  spec: { provider: "cmcc", connection: { kubeconfigSecretRef: { name: "shanghai-1", key: "kubeconfig" } } },
  ...more,
});

describe("a kind of Meridian", () => {
  test("can be given another version in every case, which the tests below go through", () => {
    expect(PAIRS.map(({ kind }) => kind.kind).toSorted()).toEqual(
      FEDERATION.flatMap(({ kind }) => [kind, kind, kind, kind]).toSorted(),
    );
  });

  test("has a conversion for every version but the stored one, to which the others are converted", () => {
    for (const { kind, versions } of KINDS) {
      const [stored, ...others] = versions;
      expect(stored, kind).not.toHaveProperty("conversion");
      expect(new Set(versions.map(({ name }) => name)).size, kind).toBe(versions.length);
      for (const other of others) expect(other.conversion, `${kind} ${other.name}`).toBeDefined();
    }
  });
});

describe.each(PAIRS)("$name", ({ kinds, kind, from, to }) => {
  const there = (object: KubeObject) => convertObject(object, `${kind.group}/${to.name}`, kinds);
  const back = (object: KubeObject) => convertObject(object, `${kind.group}/${from.name}`, kinds);

  const runs = { numRuns: 100 };

  test.prop([anyObject(kind, from)], runs)(
    "and back is the same object, of whose metadata annotations change",
    (object) => {
      const before = structuredClone(object);
      const converted = there(object);
      const { annotations: _, ...metadata } = converted.metadata;
      const { annotations: _before, ...kept } = object.metadata;
      expect(metadata).toEqual(kept);
      expect(back(converted)).toEqual(before);
      expect(object).toEqual(before);
    },
  );

  test.prop([anyObject(kind, from), fc.subarray(["spec", "status"]), fc.boolean()], runs)(
    "and back is the same for a part of an object, to which nothing is added",
    (object, left, isNamed) => {
      const part = {
        ...(Object.fromEntries(Object.entries(object).filter(([field]) => !left.includes(field))) as KubeObject),
        metadata: (isNamed ? object.metadata : {}) as KubeObject["metadata"],
      };
      const converted = there(part);
      expect(Object.keys(converted).toSorted()).toEqual(Object.keys(part).toSorted());
      expect(back(converted)).toEqual(part);
    },
  );

  test("leaves what was valid valid", () => {
    const good = GOOD_OBJECTS.map(({ object }) => object).filter((object) => object.kind === kind.kind);
    expect(good.length).toBeGreaterThan(0);
    for (const object of good) {
      const parsed = parseObject(object);
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
      const given = convertObject(parsed.object, `${kind.group}/${from.name}`, kinds);
      const converted = there(given);
      expect(parseSpec(to.spec, converted["spec"])).toMatchObject({ ok: true });
      expect(back(converted)).toEqual(given);
    }
  });
});

describe("conversion of an object", () => {
  test("is by way of the version that is stored, and renames what has another name there", () => {
    const cluster = clusterOf({ status: { kubernetesVersion: "v1.33.0" } });
    const next = convertObject(cluster, NEXT_API_VERSION, KINDS_WITH_NEXT);
    expect(next).toEqual({
      ...cluster,
      apiVersion: NEXT_API_VERSION,
      spec: { operator: "cmcc", connection: cluster["spec"] && (cluster["spec"] as { connection: object }).connection },
      status: { version: "v1.33.0" },
    });
    expect(convertObject(next, FEDERATION_API_VERSION, KINDS_STORED_AS_NEXT)).toEqual(cluster);
  });

  test("carries what the other version cannot hold in an annotation, over what stands there", () => {
    const next = {
      ...clusterOf({ spec: { connection: { local: {} }, purpose: "test" } }),
      apiVersion: NEXT_API_VERSION,
      metadata: { name: "hub", annotations: { [NEXT_ANNOTATION]: "mine" } },
    };
    const read = convertObject(next, FEDERATION_API_VERSION, KINDS_WITH_NEXT);
    expect(read["spec"]).toEqual({ connection: { local: {} } });
    expect(read.metadata.annotations).toEqual({ [NEXT_ANNOTATION]: '{"annotation":"mine","spec":{"purpose":"test"}}' });
    expect(convertObject(read, NEXT_API_VERSION, KINDS_WITH_NEXT)).toEqual(next);
  });

  test("keeps what only the newer version knows when a client of the older one writes", () => {
    const next = {
      ...clusterOf({ spec: { connection: { local: {} }, purpose: "test" } }),
      apiVersion: NEXT_API_VERSION,
    };
    const read = convertObject(next, FEDERATION_API_VERSION, KINDS_STORED_AS_NEXT);
    const written = { ...read, spec: { ...(read["spec"] as object), provider: "own" } };
    expect(convertObject(written, NEXT_API_VERSION, KINDS_STORED_AS_NEXT)["spec"]).toEqual({
      connection: { local: {} },
      operator: "own",
      purpose: "test",
    });
  });

  test("to its own version is the object itself, of whatever kind", () => {
    const object = { ...clusterOf(), apiVersion: "example.com/v1" };
    expect(convertObject(object, "example.com/v1")).toBe(object);
  });

  test.each([
    {
      name: "a version that is not known, with those that are",
      object: clusterOf(),
      to: NEXT_API_VERSION,
      message:
        /MemberCluster of .*v1alpha1 cannot be converted to .*v1alpha2; .* as federation\.paas\.cmft\.com\/v1alpha1$/,
    },
    {
      name: "an object in a version that is not known",
      object: { ...clusterOf(), apiVersion: NEXT_API_VERSION },
      to: FEDERATION_API_VERSION,
      message: /MemberCluster of .*v1alpha2 cannot be converted/,
    },
    {
      name: "a version of another group",
      object: { ...clusterOf(), kind: "DemoApplication", apiVersion: "paas.cmft.com/v1" },
      to: "example.com/v1beta1",
      message: /; this manager knows it as paas\.cmft\.com\/v1 and paas\.cmft\.com\/v1beta1$/,
    },
    {
      name: "a kind that is not Meridian's",
      object: { ...clusterOf(), kind: "Other" },
      to: NEXT_API_VERSION,
      message: /; this kind is not Meridian's$/,
    },
  ])("refuses $name", ({ object, to, message }) => {
    expect(() => convertObject(object, to)).toThrow(ConversionError);
    expect(() => convertObject(object, to)).toThrow(message);
  });
});
