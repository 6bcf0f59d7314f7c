import { describe, expect, test } from "vitest";
import type { KubeObject } from "../apis/index.ts";
import { computeDesiredState } from "./plan.ts";
import { app, hub, placedBy, placement, running, shanghai, singapore, snapshot } from "./testdata/builders.ts";
import type { Snapshot } from "./types.ts";

const NOW = Date.parse("2026-11-03T12:00:00Z");
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
const denial = (more?: Partial<Snapshot>) => computeDesiredState(given(more), NOW).clusters[0]?.heldFor;

describe("a dependency that may not be read", () => {
  test("holds every cluster, and says how to allow it", () => {
    const { clusters, rows, scheduled } = computeDesiredState(given(), NOW);
    const heldFor = {
      reason: "SecretAccessDenied",
      message:
        "add default to rbac.secrets.namespaces of the Helm release, or let the manager list and watch Secrets there",
    };
    expect(clusters).toEqual([
      { name: "shanghai-1", region: "cn-shanghai", replicas: 2, held: true, heldFor },
      { name: "singapore-1", region: "ap-southeast-1", replicas: 2, held: true, heldFor },
    ]);
    expect(scheduled.status).toBe("True");
    expect(rows).toEqual([]);
  });

  test("changes nothing where the object runs, whatever else would have changed", () => {
    const previous = running(["shanghai-1"], placedBy("p"));
    const { clusters, rows } = computeDesiredState(given({ previous, running: new Set(["shanghai-1"]) }), NOW);
    expect(clusters.map(({ name, held, replicas }) => ({ name, held, replicas }))).toEqual([
      { name: "shanghai-1", held: true, replicas: 7 },
      { name: "singapore-1", held: true, replicas: 2 },
    ]);
    expect(rows.map(({ cluster, mode, ref }) => `${mode} ${cluster} ${ref.kind}`)).toEqual([
      "Hold shanghai-1 Deployment",
      "Hold shanghai-1 Service",
    ]);
  });

  test("does not stop the hub's own copy, to which nothing is carried", () => {
    const { clusters, rows } = computeDesiredState(given({ clusters: [hub, shanghai] }), NOW);
    expect(clusters.map(({ name, held, warning }) => [name, held, warning?.reason])).toEqual([
      ["hub", false, "SecretAccessDenied"],
      ["shanghai-1", true, undefined],
    ]);
    expect(new Set(rows.map(({ cluster, mode }) => `${mode} ${cluster}`))).toEqual(new Set(["Apply hub"]));
  });

  test("does not matter when nothing is carried", () => {
    const { clusters } = computeDesiredState(
      given({ placements: [placement("p", { dependencies: { mode: "None" } })] }),
      NOW,
    );
    expect(clusters.map(({ held }) => held)).toEqual([false, false]);
  });

  test("does not hide what holds the object as a whole", () => {
    const { clusters } = computeDesiredState(
      given({ placements: [placement("p", { suspend: true })], previous: running(["shanghai-1"], placedBy("p")) }),
      NOW,
    );
    expect(clusters).toMatchObject([{ name: "shanghai-1", held: true }]);
    expect(clusters[0]).not.toHaveProperty("heldFor");
  });

  test("goes before one that is missing", () => {
    const object = app({ envFrom: [{ secretRef: { name: "database" } }, { configMapRef: { name: "absent" } }] });
    expect(computeDesiredState(given({ object }), NOW).clusters[0]).toMatchObject({
      heldFor: { reason: "SecretAccessDenied" },
      warning: { reason: "DependencyMissing", message: "not on the hub: ConfigMap absent" },
    });
  });

  test.each(["a", "team-shop", "n".repeat(63)])("is told of within 120 characters in the namespace %s", (namespace) => {
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

  test("is not asked for by its content: what can be read is carried on where it is", () => {
    expect(computeDesiredState(given({ dependencies: new Map([[DATABASE, secret]]) }), NOW).rows).toEqual([]);
    expect(
      computeDesiredState(given({ dependencies: new Map([[DATABASE, secret]]), unreadable: new Set() }), NOW).rows,
    ).toHaveLength(6);
  });
});
