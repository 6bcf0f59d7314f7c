import { describe, expect, test } from "vitest";
import { type FederatedStatus, type KubeObject, type ObjectRef, refKey } from "../../apis/index.ts";
import { Emitter } from "../../runtime/index.ts";
import { Assignments } from "../tables/assignments.ts";
import { type RecordedObject, recordedKindsOf } from "./bundleKinds.ts";
import { Observations } from "../tables/observations.ts";
import type { Plan } from "../tables/plans.ts";
import { applyRow, CLUSTER, inContact, SHOP } from "../testing/builders.ts";

const OWNER = refKey(SHOP);
const INGRESS: ObjectRef = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", namespace: "default", name: "shop" };
const DEPLOYMENT: ObjectRef = { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "shop" };
const BUNDLE: RecordedObject["interpreter"] = { holdsManifests: true };
const MORE: RecordedObject["interpreter"] = { becomesMore: () => true };
const NO_MORE: RecordedObject["interpreter"] = { becomesMore: () => false };
const INGRESSES = "Ingress.networking.k8s.io";
const DEPLOYMENTS = "Deployment.apps";
const object = { apiVersion: "v1", kind: "X", metadata: { name: "shop" } } as KubeObject;

const recorded = (kinds?: string[], ...clusters: string[]): FederatedStatus =>
  ({ observedGeneration: 1, clusters: [], unlistedClusters: clusters, ...(kinds && { kinds }) }) as FederatedStatus;
const target = (...objects: { ref: ObjectRef; role: string }[]): Pick<Plan, "target"> =>
  ({ target: { clusters: [{ name: CLUSTER, objects }] } }) as unknown as Pick<Plan, "target">;
const rendered = (ref: ObjectRef) => ({ ref, role: "rendered" });

describe("the kinds in the record of an object", () => {
  interface Case {
    name: string;
    interpreter: RecordedObject["interpreter"];
    plan?: Pick<Plan, "target">;
    /** What is asked for on a member. */
    asked?: readonly ObjectRef[];
    previous?: FederatedStatus;
    /** Everything on the member is known. */
    synced?: boolean;
    want: string[] | undefined;
  }
  test.each<Case>([
    {
      name: "are none where it becomes nothing but what is watched everywhere",
      interpreter: NO_MORE,
      plan: target(rendered(DEPLOYMENT)),
      want: undefined,
    },
    {
      name: "are none where nobody asks whether it becomes more",
      interpreter: {},
      previous: recorded(),
      want: undefined,
    },
    {
      name: "are those beside what is watched everywhere",
      interpreter: MORE,
      plan: target(rendered(DEPLOYMENT), rendered(INGRESS)),
      want: [INGRESSES],
    },
    {
      name: "of a bundle are all that it becomes, in order, and not what goes along",
      interpreter: BUNDLE,
      plan: target(rendered(INGRESS), rendered(DEPLOYMENT), {
        ref: { apiVersion: "v1", kind: "Secret", namespace: "default", name: "x" },
        role: "dependency",
      }),
      want: [DEPLOYMENTS, INGRESSES],
    },
    { name: "are those that are asked for, planned or not", interpreter: BUNDLE, asked: [INGRESS], want: [INGRESSES] },
    { name: "of a bundle without plan and rows are none", interpreter: BUNDLE, plan: { target: undefined }, want: [] },
    {
      name: "stay while a cluster of the record is not known to have none",
      interpreter: NO_MORE,
      previous: recorded([INGRESSES], CLUSTER),
      synced: false,
      want: [INGRESSES],
    },
    {
      name: "go when every cluster of the record is known to have none",
      interpreter: NO_MORE,
      previous: recorded([INGRESSES], CLUSTER),
      want: [],
    },
    {
      name: "stay while one of several clusters is not known to have none",
      interpreter: NO_MORE,
      previous: recorded([INGRESSES], CLUSTER, "elsewhere"),
      want: [INGRESSES],
    },
    {
      name: "stand there once, when they stay and are asked for",
      interpreter: BUNDLE,
      asked: [INGRESS],
      previous: recorded([INGRESSES, "ConfigMap"], CLUSTER),
      synced: false,
      want: ["ConfigMap", INGRESSES],
    },
  ])("$name", ({ interpreter, plan = target(), asked = [], previous, synced = true, want }) => {
    const observations = new Observations();
    const assignments = new Assignments({
      observations,
      kinds: { memberKinds: () => [], onChange: () => new DisposableStack() },
      expected: () => [],
      others: { needing: () => [], needs: new Emitter() },
      monotonic: () => 0,
    });
    observations.contact(CLUSTER, { ...inContact, synced });
    assignments.replace(
      OWNER,
      asked.map((ref) => applyRow({ ref })),
    );
    const sources = { assignments, observations };
    expect(recordedKindsOf(sources, { owner: OWNER, object, interpreter }, plan, previous)).toEqual(want);
  });

  test("stay for the kind alone that a cluster does not show", () => {
    const observations = new Observations();
    const assignments = { of: () => [] } as unknown as Assignments;
    const unseen = new Map([["networking.k8s.io/Ingress", "forbidden"]]);
    observations.contact(CLUSTER, { ...inContact, synced: false, partlySynced: true, unseen });
    const previous = recorded([INGRESSES, DEPLOYMENTS], CLUSTER);
    const given = { owner: OWNER, object, interpreter: BUNDLE };
    expect(recordedKindsOf({ assignments, observations }, given, { target: undefined }, previous)).toEqual([INGRESSES]);
  });
});
