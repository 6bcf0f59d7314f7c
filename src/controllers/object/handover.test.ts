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
import { absent, applyRow as row, CLUSTER, holdRow, observation } from "../testing/builders.ts";

const NONE = { desired: 1, updated: 1, ready: 1, available: 1 };
const SERVICE: ObjectRef = { apiVersion: "v1", kind: "Service", namespace: "default", name: "shop" };
const there = (ref?: ObjectRef): Observation =>
  observation({ ...(ref === undefined ? {} : { ref }), present: { hash: "h1" } });
const RIGHT = [there()];
const OTHER_STATE = [row({ hash: "h2" })];
const TAKES_OFF = `it would take ConfigMap shop off ${CLUSTER}`;
const DIFFERS = `ConfigMap shop on ${CLUSTER} is not as it is to be yet`;

interface Case {
  /** The entry of the owning class for the cluster, where it differs from one of a healthy copy; "none": no entry. */
  entry?: Partial<ClusterStatusEntry> | "none";
  /** The owning class has not observed the present generation. */
  stale?: boolean;
  noStatus?: boolean;
  /** The rows that this manager would set. */
  rows?: Row[];
  present?: Observation[];
  /** Clusters of which not everything is known. */
  unknown?: string[];
  gone?: boolean;
}

describe("an object is claimed", () => {
  const UNREACHABLE = { state: "Unknown", reason: "ClusterUnreachable" } as const;
  const NO_REPORT = { state: "Unknown", reason: "NoReport" } as const;
  test.each<[string, Case, string | undefined]>([
    ["if every copy is in sync", { present: RIGHT }, undefined],
    ["if it runs nowhere and must run nowhere", { rows: [] }, undefined],
    [
      "not while a cluster is unknown",
      { present: RIGHT, unknown: [CLUSTER] },
      `what runs on ${CLUSTER} is not known yet`,
    ],
    ["if the owner cannot reach the unknown cluster either", { entry: UNREACHABLE, unknown: [CLUSTER] }, undefined],
    ["not if a copy would go", { present: [there(), there(SERVICE)] }, `it would take Service shop off ${CLUSTER}`],
    [
      "not while the owner removes a copy",
      { entry: { state: "Removing" }, rows: [], present: RIGHT },
      `ConfigMap shop is being removed from ${CLUSTER}`,
    ],
    ["not while the owner has a generation to apply", { stale: true, rows: OTHER_STATE, present: RIGHT }, DIFFERS],
    [
      "not while the owner writes",
      { entry: { state: "Progressing", reason: "Applying" }, rows: OTHER_STATE, present: RIGHT },
      DIFFERS,
    ],
    [
      "not while the owner has content to apply",
      { entry: { observedHash: "old" }, rows: OTHER_STATE, present: RIGHT },
      DIFFERS,
    ],
    [
      "not while the owner has content to apply to a copy without a report",
      { entry: { ...NO_REPORT, observedHash: "old" }, rows: OTHER_STATE, present: RIGHT },
      DIFFERS,
    ],
    [
      "if only the releases of the managers differ",
      { rows: [...OTHER_STATE, row({ ref: SERVICE })], present: RIGHT },
      undefined,
    ],
    ["if the member refuses the copy", { entry: { state: "Failed", reason: "QuotaExceeded" } }, undefined],
    ...[
      { state: "Failed", reason: "Applying" } as const,
      { state: "Held", reason: "Applying" } as const,
      UNREACHABLE,
    ].map((entry): [string, Case, undefined] => [
      `if the owner cannot apply its content: ${entry.state}`,
      { entry: { ...entry, observedHash: "old" }, rows: OTHER_STATE, present: RIGHT },
      undefined,
    ]),
    [
      "not while a copy is being deleted",
      { stale: true, present: [observation({ present: { deleting: true } })] },
      DIFFERS,
    ],
    ["if the owner does not want the object on the cluster", { entry: "none" }, undefined],
    ["not if a copy would go that the status does not name", { entry: "none", rows: [], present: RIGHT }, TAKES_OFF],
    ["if a copy is held as wanted", { rows: [holdRow()], present: RIGHT }, undefined],
    ["not if a copy would be held until it may go", { rows: [holdRow({ wanted: false })], present: RIGHT }, TAKES_OFF],
    ["if only an absent copy has no row", { rows: [], present: [absent()] }, undefined],
    [
      "whatever copies an unreachable cluster has",
      { entry: UNREACHABLE, stale: true, rows: OTHER_STATE, present: [there(), there(SERVICE)], unknown: [CLUSTER] },
      undefined,
    ],
    [
      "not before a cluster is known that only a copy names",
      { rows: [], present: [observation({ cluster: "beijing-1" })], unknown: [CLUSTER, "beijing-1"] },
      "what runs on beijing-1 is not known yet",
    ],
    ["not without a status and without a copy", { noStatus: true }, DIFFERS],
    ["at a stale status, if every copy is in sync", { stale: true, present: RIGHT }, undefined],
    ["if one of its clusters is gone", { gone: true, unknown: [CLUSTER], present: RIGHT }, undefined],
  ])(
    "%s",
    (_, { entry = {}, stale = false, noStatus = false, rows = [row()], present = [], unknown = [], gone }, want) => {
      const cluster = {
        name: CLUSTER,
        state: "Available",
        replicas: NONE,
        desiredHash: "h",
        observedHash: "h",
      } as const;
      const clusters = entry === "none" ? [] : [{ ...cluster, ...entry }];
      const status: FederatedStatus = { observedGeneration: stale ? 0 : 1, clusters };
      const object: KubeObject = {
        apiVersion: "paas.cmft.com/v1",
        kind: "DemoApplication",
        metadata: { name: "shop", namespace: "default", uid: "app-1", generation: 1 },
      };
      const why = whyNotYet({
        object,
        status: noStatus ? undefined : status,
        rows,
        clusters: [CLUSTER],
        present,
        find: ({ ref }) => (gone === true ? undefined : present.find((one) => refKey(one.ref) === refKey(ref))),
        isKnown: (name) => !unknown.includes(name),
        exists: () => gone !== true,
      });
      expect(why).toBe(want);
    },
  );
});
