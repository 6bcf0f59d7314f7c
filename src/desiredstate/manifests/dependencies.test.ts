import { describe, expect, test } from "vitest";
import { hashOf, type KubeObject, refKey } from "../../apis/index.ts";
import type { Dependency } from "../../interpreter/index.ts";
import { mark, ownerRefOf, ownerText } from "../rows/marks.ts";
import type { Needs, Snapshot } from "../snapshot.ts";
import { computeTarget } from "../target/target.ts";
import {
  app,
  at,
  clusterPlacement,
  goldenText,
  hub,
  NOW,
  placedBy,
  placement,
  rows,
  running,
  scheduled,
  shanghai,
  singapore,
  snapshot,
  targetOf,
} from "../testing/builders.ts";
import type { Target } from "../types.ts";
import { collectDependencies } from "./dependencies.ts";

const DATABASE = "/Secret/default/database";

const secret: KubeObject = { apiVersion: "v1", kind: "Secret", metadata: { name: "database", namespace: "default" } };
const given = (more: Partial<Snapshot> = {}): Snapshot =>
  snapshot({
    object: app({ envFrom: [{ secretRef: { name: "database" } }] }),
    clusters: [shanghai, singapore],
    placements: [placement("p")],
    unreadable: new Set([DATABASE]),
    ...more,
  });
const denial = (more?: Partial<Snapshot>) => computeTarget(given(more), NOW).clusters[0]?.frozenFor;

describe("a dependency that may not be read", () => {
  test("freezes every cluster, and says how to allow it", () => {
    const target = computeTarget(given(), NOW);
    const { clusters } = target;
    const frozenFor = {
      reason: "SecretAccessDenied",
      message: {
        what: "add default to rbac.secrets.namespaces of the Helm release",
        remedy: "or let the manager list and watch Secrets there",
      },
    };
    expect(clusters).toEqual([
      { name: "shanghai-1", region: "cn-shanghai", replicas: 2, frozen: true, frozenFor, objects: [] },
      { name: "singapore-1", region: "ap-southeast-1", replicas: 2, frozen: true, frozenFor, objects: [] },
    ]);
    expect(scheduled(target)).toBe("True ClustersSelected");
    expect(rows(target)).toEqual([]);
  });

  test("changes nothing where the object runs, whatever else would have changed", () => {
    const previous = running(["shanghai-1"], placedBy("p"));
    const target = computeTarget(given({ previous, running: new Set(["shanghai-1"]) }), NOW);
    expect(target.clusters.map(({ name, frozen, replicas }) => ({ name, frozen, replicas }))).toEqual([
      { name: "shanghai-1", frozen: true, replicas: 7 },
      { name: "singapore-1", frozen: true, replicas: 2 },
    ]);
    expect(rows(target)).toEqual(["Hold shanghai-1 Deployment/nginx-demo", "Hold shanghai-1 Service/nginx-demo"]);
  });

  test("does not stop the hub's own copy, to which nothing is propagated", () => {
    const target = computeTarget(given({ clusters: [hub, shanghai] }), NOW);
    expect(target.clusters.map(({ name, frozen, warning }) => [name, frozen, warning?.reason])).toEqual([
      ["hub", false, "SecretAccessDenied"],
      ["shanghai-1", true, undefined],
    ]);
    expect(rows(target)).toEqual(["Apply hub Deployment/nginx-demo", "Apply hub Service/nginx-demo"]);
  });

  test("does not matter when nothing is propagated", () => {
    const { clusters } = computeTarget(
      given({ placements: [placement("p", { dependencies: { mode: "None" } })] }),
      NOW,
    );
    expect(clusters.map(({ frozen }) => frozen)).toEqual([false, false]);
  });

  test("does not hide what freezes the object as a whole", () => {
    const { clusters } = computeTarget(
      given({ placements: [placement("p", { suspend: true })], previous: running(["shanghai-1"], placedBy("p")) }),
      NOW,
    );
    expect(clusters).toMatchObject([{ name: "shanghai-1", frozen: true }]);
    expect(clusters[0]).not.toHaveProperty("frozenFor");
  });

  test("goes before one that is missing", () => {
    const object = app({ envFrom: [{ secretRef: { name: "database" } }, { configMapRef: { name: "absent" } }] });
    expect(computeTarget(given({ object }), NOW).clusters[0]).toMatchObject({
      frozenFor: { reason: "SecretAccessDenied" },
      warning: { reason: "DependencyMissing", message: "not on the hub: ConfigMap absent" },
    });
  });

  test("of a kind with a long name is named with its whole namespace", () => {
    const [namespace, name] = ["n".repeat(63), "data"];
    const object: KubeObject = {
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: { name: "w", namespace, uid: "w" },
      spec: { claim: name },
    };
    const fields = [{ kind: "PersistentVolumeClaim" as const, path: "spec.claim" }];
    const resourceSelectors = [{ apiVersion: object.apiVersion, kind: object.kind }];
    const policy = clusterPlacement("p", { resourceSelectors, dependencies: { mode: "Auto", fields } });
    const unreadable = new Set([`/PersistentVolumeClaim/${namespace}/${name}`]);
    expect(denial({ object, placements: [policy], unreadable })?.message).toBe(
      `let the manager list and watch PersistentVolumeClaims in ${namespace} on the hub`,
    );
  });

  test("is not asked for by its content: what can be read is propagated where it is", () => {
    expect(rows(computeTarget(given({ dependencies: new Map([[DATABASE, secret]]) }), NOW))).toEqual([]);
    expect(
      rows(computeTarget(given({ dependencies: new Map([[DATABASE, secret]]), unreadable: new Set() }), NOW)),
    ).toHaveLength(6);
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

  test("go first, and not to the hub, where they are already", () => {
    expect(rows(given("1"))).toEqual([
      "Apply hub Deployment/nginx-demo",
      "Apply hub Service/nginx-demo",
      "Apply shanghai-1 ConfigMap/conf",
      "Apply shanghai-1 Secret/pull",
      "Apply shanghai-1 Deployment/nginx-demo",
      "Apply shanghai-1 Service/nginx-demo",
    ]);
  });

  test("a change of what the pods read rolls them, also on the hub; one of a pull secret or a label does not", () => {
    expect(rollHash(given("1"))).toMatch(/^[0-9a-f]{16}$/);
    expect(rollHash(given("1"))).not.toBe(rollHash(given("2")));
    expect(rollHash(given("1"), "hub")).toBe(rollHash(given("1")));
    expect(rollHash(given("1", "another token"))).toBe(rollHash(given("1")));
    expect(rollHash(given("1", "t", { labels: { a: "b" } }))).toBe(rollHash(given("1")));
  });

  test("mode None propagates none and warns of none", () => {
    const result = given("1", "t", {}, { dependencies: { mode: "None" } });
    expect(result.clusters.flatMap(({ objects }) => objects).some(({ role }) => role === "dependency")).toBe(false);
    expect(rollHash(result)).toBeUndefined();
    expect(
      targetOf({ object, placements: [placement("p", { dependencies: { mode: "None" } })] }).clusters[0]?.warning,
    ).toBeUndefined();
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

  test.each([
    [["a"], "not on the hub: ConfigMap a"],
    [["b", "a"], "not on the hub: ConfigMap a, ConfigMap b"],
    [["c", "a", "b"], "not on the hub: ConfigMap a, ConfigMap b and 1 more"],
    [["d", "b", "a", "c"], "not on the hub: ConfigMap a, ConfigMap b and 2 more"],
  ])("of %j that are missing says: %s", (names, message) => {
    const envFrom = names.map((name) => ({ configMapRef: { name } }));
    expect(targetOf({ object: app({ envFrom }), placements: [placement("p")] }).clusters[0]?.warning).toEqual({
      reason: "DependencyMissing",
      message,
    });
  });

  test("every part of the content rolls the pods, and no content at all leaves no hash", () => {
    const withContent = (content: object) =>
      rollHash(
        targetOf({
          object: app({ envFrom: [{ configMapRef: { name: "conf" } }] }),
          placements: [placement("p")],
          dependencies: new Map([
            [
              "/ConfigMap/default/conf",
              { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "conf" }, ...content },
            ],
          ]),
        }),
      );
    const contents = [{}, { data: { a: "1" } }, { binaryData: { a: "1" } }, { stringData: { a: "1" } }];
    expect(new Set(contents.map(withContent)).size).toBe(contents.length);
    expect(rollHash(targetOf({ object, placements: [placement("p")] }))).toBeUndefined();
    expect(rollHash(targetOf({ placements: [placement("p")] }))).toBeUndefined();
  });

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

  test("is told apart by whether pods read it", () => {
    const needs = { dependencies: [need("Secret", "database", { readByPods: false }), need("ConfigMap", "conf")] };
    const { hash, hashes } = collected(needs);
    expect(hash).toBe(hashOf([[CONF, contentHash]]));
    expect(hashes).toEqual({
      all: hashOf([
        [CONF, contentHash],
        [DATABASE, contentHash],
      ]),
      pods: hash,
    });
    const unread = collected({ dependencies: [need("Secret", "database", { readByPods: false })] });
    expect(unread.hash).toBeUndefined();
    expect(unread.hashes).toStrictEqual({ all: hashOf([[DATABASE, contentHash]]) });
  });

  test("is nothing where it needs nothing, but for what is wrong with what it declares", () => {
    const problem = { reason: "DependencyUnresolved", message: "m" };
    expect(collected({ dependencies: [] })).toStrictEqual(NOTHING);
    expect(collected({ dependencies: [], problem })).toStrictEqual({ ...NOTHING, warning: problem });
    expect(collected({ ...both, problem }).warning).toEqual(problem);
    expect(collected({ dependencies: [need("Secret", "absent")], problem }).warning).toEqual({
      reason: "DependencyMissing",
      message: "not on the hub: Secret absent",
    });
  });

  test("is not what is optional and absent", () => {
    expect(collected({ dependencies: [need("Secret", "absent", { optional: true })] })).toEqual(NOTHING);
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

  test("is not a ConfigMap that says it were of such a type, nor one with the name of a release", () => {
    const dependencies = has(
      objectOf("ConfigMap", "c", { type: "kubernetes.io/service-account-token" }),
      objectOf("Secret", "sh.helm.release.v1.web.v1"),
    );
    const needs = { dependencies: [need("ConfigMap", "c"), need("Secret", "sh.helm.release.v1.web.v1")] };
    expect(collected(needs, { dependencies })).toMatchObject({ refusal: undefined, objects: [{}, {}] });
    const absent = collected({ dependencies: [need("ConfigMap", "sh.helm.release.v1.web.v1")] });
    expect(absent.warning?.message).toBe("not on the hub: ConfigMap sh.helm.release.v1.web.v1");
    expect(absent.refusal).toBeUndefined();
  });

  test("is refused before what comes later, and is no reason to leave that out", () => {
    const needs = {
      dependencies: [need("Secret", "sh.helm.release.v1.a.v1"), need("Secret", "sh.helm.release.v1.b.v1")],
    };
    expect(collected(needs).refusal?.message).toContain("sh.helm.release.v1.a.v1");
    const { objects } = collected({ dependencies: [...needs.dependencies, need("ConfigMap", "conf")] });
    expect(objects.map(({ ref }) => ref.name)).toEqual(["conf"]);
  });
});

describe("what may not be read", () => {
  const denied = (...dependencies: Dependency[]) =>
    collected({ dependencies }, { unreadable: new Set(dependencies.map(({ ref }) => refKey(ref))) }).denial?.message;

  test("of a namespace is to be allowed there", () => {
    expect(denied(need("ConfigMap", "conf"))).toBe("let the manager list and watch ConfigMaps in default on the hub");
    expect(denied(need("Secret", "database"))).toEqual({
      what: "add default to rbac.secrets.namespaces of the Helm release",
      remedy: "or let the manager list and watch Secrets there",
    });
  });

  test("of no namespace is to be allowed on the hub", () => {
    const cluster = (kind: string): Dependency => ({ ...need(kind, "x"), ref: { apiVersion: "v1", kind, name: "x" } });
    expect(denied(cluster("Widget"))).toBe("let the manager list and watch Widgets on the hub");
    expect(denied(cluster("Secret"))).toBe("let the manager list and watch Secrets on the hub");
  });

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

  test("is as it was then where nothing has changed", () => {
    expect(collected(both, { recordedHashes: hashes })).toEqual(collected(both));
  });

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
