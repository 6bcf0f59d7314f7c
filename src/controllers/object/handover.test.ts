import { describe, expect, test } from "vitest";
import {
  type ClusterStatusEntry,
  type FederatedStatus,
  type KubeObject,
  type ObjectRef,
  refKey,
} from "../../apis/index.ts";
import type { Observation, Row } from "../../desiredstate/index.ts";
import { whyNotYet } from "./handover.ts";
import { absent, applyRow as row, holdRow, observation } from "../testing/builders.ts";

const NONE = { desired: 1, updated: 1, ready: 1, available: 1 };
const SERVICE: ObjectRef = { apiVersion: "v1", kind: "Service", namespace: "default", name: "shop" };

function object(entry: Partial<ClusterStatusEntry> = {}, observedGeneration = 1): KubeObject {
  const cluster = {
    name: "shanghai-1",
    state: "Available",
    replicas: NONE,
    desiredHash: "h",
    observedHash: "h",
    ...entry,
  };
  return {
    apiVersion: "paas.cmft.com/v1",
    kind: "DemoApplication",
    metadata: { name: "shop", namespace: "default", uid: "app-1", generation: 1 },
    status: { observedGeneration, clusters: [cluster] },
  };
}

const there = (ref?: ObjectRef): Observation =>
  observation({ ...(ref === undefined ? {} : { ref }), present: { hash: "h1" } });

interface Case {
  name: string;
  object?: KubeObject;
  rows?: Row[];
  present?: Observation[];
  /** Clusters of which not everything is known. */
  unknown?: string[];
  want: string | undefined;
}

describe("an object is taken over", () => {
  test.each<Case>([
    { name: "when all of it is as it is to be", present: [there()], want: undefined },
    { name: "when it is to run nowhere and does not", rows: [], want: undefined },
    {
      name: "not before everything on its clusters is known",
      present: [there()],
      unknown: ["shanghai-1"],
      want: "what runs on shanghai-1 is not known yet",
    },
    {
      name: "though a cluster is out of everybody's reach",
      object: object({ state: "Unknown", reason: "ClusterUnreachable" }),
      unknown: ["shanghai-1"],
      want: undefined,
    },
    {
      name: "not when that would take something away",
      present: [there(), there(SERVICE)],
      want: "it would take Service shop off shanghai-1",
    },
    {
      name: "not while the class that owns it removes something",
      object: object({ state: "Removing" }),
      rows: [],
      present: [there()],
      want: "ConfigMap shop is being removed from shanghai-1",
    },
    {
      name: "not while a change is still to be carried out",
      object: object({}, 0),
      rows: [row({ hash: "h2" })],
      present: [there()],
      want: "ConfigMap shop on shanghai-1 is not as it is to be yet",
    },
    {
      name: "not while the class that owns it is writing",
      object: object({ state: "Progressing", reason: "Applying" }),
      rows: [row({ hash: "h2" })],
      present: [there()],
      want: "ConfigMap shop on shanghai-1 is not as it is to be yet",
    },
    {
      name: "when only the two releases differ about it",
      rows: [row({ hash: "h2" }), row({ ref: SERVICE })],
      present: [there()],
      want: undefined,
    },
    {
      name: "though pods are being rolled out",
      object: object({ state: "Progressing", reason: "RollingOut" }),
      present: [there()],
      want: undefined,
    },
    {
      name: "though it cannot be applied there",
      object: object({ state: "Failed", reason: "QuotaExceeded" }),
      want: undefined,
    },
    ...(
      [
        { state: "Failed", reason: "Applying" },
        { state: "Held", reason: "Applying" },
        { state: "Unknown", reason: "ClusterUnreachable" },
      ] as const
    ).map((entry) => ({
      name: `though it is not as it is to be there, which the class that owns it cannot change: ${entry.state}`,
      object: object({ ...entry, observedHash: "old" }),
      rows: [row({ hash: "h2" })],
      present: [there()],
      want: undefined,
    })),
    {
      name: "not while the class that owns it has a change to bring there, though nobody says how healthy it is",
      object: object({ state: "Unknown", reason: "NoReport", observedHash: "old" }),
      rows: [row({ hash: "h2" })],
      present: [there()],
      want: "ConfigMap shop on shanghai-1 is not as it is to be yet",
    },
    {
      name: "though nobody says how healthy it is, when only the two releases differ about it",
      object: object({ state: "Unknown", reason: "NoReport" }),
      rows: [row({ hash: "h2" })],
      present: [there()],
      want: undefined,
    },
    {
      name: "not while the class that owns it has another state of it to bring there",
      object: object({ observedHash: "old" }),
      rows: [row({ hash: "h2" })],
      present: [there()],
      want: "ConfigMap shop on shanghai-1 is not as it is to be yet",
    },
    {
      name: "not while the class that owns it removes something that is to be another",
      object: object({ state: "Progressing", reason: "Removing" }),
      rows: [row({ hash: "h2" })],
      present: [there()],
      want: "ConfigMap shop on shanghai-1 is not as it is to be yet",
    },
    {
      name: "not while a copy that is as it is to be is on its way out",
      object: object({}, 0),
      present: [observation({ present: { hash: "h1", deleting: true } })],
      want: "ConfigMap shop on shanghai-1 is not as it is to be yet",
    },
    {
      name: "where the class that owns it does not want it",
      object: object({ name: "frankfurt-1" }),
      want: undefined,
    },
    {
      name: "when what is there is held as wanted",
      rows: [holdRow()],
      present: [there()],
      want: undefined,
    },
    {
      name: "not when what is there would be held until it may go",
      rows: [holdRow({ wanted: false })],
      present: [there()],
      want: "it would take ConfigMap shop off shanghai-1",
    },
    {
      name: "though a copy was forgotten that is not there",
      rows: [],
      present: [absent()],
      want: undefined,
    },
    {
      name: "though copies are on a cluster that is out of everybody's reach, whatever they are",
      object: object({ state: "Unknown", reason: "ClusterUnreachable" }, 0),
      rows: [row({ hash: "h2" })],
      present: [there(), there(SERVICE)],
      unknown: ["shanghai-1"],
      want: undefined,
    },
    {
      name: "not before a cluster is known on which only a copy or a status tells of it",
      rows: [],
      present: [observation({ cluster: "beijing-1" })],
      unknown: ["shanghai-1", "beijing-1"],
      want: "what runs on beijing-1 is not known yet",
    },
    {
      name: "not while it has no status, and is not there",
      object: { ...object(), status: undefined },
      want: "ConfigMap shop on shanghai-1 is not as it is to be yet",
    },
    {
      name: "not when that would take something away that its status does not tell of",
      object: object({ name: "frankfurt-1" }),
      rows: [],
      present: [there()],
      want: "it would take ConfigMap shop off shanghai-1",
    },
    {
      name: "though a change is still to be carried out, where all is as it is to be already",
      object: object({}, 0),
      present: [there()],
      want: undefined,
    },
    {
      name: "though a change is still to be carried out, where what is there is held",
      object: object({}, 0),
      rows: [holdRow()],
      present: [there()],
      want: undefined,
    },
    {
      name: "when its status names no cluster, and what is there is as it is to be",
      object: { ...object(), status: { observedGeneration: 1 } },
      present: [there()],
      want: undefined,
    },
  ])("$name", ({ object: given = object(), rows = [row()], present = [], unknown = [], want }) => {
    const why = whyNotYet({
      object: given,
      status: given["status"] as FederatedStatus | undefined,
      rows,
      clusters: ["shanghai-1"],
      present,
      find: ({ ref }) => present.find((one) => refKey(one.ref) === refKey(ref)),
      isKnown: (cluster) => !unknown.includes(cluster),
      exists: () => true,
    });
    expect(why).toBe(want);
  });

  test("though a cluster of it is gone", () => {
    const why = whyNotYet({
      object: object(),
      status: object()["status"] as FederatedStatus,
      rows: [row()],
      clusters: ["shanghai-1"],
      present: [there()],
      find: () => undefined,
      isKnown: () => false,
      exists: () => false,
    });
    expect(why).toBeUndefined();
  });
});
