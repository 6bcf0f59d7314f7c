import { describe, expect, test } from "vitest";
import {
  type KubeObject,
  MANAGED_BY_LABEL,
  type ManagedFieldsEntry,
  OBJECT_ANNOTATION,
  type ObjectMeta,
  OWNER_ANNOTATION,
  refKey,
  refOf,
} from "../../apis/index.ts";
import { judgeHolder } from "./holder.ts";
import { CONFIG_REF, OWNER } from "../testing/builders.ts";

const NAME = refKey(CONFIG_REF);
const ANOTHER = "/ConfigMap/default/another";
const owned = (uid = OWNER.uid): Record<string, string> => ({ [OWNER_ANNOTATION]: JSON.stringify({ ...OWNER, uid }) });
const applied: ManagedFieldsEntry = { manager: "meridian", operation: "Apply", apiVersion: "v1", fieldsV1: {} };

function configMap(metadata: Partial<ObjectMeta> = {}): KubeObject {
  const { name = "shop", namespace = "default" } = metadata;
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { uid: "there", ...metadata, name, namespace } };
}

const judge = (live: KubeObject): string => {
  const holder = judgeHolder(live, { owner: OWNER }, "hub", "meridian-of-mine");
  if (holder.kind !== "Stranger") return holder.kind;
  return holder.adoptable ? "Adoptable" : holder.why;
};

describe("who holds a name", () => {
  test.each<{ name: string; metadata: Partial<ObjectMeta>; want: string }>([
    { name: "nobody's", metadata: {}, want: "Adoptable" },
    {
      name: "what names itself and this hub",
      metadata: { labels: { [MANAGED_BY_LABEL]: "hub" }, annotations: { ...owned(), [OBJECT_ANNOTATION]: NAME } },
      want: "Ours",
    },
    {
      name: "the same of another hub object: its rows say what becomes of it",
      metadata: { labels: { [MANAGED_BY_LABEL]: "hub" }, annotations: { ...owned("b"), [OBJECT_ANNOTATION]: NAME } },
      want: "Ours",
    },
    {
      name: "without its label, what names itself and this life of the hub object",
      metadata: { annotations: { ...owned(), [OBJECT_ANNOTATION]: NAME } },
      want: "Ours",
    },
    {
      name: "without its label, what names another life of the hub object",
      metadata: { annotations: { ...owned("an earlier one"), [OBJECT_ANNOTATION]: NAME } },
      want: "Adoptable",
    },
    {
      name: "a copy of another object of ours",
      metadata: { labels: { [MANAGED_BY_LABEL]: "hub" }, annotations: { ...owned(), [OBJECT_ANNOTATION]: ANOTHER } },
      want: "Adoptable",
    },
    {
      name: "what has only our label",
      metadata: { labels: { [MANAGED_BY_LABEL]: "hub" } },
      want: "Adoptable",
    },
    {
      name: "what another hub keeps",
      metadata: { labels: { [MANAGED_BY_LABEL]: "another" }, managedFields: [applied] },
      want: "another hub (another) keeps it",
    },
    {
      name: "a copy of what another hub keeps",
      metadata: { labels: { [MANAGED_BY_LABEL]: "another" } },
      want: "Adoptable",
    },
    {
      name: "what is on its way out",
      metadata: { deletionTimestamp: "2026-01-01T00:00:00Z", labels: { [MANAGED_BY_LABEL]: "hub" } },
      want: "Leaving",
    },
    ...["kube-system", "kube-public", "kube-node-lease", "meridian-system", "meridian-of-mine"].map((namespace) => ({
      name: `anything in ${namespace}`,
      metadata: { namespace },
      want: `nothing in namespace ${namespace} is taken over`,
    })),
    {
      name: "what a controller keeps",
      metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Shop", name: "x", uid: "x", controller: true }] },
      want: "Shop x controls it",
    },
    {
      name: "what only goes with another object",
      metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Shop", name: "x", uid: "x" }] },
      want: "Adoptable",
    },
    {
      name: "the cluster's root certificate",
      metadata: { name: "kube-root-ca.crt" },
      want: "the cluster makes it for itself",
    },
    {
      name: "a role of every API server",
      metadata: { labels: { "kubernetes.io/bootstrapping": "rbac-defaults" } },
      want: "the cluster makes it for itself",
    },
    {
      name: "a flow schema of every API server",
      metadata: { annotations: { "apf.kubernetes.io/autoupdate-spec": "true" } },
      want: "the cluster makes it for itself",
    },
    { name: "a role of Kubernetes", metadata: { name: "system:node" }, want: "the cluster makes it for itself" },
    { name: "a priority", metadata: { name: "system-node-critical" }, want: "the cluster makes it for itself" },
    {
      name: "what Meridian itself works with there",
      metadata: { labels: { "federation.paas.cmft.com/joined-to": "h" } },
      want: "Meridian itself needs it",
    },
  ])("$name: $want", ({ metadata, want }) => expect(judge(configMap(metadata))).toBe(want));

  test.each(["Service", "EndpointSlice", "Endpoints"])("default/kubernetes is the cluster's own: %s", (kind) => {
    const at = (name: string, namespace: string): string => judge({ ...configMap({ name, namespace }), kind });
    expect(at("kubernetes", "default")).toBe("the cluster makes it for itself");
    expect(at("kubernetes", "team")).toBe("Adoptable");
    expect(at("shop", "default")).toBe("Adoptable");
  });

  test("the service account of every namespace is the cluster's own, and a ConfigMap of that name is not", () => {
    const at = (kind: string, name: string): string => judge({ ...configMap({ name, namespace: "team" }), kind });
    expect(at("ServiceAccount", "default")).toBe("the cluster makes it for itself");
    expect(at("ServiceAccount", "shop")).toBe("Adoptable");
    expect(at("ConfigMap", "default")).toBe("Adoptable");
  });

  test("what this hub applied under another name is nobody's any more, and no other hub's", () => {
    const annotations = { ...owned(), [OBJECT_ANNOTATION]: ANOTHER };
    expect(judge(configMap({ labels: { [MANAGED_BY_LABEL]: "hub" }, annotations, managedFields: [applied] }))).toBe(
      "Adoptable",
    );
  });

  test("what nobody's hub has labelled is nobody's, though Meridian applied it once", () => {
    expect(judge(configMap({ managedFields: [applied] }))).toBe("Adoptable");
  });

  test("the UID is that of what was judged", () => {
    const live = configMap();
    expect(judgeHolder(live, { owner: OWNER }, "hub", "x")).toMatchObject({ uid: live.metadata.uid });
    expect(refOf(live)).toEqual(CONFIG_REF);
  });
});
