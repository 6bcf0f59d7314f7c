import { describe, expect, test } from "vitest";
import { hashOf, type KubeObject, refKey } from "../../apis/index.ts";
import type { Dependency } from "../../interpreter/index.ts";
import { mark, ownerRefOf, ownerText } from "../rows/marks.ts";
import type { Needs, Snapshot } from "../snapshot.ts";
import { computeTarget } from "../target/target.ts";
import {
  app,
  at,
  goldenText,
  hub,
  NOW,
  placedBy,
  placement,
  rows,
  running,
  shanghai,
  singapore,
  snapshot,
  targetOf,
} from "../testing/builders.ts";
import type { Target } from "../types.ts";
import { collectDependencies } from "./dependencies.ts";

const DATABASE = "/Secret/default/database";

const given = (more: Partial<Snapshot> = {}): Snapshot =>
  snapshot({
    object: app({ envFrom: [{ secretRef: { name: "database" } }] }),
    clusters: [shanghai, singapore],
    placements: [placement("p")],
    unreadable: new Set([DATABASE]),
    ...more,
  });

describe("a dependency that may not be read", () => {
  test("changes nothing where the object runs, whatever else would have changed", () => {
    const previous = running(["shanghai-1"], placedBy("p"));
    const target = computeTarget(given({ previous, running: new Set(["shanghai-1"]) }), NOW);
    expect(target.clusters.map(({ name, frozen, replicas }) => ({ name, frozen, replicas }))).toEqual([
      { name: "shanghai-1", frozen: true, replicas: 7 },
      { name: "singapore-1", frozen: true, replicas: 2 },
    ]);
    expect(rows(target)).toEqual(["Hold shanghai-1 Deployment/nginx-demo", "Hold shanghai-1 Service/nginx-demo"]);
  });
});

describe("dependencies", () => {
  const configMap = (value: string, metadata: object = {}): KubeObject => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "conf", namespace: "default", uid: "c", ...metadata },
    data: { a: value },
  });
  const object = app({ envFrom: [{ configMapRef: { name: "conf" } }], imagePullSecrets: [{ name: "pull" }] });
  const pull = (value: string): KubeObject => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "pull", namespace: "default" },
    data: { t: value },
  });
  const given = (value: string, token = "t", metadata: object = {}, spec: object = {}): Target =>
    targetOf({
      object,
      clusters: [shanghai, hub],
      placements: [placement("p", spec)],
      dependencies: new Map([
        ["/ConfigMap/default/conf", configMap(value, metadata)],
        ["/Secret/default/pull", pull(token)],
      ]),
    });
  const rollHash = (result: Target, name = "shanghai-1"): unknown =>
    (
      at(result, name, "Deployment") as unknown as {
        spec: { template: { metadata: { annotations?: Record<string, string> } } };
      }
    ).spec.template.metadata.annotations?.["federation.paas.cmft.com/dependencies-hash"];

  test("a change of what the pods read rolls them, also on the hub; one of a pull secret or a label does not", () => {
    expect(rollHash(given("1"))).toMatch(/^[0-9a-f]{16}$/);
    expect(rollHash(given("1"))).not.toBe(rollHash(given("2")));
    expect(rollHash(given("1"), "hub")).toBe(rollHash(given("1")));
    expect(rollHash(given("1", "another token"))).toBe(rollHash(given("1")));
    expect(rollHash(given("1", "t", { labels: { a: "b" } }))).toBe(rollHash(given("1")));
  });

  test("one that is missing is a warning and stops nothing; an optional one is not even that", () => {
    const missing = targetOf({ object, placements: [placement("p")], dependencies: new Map() });
    expect(missing.clusters[0]?.warning).toEqual({
      reason: "DependencyMissing",
      message: "not on the hub: ConfigMap conf, Secret pull",
    });
    expect(rows(missing)).toHaveLength(6);
    const optional = app({ envFrom: [{ configMapRef: { name: "conf", optional: true } }] });
    expect(targetOf({ object: optional, placements: [placement("p")] }).clusters[0]?.warning).toBeUndefined();
  });

  test.each([[["c", "a", "b"], "not on the hub: ConfigMap a, ConfigMap b and 1 more"]])(
    "of %j that are missing says: %s",
    (names, message) => {
      const envFrom = names.map((name) => ({ configMapRef: { name } }));
      expect(targetOf({ object: app({ envFrom }), placements: [placement("p")] }).clusters[0]?.warning).toEqual({
        reason: "DependencyMissing",
        message,
      });
    },
  );

  test("nothing of a Secret's content stands anywhere but in its own object", () => {
    const result = given("1", "c2VjcmV0");
    const clusters = result.clusters.map((one) => ({
      ...one,
      objects: one.objects.filter(({ ref }) => ref.kind !== "Secret"),
    }));
    expect(goldenText(result)).toContain("c2VjcmV0");
    expect(goldenText({ ...result, clusters })).not.toContain("c2VjcmV0");
  });
});

const marking = { hubId: "hub-uid", ownerText: ownerText(ownerRefOf(app())), policy: "Delete" as const };
const objectOf = (kind: string, name: string, content: object = { data: { a: "1" } }): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name, namespace: "default" },
  ...content,
});
const need = (kind: string, name: string, more: Partial<Dependency> = {}): Dependency => ({
  ref: { apiVersion: "v1", kind, namespace: "default", name },
  optional: false,
  readByPods: true,
  ...more,
});
const has = (...objects: KubeObject[]) =>
  new Map(objects.map((one) => [refKey({ ...one, namespace: "default", name: one.metadata.name }), one]));
const conf = objectOf("ConfigMap", "conf");
const database = objectOf("Secret", "database");
const contentHash = hashOf([{ a: "1" }, undefined, undefined]);
const CONF = "/ConfigMap/default/conf";
const NOTHING = {
  objects: [],
  hash: undefined,
  hashes: undefined,
  warning: undefined,
  denial: undefined,
  refusal: undefined,
};
const collected = (needs: Needs, more: Partial<Parameters<typeof collectDependencies>[1]> = {}) =>
  collectDependencies(needs, { dependencies: has(conf, database), ...more }, marking);
const both = { dependencies: [need("Secret", "database"), need("ConfigMap", "conf")] };

describe("what goes along with an object", () => {
  test("is all that it needs, by name, and the hash of what its pods read", () => {
    const pods = hashOf([
      [CONF, contentHash],
      [DATABASE, contentHash],
    ]);
    expect(collected(both)).toEqual({
      ...NOTHING,
      objects: [mark(conf, "dependency", marking), mark(database, "dependency", marking)],
      hash: pods,
      hashes: { all: pods, pods },
    });
  });
});

describe("what goes to no member", () => {
  test("is refused, the first by name", () => {
    const token = (name: string) => objectOf("Secret", name, { type: "kubernetes.io/service-account-token" });
    const dependencies = has(token("a"), token("b"));
    const needs = { dependencies: [need("Secret", "b"), need("Secret", "a")] };
    expect(collected(needs, { dependencies })).toEqual({
      ...NOTHING,
      refusal: {
        reason: "NotAllowed",
        message: "Secret a holds a token (kubernetes.io/service-account-token) and is never sent to members",
      },
    });
  });
});

test.each<[kind: string, name: string, type: string, isRefused: boolean]>([
  ["Secret", "a", "bootstrap.kubernetes.io/token", true],
  ["Secret", "a", "Opaque", false],
  ["ConfigMap", "a", "bootstrap.kubernetes.io/token", false],
  ["ConfigMap", "sh.helm.release.v1.web.v1", "helm.sh/release.v1", false],
])("a %s %s of the type %s is refused: %s", (kind, name, type, isRefused) => {
  const { objects, refusal } = collected(
    { dependencies: [need(kind, name)] },
    { dependencies: has(objectOf(kind, name, { type })) },
  );
  expect([refusal?.reason, objects.length]).toEqual(isRefused ? ["NotAllowed", 0] : [undefined, 1]);
});

test.each([
  ["Secret", "NotAllowed", undefined],
  ["ConfigMap", undefined, "DependencyMissing"],
])("an absent %s with the name of a Helm release: %s, %s", (kind, refused, warned) => {
  const { refusal, warning } = collected({ dependencies: [need(kind, "sh.helm.release.v1.web.v1")] }, {});
  expect([refusal?.reason, warning?.reason]).toEqual([refused, warned]);
});

describe("what may not be read", () => {
  test("is not looked for, and the Secret is named before others", () => {
    const unreadable = new Set([CONF, DATABASE]);
    expect(collected(both, { unreadable })).toMatchObject({
      objects: [],
      hashes: undefined,
      warning: undefined,
      denial: { reason: "SecretAccessDenied" },
    });
  });
});

describe("what went along with a revision", () => {
  const { hashes } = collected(both);
  if (hashes === undefined) throw new Error("nothing goes along");

  test("is read by its pods as it was, whatever has become of it, and its Secrets stay as they are", () => {
    const { objects, hash, hashes: now } = collected(both, { recordedHashes: { all: "other", pods: "then" } });
    expect([hash, now]).toEqual(["then", hashes]);
    expect(objects.map(({ ref, held }) => [ref.kind, held])).toEqual([
      ["ConfigMap", undefined],
      [
        "Secret",
        {
          reason: "RolloutWaiting",
          message: "no revision holds the content of a Secret; the Secret stays as it is until the rollout comes here",
        },
      ],
    ]);
    expect(collected(both, { recordedHashes: { all: "other" } }).hash).toBeUndefined();
    expect(collected({ dependencies: [need("Secret", "absent")] }, { recordedHashes: hashes }).hash).toBe(hashes.pods);
  });
});
