import type { KubeObject } from "../../src/apis/index.ts";
import type { Api } from "../envtest/index.ts";

/** A revision of a hub object, as it stands on the hub. */
export interface StoredRevision extends KubeObject {
  data: { object: KubeObject; overrides: unknown[] };
}

export const revisionsPath = (namespace: string): string => `/apis/apps/v1/namespaces/${namespace}/controllerrevisions`;

/** The revisions of that object, the oldest first. */
export async function revisionsOf(api: Api, { metadata }: Pick<KubeObject, "metadata">): Promise<StoredRevision[]> {
  const found = await api.list<StoredRevision>(revisionsPath(metadata.namespace ?? ""));
  return found
    .filter(({ metadata: { ownerReferences } }) => ownerReferences?.[0]?.uid === metadata.uid)
    .toSorted((a, b) => Number(a["revision"]) - Number(b["revision"]));
}

/** Puts other data into a revision. The API server keeps the data of a revision as it is, so another one of that name takes its place. */
export async function forge(api: Api, revision: StoredRevision, data: unknown): Promise<void> {
  const { name, namespace = "", labels, annotations, ownerReferences } = revision.metadata;
  await api.delete(`${revisionsPath(namespace)}/${name}`);
  const metadata = { name, namespace, labels, annotations, ownerReferences };
  await api.create(revisionsPath(namespace), { ...revision, metadata, data });
}

const POWERFUL = {
  apiVersion: "federation.paas.cmft.com/v1alpha1",
  kind: "ClusterOverridePolicy",
  metadata: { name: "of-the-administrators" },
  spec: {
    resourceSelectors: [{ apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" }],
    rules: [
      {
        patches: [
          { kind: "Deployment", op: "add", path: "/spec/template/spec/hostPID", value: true },
          { kind: "Deployment", op: "add", path: "/spec/template/spec/serviceAccountName", value: "admin" },
        ],
      },
    ],
  },
};

/** What a tenant would like to have been good, by the name of the application that is attacked with it. */
export const FORGERIES: Readonly<Record<string, (data: StoredRevision["data"], victim: string) => unknown>> = {
  "takes-rights": (data) => ({ ...data, overrides: [POWERFUL] }),
  "takes-a-namespace": (data, victim) => {
    const { metadata, ...rest } = data.object;
    return { ...data, object: { ...rest, metadata: { ...metadata, namespace: victim } } };
  },
  "is-malformed": () => ({ object: 7, overrides: "none" }),
};
