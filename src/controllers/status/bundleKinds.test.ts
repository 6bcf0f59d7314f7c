import { expect, test } from "vitest";
import { type FederatedStatus, type KubeObject, type ObjectRef, refKey } from "../../apis/index.ts";
import { type RecordedObject, recordedKindsOf } from "./bundleKinds.ts";
import type { Plan } from "../states/index.ts";
import { applyRow, CLUSTER, CONFIG_REF, inContact, SHOP, workTables } from "../testing/builders.ts";

const OWNER = refKey(SHOP);
const INGRESS: ObjectRef = { ...CONFIG_REF, apiVersion: "networking.k8s.io/v1", kind: "Ingress" };
const DEPLOYMENT: ObjectRef = { ...CONFIG_REF, apiVersion: "apps/v1", kind: "Deployment" };
const BUNDLE: RecordedObject["interpreter"] = { holdsManifests: true };
const MORE: RecordedObject["interpreter"] = { becomesMore: () => true };
const NO_MORE: RecordedObject["interpreter"] = { becomesMore: () => false };
const [INGRESSES, DEPLOYMENTS] = ["Ingress.networking.k8s.io", "Deployment.apps"];
const object = { apiVersion: "v1", kind: "X", metadata: { name: "shop" } } as KubeObject;
const recorded = (kinds?: string[], ...clusters: string[]): FederatedStatus =>
  ({ observedGeneration: 1, clusters: [], unlistedClusters: clusters, ...(kinds && { kinds }) }) as FederatedStatus;
const rendering = (...refs: ObjectRef[]): Pick<Plan, "target"> => {
  const dependency = { ref: { ...CONFIG_REF, kind: "Secret" }, role: "dependency" };
  const objects = [...refs.map((ref) => ({ ref, role: "rendered" })), dependency];
  return { target: { clusters: [{ name: CLUSTER, objects }] } } as unknown as Pick<Plan, "target">;
};

interface Case {
  interpreter?: RecordedObject["interpreter"];
  plan?: Pick<Plan, "target">;
  /** The objects of the rows. */
  asked?: readonly ObjectRef[];
  previous?: FederatedStatus;
  /** Contact with the cluster, if it is not fully synced. */
  contact?: Partial<typeof inContact>;
}
const UNKNOWN = { synced: false };

test.each<[string, Case, string[] | undefined]>([
  ["nothing, if all its kinds are always watched", { interpreter: NO_MORE, plan: rendering(DEPLOYMENT) }, undefined],
  ["the kinds that are not always watched", { interpreter: MORE, plan: rendering(DEPLOYMENT, INGRESS) }, [INGRESSES]],
  [
    "all kinds of a bundle, without its dependencies",
    { plan: rendering(INGRESS, DEPLOYMENT) },
    [DEPLOYMENTS, INGRESSES],
  ],
  ["the kinds of its rows", { asked: [INGRESS] }, [INGRESSES]],
  [
    "a former kind, while a recorded cluster is unknown",
    { interpreter: NO_MORE, previous: recorded([INGRESSES], CLUSTER), contact: UNKNOWN },
    [INGRESSES],
  ],
  [
    "no former kind, if every recorded cluster is known",
    { interpreter: NO_MORE, previous: recorded([INGRESSES], CLUSTER) },
    [],
  ],
  [
    "the former kind that a cluster does not show, and no other",
    {
      plan: { target: undefined },
      previous: recorded([INGRESSES, DEPLOYMENTS], CLUSTER),
      contact: { synced: false, partlySynced: true, unreadable: new Map([["networking.k8s.io/Ingress", "forbidden"]]) },
    },
    [INGRESSES],
  ],
])("an object records %s", (_, { interpreter = BUNDLE, asked = [], previous, ...given }, want) => {
  const all = workTables();
  all.observations.contact(CLUSTER, { ...inContact, ...given.contact });
  all.assignments.replace(
    OWNER,
    asked.map((ref) => applyRow({ ref })),
  );
  const { plan = { target: undefined } } = given;
  expect(recordedKindsOf(all, { owner: OWNER, object, interpreter }, plan, previous)).toEqual(want);
});
