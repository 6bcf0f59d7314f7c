import { describe, expect, test } from "vitest";
import type { ClusterStatusEntry, FederatedStatus } from "../../apis/index.ts";
import { knownCopies } from "./knownCopies.ts";
import { app, placement, shanghai, singapore, targetOf } from "../testing/builders.ts";
import type { Target } from "../types.ts";

const SECRET = { apiVersion: "v1", kind: "Secret", metadata: { name: "database", namespace: "default" } };
const target = targetOf({
  object: app({ envFrom: [{ secretRef: { name: "database" } }] }),
  placements: [placement("p", { clusterAffinities: [{ name: "g", clusterNames: ["shanghai-1"] }] })],
  clusters: [shanghai, singapore],
  dependencies: new Map([["/Secret/default/database", SECRET]]),
});
const replicas = { desired: 2, updated: 2, ready: 1, available: 1 };
const entry = (more: Partial<ClusterStatusEntry> = {}): ClusterStatusEntry => ({
  name: "shanghai-1",
  state: "Available",
  replicas,
  desiredHash: "h",
  observedHash: "h",
  ...more,
});
const known = (status: FederatedStatus | undefined, of: Target = target) => knownCopies(of, status);
const hashOf = (kind: string) => target.clusters[0]?.objects.find(({ ref }) => ref.kind === kind)?.hash;

describe("the copies that the status of an object knows of", () => {
  test("are all that it becomes there, as they should be", () => {
    const copy = (apiVersion: string, kind: string, name: string, counts: object = {}) => ({
      cluster: "shanghai-1",
      ref: { apiVersion, kind, namespace: "default", name },
      present: {
        uid: `shanghai-1/${kind}/${name}`,
        hash: hashOf(kind),
        owner: target.owner,
        proven: true,
        deleting: false,
        health: { state: "Available", ...counts },
      },
      inSyncWith: hashOf(kind),
      writing: false,
      revision: 0,
    });
    expect(known({ clusters: [entry()] })).toEqual([
      copy("v1", "Secret", "database"),
      copy("apps/v1", "Deployment", "nginx-demo", { replicas }),
      copy("v1", "Service", "nginx-demo"),
    ]);
  });

  test("are like nobody knows what where the status says that another state was seen", () => {
    const copies = known({ clusters: [entry({ observedHash: "older", state: "Progressing" })] });
    expect(copies.map(({ present, inSyncWith }) => [present?.hash, inSyncWith, present?.health.state])).toEqual(
      Array.from({ length: 3 }, () => [undefined, undefined, "Progressing"]),
    );
    for (const copy of copies) {
      expect(copy).not.toHaveProperty("inSyncWith");
      expect(copy.present).not.toHaveProperty("hash");
    }
  });

  test("on a cluster that it has left are what it is elsewhere, and nobody knows what they are like", () => {
    const copies = known({ clusters: [entry({ name: "singapore-1" })] });
    expect(copies.map(({ cluster, ref, present }) => [cluster, ref.kind, present?.hash])).toEqual(
      ["Secret", "Deployment", "Service"].map((kind) => ["singapore-1", kind, undefined]),
    );
    const empty = { ...target, clusters: [{ name: "frankfurt-1", frozen: false, objects: [] }, ...target.clusters] };
    expect(known({ clusters: [entry({ name: "singapore-1" })] }, empty)).toHaveLength(3);
    expect(known({ clusters: [entry({ name: "singapore-1" })] }, { ...target, clusters: [] })).toEqual([]);
  });
});
