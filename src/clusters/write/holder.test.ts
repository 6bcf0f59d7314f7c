import { describe, expect, test } from "vitest";
import {
  JOINED_TO_LABEL,
  type KubeObject,
  MANAGED_BY_LABEL,
  type ManagedFieldsEntry,
  OBJECT_ANNOTATION,
  type ObjectMeta,
  OWNER_ANNOTATION,
  refKey,
} from "../../apis/index.ts";
import { judgeHolder } from "./holder.ts";
import { CONFIG_REF, OWNER } from "../testing/builders.ts";

const owned = (uid = OWNER.uid) => ({ [OWNER_ANNOTATION]: JSON.stringify({ ...OWNER, uid }) });
const named = (ref = CONFIG_REF) => ({ [OBJECT_ANNOTATION]: refKey(ref) });
const another = named({ ...CONFIG_REF, name: "another" });
const hub = (name: string) => ({ labels: { [MANAGED_BY_LABEL]: name } });
const applied: ManagedFieldsEntry = { manager: "meridian", operation: "Apply", apiVersion: "v1", fieldsV1: {} };
const reference = { apiVersion: "v1", kind: "Shop", name: "x", uid: "x" };
const CLUSTERS_OWN = "the cluster makes it for itself";

const judge = (metadata: Partial<ObjectMeta>, kind = "ConfigMap"): string => {
  const { name = "shop", namespace = "default" } = metadata;
  const live: KubeObject = { apiVersion: "v1", kind, metadata: { uid: "there", ...metadata, name, namespace } };
  const holder = judgeHolder(live, { owner: OWNER }, "hub", "meridian-of-mine");
  if (holder.kind !== "Leaving") expect(holder.uid).toBe("there");
  if (holder.kind !== "Stranger") return holder.kind;
  return holder.why ?? "Adoptable";
};

describe("the holder of a name", () => {
  test.each<[string, Partial<ObjectMeta>, string]>([
    ["without marks", {}, "Adoptable"],
    ["with its own name and our label", { ...hub("hub"), annotations: { ...owned(), ...named() } }, "Ours"],
    // The rows of the other hub object say what becomes of it.
    ["of another hub object of ours", { ...hub("hub"), annotations: { ...owned("b"), ...named() } }, "Ours"],
    ["without our label, of this owner", { annotations: { ...owned(), ...named() } }, "Ours"],
    ["without our label, of an earlier owner", { annotations: { ...owned("earlier"), ...named() } }, "Adoptable"],
    ["with the name of another object", { ...hub("hub"), annotations: { ...owned(), ...another } }, "Adoptable"],
    [
      "with the name of another object, applied by us",
      { ...hub("hub"), annotations: { ...owned(), ...another }, managedFields: [applied] },
      "Adoptable",
    ],
    ["with our label alone", hub("hub"), "Adoptable"],
    ["applied by Meridian, without a label", { managedFields: [applied] }, "Adoptable"],
    ["of another hub", { ...hub("another"), managedFields: [applied] }, "another hub (another) keeps it"],
    ["copied from another hub's object", hub("another"), "Adoptable"],
    ["that is being deleted", { ...hub("hub"), deletionTimestamp: "2026-01-01T00:00:00Z" }, "Leaving"],
    ...["kube-system", "kube-public", "kube-node-lease", "meridian-system", "meridian-of-mine"].map(
      (namespace): [string, Partial<ObjectMeta>, string] => [
        `in ${namespace}`,
        { namespace },
        `nothing in namespace ${namespace} is taken over`,
      ],
    ),
    ["of a controller", { ownerReferences: [{ ...reference, controller: true }] }, "Shop x controls it"],
    ["with an owner that is no controller", { ownerReferences: [reference] }, "Adoptable"],
    ["kube-root-ca.crt", { name: "kube-root-ca.crt" }, CLUSTERS_OWN],
    ["with the bootstrapping label", { labels: { "kubernetes.io/bootstrapping": "rbac-defaults" } }, CLUSTERS_OWN],
    ["of a flow schema", { annotations: { "apf.kubernetes.io/autoupdate-spec": "true" } }, CLUSTERS_OWN],
    ["system:node", { name: "system:node" }, CLUSTERS_OWN],
    ["system-node-critical", { name: "system-node-critical" }, CLUSTERS_OWN],
    ["of Meridian itself", { labels: { [JOINED_TO_LABEL]: "h" } }, "Meridian itself needs it"],
  ])("%s", (_, metadata, want) => expect(judge(metadata)).toBe(want));

  test.each([
    ...["Service", "EndpointSlice", "Endpoints"].flatMap((kind): [string, string, string, string][] => [
      [kind, "default", "kubernetes", CLUSTERS_OWN],
      [kind, "team", "kubernetes", "Adoptable"],
      [kind, "default", "shop", "Adoptable"],
    ]),
    ["ServiceAccount", "team", "default", CLUSTERS_OWN],
    ["ServiceAccount", "team", "shop", "Adoptable"],
    ["ConfigMap", "team", "default", "Adoptable"],
  ] as const)("%s %s/%s: %s", (kind, namespace, name, want) => expect(judge({ namespace, name }, kind)).toBe(want));
});
