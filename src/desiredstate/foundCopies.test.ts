import { describe, expect, test } from "vitest";
import type { FederatedStatus } from "../apis/index.ts";
import {
  app,
  frankfurt,
  hub,
  placement,
  rows,
  running,
  scheduled,
  shanghai,
  singapore,
  targetOf,
} from "./testing/builders.ts";
import type { FoundCopy, Snapshot } from "./snapshot.ts";

/** What becomes of an object without a record on the hub of which members hold copies. */

const copy = (cluster: string, replicas?: number, name = "nginx-demo", kind = "Deployment"): FoundCopy => ({
  cluster,
  ref: { apiVersion: kind === "Deployment" ? "apps/v1" : "v1", kind, namespace: "default", name },
  ...(replicas === undefined ? {} : { replicas }),
});
const one = placement("one", { clusterCount: 1 });
const CORDON = { key: "unschedulable", effect: "NoSchedule" as const };
const cordoned = { ...singapore, taints: [CORDON] };
const names = (more: Partial<Snapshot>): string[] => targetOf(more).clusters.map(({ name }) => name);

describe("a copy that no record names", () => {
  test.each<{ name: string; given: Partial<Snapshot>; want: string[] }>([
    { name: "is preferred among equals", given: { found: [copy("singapore-1", 2)] }, want: ["singapore-1"] },
    {
      name: "of something that the object needs, is none of the object",
      given: { found: [copy("singapore-1", undefined, "settings", "ConfigMap")] },
      want: ["frankfurt-1"],
    },
    {
      name: "gives way to a preference",
      given: {
        placements: [
          placement("one", {
            clusterCount: 1,
            clusterPreferences: [{ targetClusters: { clusterNames: ["shanghai-1"] }, weight: 10 }],
          }),
        ],
        found: [copy("singapore-1", 2)],
      },
      want: ["shanghai-1"],
    },
    {
      name: "draws the object to no cluster that a new one could not go to",
      given: { clusters: [shanghai, cordoned], found: [copy("singapore-1", 2)] },
      want: ["shanghai-1"],
    },
    {
      name: "beside another, of which the record tells, counts as little",
      given: { clusters: [shanghai, cordoned], running: new Set(["shanghai-1"]), found: [copy("singapore-1", 2)] },
      want: ["shanghai-1"],
    },
    {
      name: "where the hub itself has placed the object, stays through NoSchedule",
      given: { clusters: [shanghai, cordoned], running: new Set(["singapore-1"]), found: [copy("singapore-1", 2)] },
      want: ["singapore-1"],
    },
  ])("$name", ({ given, want }) => expect(names({ placements: [one], ...given })).toEqual(want));

  test("keeps its replicas where they are divided as evenly another way", () => {
    const divided = placement("divided", { replicaScheduling: { mode: "Divided", strategy: "Weighted" } });
    const shares = (found: FoundCopy[]) =>
      targetOf({ object: app({ replica: 4 }), placements: [divided], found }).clusters.map(
        ({ name, replicas }) => `${name} ${replicas}`,
      );
    for (const most of ["shanghai-1", "singapore-1", "frankfurt-1"]) {
      const found = [shanghai, singapore, frankfurt].map(({ name }) => copy(name, name === most ? 2 : 1));
      expect(shares(found)).toContain(`${most} 2`);
    }
  });

  test("stays as it is while nothing decides, and says so", () => {
    const target = targetOf({ clusters: [shanghai, cordoned], found: [copy("singapore-1", 3)] });
    expect(scheduled(target)).toBe("False NoPlacement");
    expect(target.clusters).toMatchObject([{ name: "singapore-1", frozen: true, found: true, replicas: 3 }]);
    expect(rows(target)).toEqual(["Hold singapore-1 Deployment/nginx-demo", "Hold singapore-1 Service/nginx-demo"]);
  });

  test("from before the join of its cluster is taken up where the object is placed, and kept nowhere", () => {
    const found = [{ ...copy("singapore-1", 2), beforeJoin: true as const }];
    expect(names({ placements: [one], found })).toEqual(["singapore-1"]);
    expect(names({ found })).toEqual([]);
    expect(scheduled(targetOf({ clusters: [hub, singapore], found }))).toBe("True DefaultPlacement");
    expect(scheduled(targetOf({ clusters: [hub, singapore], found: [copy("singapore-1", 2)] }))).toBe(
      "False NoPlacement",
    );
  });

  test("is no more than that once the status has named it: the record has it from the copy alone", () => {
    const found: FederatedStatus = {
      ...running(["singapore-1"], { observedGeneration: 1 }, "Held"),
    };
    const said = { ...found, clusters: found.clusters?.map((entry) => ({ ...entry, reason: "CopyFound" })) ?? [] };
    const given = { placements: [one], clusters: [shanghai, cordoned], running: new Set(["singapore-1"]) };
    expect(names({ ...given, previous: said })).toEqual(["shanghai-1"]);
    expect(names({ ...given, previous: said, clusters: [shanghai, singapore] })).toEqual(["singapore-1"]);
    expect(names({ ...given, previous: found })).toEqual(["singapore-1"]);
    const kept = targetOf({ ...given, placements: [], previous: said });
    expect(kept.clusters).toMatchObject([{ name: "singapore-1", frozen: true, found: true }]);
  });
});
