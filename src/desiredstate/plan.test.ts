import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { HASH_ANNOTATION, hashOf, type KubeObject, MANAGED_BY_LABEL, OWNER_ANNOTATION } from "../apis/index.ts";
import { computeDesiredState } from "./plan.ts";
import {
  app,
  cluster,
  clusterPlacement,
  frankfurt,
  hub,
  inRegion,
  overrides,
  placedBy,
  placement,
  running,
  shanghai,
  singapore,
  snapshot,
} from "./testdata/builders.ts";
import type { Plan, Snapshot } from "./types.ts";

const NOW = 1_795_000_000_000;
const plan = (more: Partial<Snapshot>): Plan => computeDesiredState(snapshot(more), NOW);

/** `mode cluster kind/name` of each row. */
const rows = (result: Plan): string[] =>
  result.rows.map(({ mode, cluster: name, ref }) => `${mode} ${name} ${ref.kind}/${ref.name}`);
const scheduled = ({ scheduled: { status, reason } }: Plan): string => `${status} ${reason}`;
const at = (result: Plan, name: string, kind: string): KubeObject | undefined =>
  result.rows.find((row) => row.cluster === name && row.ref.kind === kind)?.object;

describe("the golden plan", () => {
  const regional = overrides(
    "regional-replicas",
    { targetClusters: inRegion("cn-shanghai"), replicas: 5, image: { registry: "registry.example.cn" } },
    {
      targetClusters: inRegion("ap-southeast-1"),
      replicas: 3,
      env: [{ name: "REGION", value: "ap-southeast-1" }],
      labels: { "data-residency": "sg" },
      annotations: { "example.com/owner": "sre-asia" },
      patches: [
        { kind: "Service", op: "replace", path: "/spec/type", value: "LoadBalancer" },
        { kind: "Deployment", op: "add", path: "/spec/template/spec/terminationGracePeriodSeconds", value: 45 },
      ],
    },
  );

  test("of the sample with 5, 3 and 2 replicas", async () => {
    const result = plan({ placements: [placement("everywhere")], overrides: [regional] });
    expect(result.clusters.map(({ name, replicas }) => [name, replicas])).toEqual([
      ["frankfurt-1", 2],
      ["shanghai-1", 5],
      ["singapore-1", 3],
    ]);
    expect(result.overrides).toEqual([{ kind: "OverridePolicy", namespace: "default", name: "regional-replicas" }]);
    await expect(`${JSON.stringify(result, null, 2)}\n`).toMatchFileSnapshot("testdata/sample-5-3-2.golden.json");
  });

  test("of an application with dependencies, on a member and on the hub itself", async () => {
    const object = app(
      {
        ports: [],
        env: [{ name: "P", valueFrom: { secretKeyRef: { name: "shop-secret", key: "p" } } }],
        imagePullSecrets: [{ name: "registry" }],
      },
      { name: "shop" },
    );
    const secret: KubeObject = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "shop-secret", namespace: "default" },
      type: "Opaque",
      data: { p: "cA==" },
    };
    const result = plan({
      object,
      placements: [placement("shop", { deletionPolicy: "Orphan", conflictResolution: "Adopt" })],
      clusters: [shanghai, hub],
      dependencies: new Map([["/Secret/default/shop-secret", secret]]),
    });
    expect(rows(result)).toEqual([
      "Apply hub Deployment/shop",
      "Apply shanghai-1 Secret/shop-secret",
      "Apply shanghai-1 Deployment/shop",
    ]);
    await expect(`${JSON.stringify(result, null, 2)}\n`).toMatchFileSnapshot("testdata/dependencies.golden.json");
  });
});

describe("where it goes", () => {
  const everywhere = placement("everywhere");
  const nowhere = placement("nowhere", { clusterAffinities: [{ name: "g", clusterNames: ["atlantis"] }] });
  const taken = (...names: string[]): string[] =>
    names.flatMap((name) => [`Hold ${name} Deployment/nginx-demo`, `Hold ${name} Service/nginx-demo`]);

  test.each<{
    name: string;
    given: Partial<Snapshot>;
    want: { scheduled: string; clusters: string[]; rows: string[] | "apply" };
  }>([
    {
      name: "no policy, no local cluster: nowhere",
      given: {},
      want: { scheduled: "False NoPlacement", clusters: [], rows: [] },
    },
    {
      name: "no policy: the local cluster",
      given: { clusters: [shanghai, hub] },
      want: { scheduled: "True DefaultPlacement", clusters: ["hub"], rows: "apply" },
    },
    {
      name: "still under the default",
      given: { clusters: [shanghai, hub], previous: running(["hub"]) },
      want: { scheduled: "True DefaultPlacement", clusters: ["hub"], rows: "apply" },
    },
    {
      name: "the policy is gone: kept where it is",
      given: { clusters: [shanghai, singapore, hub], previous: running(["shanghai-1"], placedBy("gone")) },
      want: { scheduled: "False NoPlacement", clusters: ["shanghai-1"], rows: taken("shanghai-1") },
    },
    {
      name: "the policy is gone and so is its name from the status: still kept",
      given: { clusters: [shanghai, hub], previous: running(["shanghai-1"], {}, "Held") },
      want: { scheduled: "False NoPlacement", clusters: ["shanghai-1"], rows: taken("shanghai-1") },
    },
    {
      name: "a policy had placed it on the hub: kept, and not the default's",
      given: { clusters: [hub], previous: running(["hub"], placedBy("gone")) },
      want: { scheduled: "False NoPlacement", clusters: ["hub"], rows: taken("hub") },
    },
    {
      name: "and it stays so after the status has said it",
      given: {
        clusters: [hub],
        previous: running(
          ["hub"],
          {
            conditions: [
              { type: "Scheduled", status: "False", reason: "NoPlacement", message: "", lastTransitionTime: "" },
            ],
          },
          "Held",
        ),
      },
      want: { scheduled: "False NoPlacement", clusters: ["hub"], rows: taken("hub") },
    },
    {
      name: "what is being removed is not kept",
      given: { previous: running(["shanghai-1"], placedBy("gone"), "Removing") },
      want: { scheduled: "False NoPlacement", clusters: [], rows: [] },
    },
    {
      name: "seen on a cluster that the status does not name: kept",
      given: { previous: undefined, running: new Set(["shanghai-1"]) },
      want: { scheduled: "False NoPlacement", clusters: ["shanghai-1"], rows: taken("shanghai-1") },
    },
    {
      name: "clusters that the status only counts are kept",
      given: {
        previous: {
          summary: [
            { region: "cn-shanghai", clusters: 1, replicas: { desired: 1, updated: 1, ready: 1, available: 1 } },
          ],
        },
      },
      want: { scheduled: "False NoPlacement", clusters: ["shanghai-1"], rows: taken("shanghai-1") },
    },
    {
      name: "no cluster fits: kept where it is",
      given: { placements: [nowhere], previous: running(["shanghai-1"], placedBy("nowhere")) },
      want: { scheduled: "False NoClusterFits", clusters: ["shanghai-1"], rows: taken("shanghai-1") },
    },
    {
      name: "no cluster fits and it runs nowhere",
      given: { placements: [nowhere] },
      want: { scheduled: "False NoClusterFits", clusters: [], rows: [] },
    },
    {
      name: "there are no clusters",
      given: { placements: [everywhere], clusters: [] },
      want: { scheduled: "False NoClusterFits", clusters: [], rows: [] },
    },
    {
      name: "a cluster that is being deleted is not kept",
      given: { placements: [nowhere], clusters: [{ ...shanghai, deleting: true }], previous: running(["shanghai-1"]) },
      want: { scheduled: "False NoClusterFits", clusters: [], rows: [] },
    },
    {
      name: "a cluster that is being deleted gets nothing",
      given: { placements: [everywhere], clusters: [{ ...shanghai, deleting: true }, singapore] },
      want: { scheduled: "True ClustersSelected", clusters: ["singapore-1"], rows: "apply" },
    },
    {
      name: "suspended: what runs is held, new clusters get nothing",
      given: { placements: [placement("p", { suspend: true })], previous: running(["shanghai-1"], placedBy("p")) },
      want: { scheduled: "True Suspended", clusters: ["shanghai-1"], rows: taken("shanghai-1") },
    },
    {
      name: "suspended before it ran anywhere",
      given: { placements: [placement("p", { suspend: true })] },
      want: { scheduled: "False Suspended", clusters: [], rows: [] },
    },
  ])("$name", ({ given, want }) => {
    const result = plan(given);
    expect(scheduled(result)).toBe(want.scheduled);
    expect(result.scheduled.message.length).toBeLessThanOrEqual(120);
    expect(result.clusters.map(({ name }) => name)).toEqual(want.clusters);
    if (want.rows === "apply")
      expect(result.rows.every(({ mode }) => mode === "Apply") && result.rows.length > 0).toBe(true);
    else expect(rows(result)).toEqual(want.rows);
    expect(result.clusters.every(({ held }) => held === (want.rows !== "apply"))).toBe(true);
  });

  test("says which named cluster is unknown while the others go on", () => {
    const result = plan({
      placements: [placement("p", { clusterAffinities: [{ name: "g", clusterNames: ["shanghai-1", "atlantis"] }] })],
    });
    expect(result.scheduled).toEqual({
      status: "True",
      reason: "ClustersSelected",
      message: "1 of 3 clusters selected; unknown cluster atlantis",
    });
    expect(result.decision.verdicts.find((v) => v.cluster === "atlantis")?.reason).toBe("UnknownCluster");
  });

  test("a held cluster keeps the replicas it was asked for, whatever overrides say", () => {
    const result = plan({
      placements: [placement("p", { suspend: true })],
      overrides: [overrides("o", { replicas: 99 })],
      previous: running(["shanghai-1"], placedBy("p")),
    });
    expect(result.clusters).toMatchObject([{ name: "shanghai-1", replicas: 7, held: true }]);
    expect(result.overrides).toEqual([]);
  });

  test("names the policy and hands on when to look again", () => {
    const timeAdded = new Date(NOW - 1000).toISOString();
    const tolerations = [
      { key: "m", operator: "Exists" as const, effect: "NoExecute" as const, tolerationSeconds: 60 },
    ];
    const result = plan({
      placements: [clusterPlacement("c", { tolerations })],
      clusters: [{ ...shanghai, taints: [{ key: "m", effect: "NoExecute", timeAdded }] }],
    });
    expect(result.placement).toEqual({ kind: "ClusterPlacement", name: "c" });
    expect(result.recheckAt).toBe(NOW + 59_000);
  });
});

describe("what goes there", () => {
  const everywhere = placement("everywhere");

  test("every object carries its marks, and the hash covers all but itself", () => {
    for (const { object, hash, owner } of plan({ placements: [everywhere] }).rows) {
      expect(object.metadata.labels?.[MANAGED_BY_LABEL]).toBe("hub-uid");
      expect(JSON.parse(object.metadata.annotations?.[OWNER_ANNOTATION] ?? "")).toEqual(owner);
      expect(object.metadata.annotations?.[HASH_ANNOTATION]).toBe(hash);
      const { [HASH_ANNOTATION]: _, ...annotations } = object.metadata.annotations ?? {};
      expect(hashOf({ ...object, metadata: { ...object.metadata, annotations } })).toBe(hash);
    }
  });

  test("clusters that differ in nothing share their objects", () => {
    const clusters = Array.from({ length: 1000 }, (_, i) =>
      cluster(`c${i}`, i % 2 === 0 ? "cn-shanghai" : "eu-central-1"),
    );
    const result = plan({
      placements: [everywhere],
      clusters,
      overrides: [overrides("o", { targetClusters: inRegion("cn-shanghai"), replicas: 5 })],
    });
    expect(result.rows).toHaveLength(2000);
    expect(new Set(result.rows.map(({ object }) => object)).size).toBe(3);
  });

  test("division gives each cluster its share, and an override of replicas wins", () => {
    const divided = placement("p", {
      replicaScheduling: {
        mode: "Divided",
        weights: [
          { targetClusters: { clusterNames: ["shanghai-1"] }, weight: 2 },
          { targetClusters: { clusterNames: ["singapore-1"] }, weight: 1 },
        ],
      },
    });
    const object = app({ replica: 9 });
    const shares = plan({ object, placements: [divided] });
    expect(shares.clusters.map(({ name, replicas }) => [name, replicas])).toEqual([
      ["shanghai-1", 6],
      ["singapore-1", 3],
    ]);
    expect(at(shares, "shanghai-1", "Deployment")).toHaveProperty("spec.replicas", 6);
    const won = plan({
      object,
      placements: [divided],
      overrides: [overrides("o", { targetClusters: inRegion("cn-shanghai"), replicas: 1 })],
    });
    expect(won.clusters.map(({ replicas }) => replicas)).toEqual([1, 3]);
  });

  test("retained fields are left to the members, and the plan still says what was asked for", () => {
    const result = plan({ placements: [placement("p", { retain: [{ kind: "Deployment", path: "spec.replicas" }] })] });
    expect(at(result, "shanghai-1", "Deployment")).not.toHaveProperty("spec.replicas");
    expect(result.clusters[0]?.replicas).toBe(2);
  });

  test("on the hub itself the hub object is the controller, elsewhere it is not mentioned", () => {
    const result = plan({ placements: [everywhere], clusters: [shanghai, hub] });
    expect(at(result, "hub", "Deployment")?.metadata.ownerReferences).toEqual([
      {
        apiVersion: "paas.cmft.com/v1",
        kind: "DemoApplication",
        name: "nginx-demo",
        uid: "11111111-1111-1111-1111-111111111111",
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(at(result, "shanghai-1", "Deployment")?.metadata).not.toHaveProperty("ownerReferences");
  });

  test("an override that cannot be applied concerns its cluster only", () => {
    const given = {
      placements: [everywhere],
      overrides: [
        overrides("bad", {
          targetClusters: inRegion("cn-shanghai"),
          patches: [{ op: "replace", path: "/spec/none", value: 1 }],
        }),
      ],
    };
    const fresh = plan(given);
    expect(fresh.clusters.find(({ name }) => name === "shanghai-1")).toMatchObject({
      held: false,
      problem: { reason: "InvalidPatch" },
    });
    expect(new Set(fresh.rows.map((row) => row.cluster))).toEqual(new Set(["frankfurt-1", "singapore-1"]));
    // Its own status has to say so.
    expect(fresh.overrides).toMatchObject([{ name: "bad" }]);
    const there = plan({ ...given, previous: running(["shanghai-1"], placedBy("everywhere")) });
    expect(there.rows.filter((row) => row.cluster === "shanghai-1").map(({ mode }) => mode)).toEqual(["Hold", "Hold"]);
    expect(there.rows.filter((row) => row.cluster !== "shanghai-1").every(({ mode }) => mode === "Apply")).toBe(true);
  });

  test.each(["/metadata/name", "/metadata/ownerReferences", "/kind", "/apiVersion"])(
    "an override may not change %s",
    (path) => {
      const result = plan({
        placements: [everywhere],
        overrides: [overrides("o", { patches: [{ op: "add", path, value: "x" }] })],
      });
      expect(result.rows).toEqual([]);
      expect(result.clusters.map(({ problem }) => problem?.reason)).toEqual([
        "ProtectedField",
        "ProtectedField",
        "ProtectedField",
      ]);
    },
  );

  test("a plain object is carried as a person set it, and not onto itself", () => {
    const object: KubeObject = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "c", namespace: "default", uid: "u" },
      data: { a: "1" },
    };
    const selects = placement("p", { resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap" }] });
    const result = plan({ object, placements: [selects], clusters: [shanghai, hub] });
    expect(rows(result)).toEqual(["Apply shanghai-1 ConfigMap/c"]);
    expect(result.clusters.every(({ replicas }) => replicas === undefined)).toBe(true);
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
  const given = (value: string, token = "t", metadata: object = {}, spec: object = {}): Plan =>
    plan({
      object,
      clusters: [shanghai, hub],
      placements: [placement("p", spec)],
      dependencies: new Map([
        ["/ConfigMap/default/conf", configMap(value, metadata)],
        ["/Secret/default/pull", pull(token)],
      ]),
    });
  const rollHash = (result: Plan, name = "shanghai-1"): unknown =>
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

  test("mode None carries none and looks for none", () => {
    const result = given("1", "t", {}, { dependencies: { mode: "None" } });
    expect(result.rows.some(({ role }) => role === "dependency")).toBe(false);
    expect(rollHash(result)).toBeUndefined();
    expect(
      plan({ object, placements: [placement("p", { dependencies: { mode: "None" } })] }).clusters[0]?.warning,
    ).toBeUndefined();
  });

  test("one that is missing is a warning and stops nothing; an optional one is not even that", () => {
    const missing = plan({ object, placements: [placement("p")], dependencies: new Map() });
    expect(missing.clusters[0]?.warning).toEqual({
      reason: "DependencyMissing",
      message: "not on the hub: ConfigMap conf, Secret pull",
    });
    expect(missing.rows).toHaveLength(6);
    const optional = app({ envFrom: [{ configMapRef: { name: "conf", optional: true } }] });
    expect(plan({ object: optional, placements: [placement("p")] }).clusters[0]?.warning).toBeUndefined();
  });

  test("nothing of a Secret's content stands anywhere but in its own object", () => {
    const result = given("1", "c2VjcmV0");
    const others = JSON.stringify({ ...result, rows: result.rows.filter(({ ref }) => ref.kind !== "Secret") });
    expect(others).not.toContain("c2VjcmV0");
  });
});

describe("for any snapshot", () => {
  const regions = ["cn-shanghai", "ap-southeast-1", "eu-central-1"];
  const arbitrarySnapshot = fc.record({
    replica: fc.nat(50),
    clusters: fc.uniqueArray(
      fc.record({
        index: fc.nat(30),
        region: fc.constantFrom(...regions),
        deleting: fc.boolean(),
        local: fc.boolean(),
        running: fc.boolean(),
      }),
      { selector: ({ index }) => index, maxLength: 8 },
    ),
    divided: fc.boolean(),
    suspend: fc.boolean(),
    placed: fc.boolean(),
    rules: fc.array(
      fc.record({
        region: fc.constantFrom(...regions),
        replicas: fc.option(fc.nat(9), { nil: undefined }),
        bad: fc.boolean(),
      }),
      { maxLength: 3 },
    ),
  });
  type Arbitrary = typeof arbitrarySnapshot extends fc.Arbitrary<infer T> ? T : never;

  const build = ({ replica, clusters, divided, suspend, placed, rules }: Arbitrary): Snapshot =>
    snapshot({
      object: app({ replica }),
      clusters: clusters.map(({ index, region, deleting, local }) => cluster(`c${index}`, region, { deleting, local })),
      placements: placed
        ? [placement("p", { suspend, replicaScheduling: { mode: divided ? "Divided" : "Duplicated" } }), placement("z")]
        : [],
      overrides: rules.map(({ region, replicas, bad }, index) =>
        overrides(`o${index}`, {
          targetClusters: inRegion(region),
          ...(replicas === undefined ? { labels: { a: "b" } } : { replicas }),
          ...(bad ? { patches: [{ op: "remove" as const, path: "/none" }] } : {}),
        }),
      ),
      previous: running(
        clusters.filter((c) => c.running).map(({ index }) => `c${index}`),
        placed ? placedBy("p") : {},
      ),
    });

  property.prop([arbitrarySnapshot])(
    "rows go only where the decision says or where it runs, and never to a cluster that is being deleted",
    (input) => {
      const given = build(input);
      const result = computeDesiredState(given, NOW);
      const chosen = new Set(result.decision.clusters.map(({ name }) => name));
      const current = new Set(given.previous?.clusters?.map(({ name }) => name));
      const deleting = new Set(given.clusters.filter((c) => c.deleting).map(({ name }) => name));
      for (const row of result.rows) {
        expect(deleting.has(row.cluster)).toBe(false);
        expect(row.mode === "Apply" ? chosen.has(row.cluster) && !result.suspended : current.has(row.cluster)).toBe(
          true,
        );
      }
    },
  );

  property.prop([arbitrarySnapshot])("what runs somewhere never loses its last place by a plan", (input) => {
    const given = build(input);
    const alive = new Set(given.clusters.filter((c) => !c.deleting).map(({ name }) => name));
    const keeps = given.previous?.clusters?.some(({ name }) => alive.has(name)) === true;
    const result = computeDesiredState(given, NOW);
    // Clusters whose overrides are wrong get nothing new: those are for people to put right.
    if (keeps && result.clusters.every(({ problem }) => problem === undefined))
      expect(result.rows.length).toBeGreaterThan(0);
  });

  property.prop([arbitrarySnapshot])("the order of the inputs does not matter, nor the run", (input) => {
    const given = build(input);
    const turned: Snapshot = {
      ...given,
      clusters: given.clusters.toReversed(),
      placements: given.placements.toReversed(),
      overrides: given.overrides.toReversed(),
    };
    expect(computeDesiredState(turned, NOW)).toEqual(computeDesiredState(given, NOW));
  });

  property.prop([arbitrarySnapshot])("division without overrides gives out exactly what was asked for", (input) => {
    const given = build({ ...input, divided: true, placed: true, suspend: false, rules: [] });
    const result = computeDesiredState(given, NOW);
    if (result.decision.clusters.length === 0) return;
    const sum = result.clusters.reduce((total, { replicas }) => total + (replicas ?? 0), 0);
    expect(sum).toBe(input.replica);
  });
});

test("the given values are never changed", () => {
  const freeze = <T>(value: T): T => {
    if (typeof value === "object" && value !== null && !(value instanceof Map)) {
      for (const member of Object.values(value)) freeze(member);
      Object.freeze(value);
    }
    return value;
  };
  const given = freeze(
    snapshot({
      placements: [placement("p")],
      overrides: [overrides("o", { replicas: 4, labels: { a: "b" } })],
      clusters: [shanghai, singapore, frankfurt, hub],
    }),
  );
  expect(() => computeDesiredState(given, NOW)).not.toThrow();
});

describe("deletionPolicy", () => {
  const previous = { deletionPolicy: "Orphan" as const };

  test.each<{ name: string; given: Partial<Snapshot>; want: Plan["deletionPolicy"] }>([
    { name: "is Delete unless told", given: { placements: [placement("p")] }, want: "Delete" },
    {
      name: "is what the policy says",
      given: { placements: [placement("p", { deletionPolicy: "Orphan" })] },
      want: "Orphan",
    },
    {
      name: "is what the last policy said when there is none any more",
      given: { placements: [], previous },
      want: "Orphan",
    },
    {
      name: "is what the present policy says, whatever one before it said",
      given: { placements: [placement("p")], previous },
      want: "Delete",
    },
  ])("$name", ({ given, want }) => expect(plan(given).deletionPolicy).toBe(want));
});
