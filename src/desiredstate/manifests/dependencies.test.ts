import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { computeTarget } from "../target/target.ts";
import {
  app,
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
  at,
} from "../testing/builders.ts";
import type { Target } from "../types.ts";
import type { Snapshot } from "../snapshot.ts";

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
      message:
        "add default to rbac.secrets.namespaces of the Helm release, or let the manager list and watch Secrets there",
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

  test.each(["a", "team-shop", "n".repeat(63)])("is named within 120 characters in the namespace %s", (namespace) => {
    const object = app({ envFrom: [{ secretRef: { name: "database" } }] }, { namespace });
    const of = (kind: "Secret" | "ConfigMap") => {
      const ref = kind === "Secret" ? { secretRef: { name: "database" } } : { configMapRef: { name: "database" } };
      const clusterPlacement = { ...placement("p"), kind: "ClusterPlacement", metadata: { name: "p" } } as const;
      return denial({
        object: { ...object, spec: { ...(object["spec"] as object), envFrom: [ref] } },
        placements: [clusterPlacement],
        unreadable: new Set([`/${kind}/${namespace}/database`]),
      });
    };
    for (const kind of ["Secret", "ConfigMap"] as const) {
      expect(of(kind)?.reason).toBe(`${kind}AccessDenied`);
      expect(of(kind)?.message).toContain(namespace);
      expect(of(kind)?.message.length).toBeLessThanOrEqual(120);
    }
    expect(of("Secret")?.message).toMatch(/^add .* to rbac\.secrets\.namespaces of the Helm release/);
    expect(of("ConfigMap")?.message).toBe(`let the manager list and watch ConfigMaps in ${namespace} on the hub`);
  });

  test("of a kind with a long name is named within 120 characters too", () => {
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
      `let the manager read PersistentVolumeClaims in ${namespace}`,
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

  test("of several that may not be read the Secret is named, since its namespaces are listed", () => {
    const envFrom = [{ configMapRef: { name: "conf" } }, { secretRef: { name: "database" } }];
    const unreadable = new Set(["/ConfigMap/default/conf", "/Secret/default/database"]);
    const { clusters } = targetOf({ object: app({ envFrom }), placements: [placement("p")], unreadable });
    expect(clusters[0]?.frozenFor?.reason).toBe("SecretAccessDenied");
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
