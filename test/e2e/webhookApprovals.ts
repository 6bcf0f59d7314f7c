import { bindingName, type KubeObject, ROLLOUT_APPROVALS_ANNOTATION } from "../../src/apis/index.ts";
import { CommandFailure, eventually } from "../envtest/index.ts";
import type { WebhookHub } from "./webhookHub.ts";
import { applicationOf, policyOf } from "./webhookRefusals.ts";

/** An object on which people approve stages of a rollout. */
export interface Holder {
  kind: string;
  version: string;
  name: string;
  namespace: string | undefined;
  subresources: readonly string[];
}

/** As kubectl takes it. */
export function target({ kind, version, name, namespace }: Holder): string[] {
  const group = kind === "DemoApplication" ? "paas.cmft.com" : "federation.paas.cmft.com";
  return [`${kind.toLowerCase()}.${version}.${group}`, name, ...(namespace === undefined ? [] : ["-n", namespace])];
}

interface Approval {
  by?: string;
  stage?: string;
  revision?: number;
  run?: string;
  also?: Record<string, string>;
}

export function approvalsOf({ by = "", stage = "canary", revision = 1, run, also = {} }: Approval): string {
  return JSON.stringify({ revision, run: run ?? "2026-11-22T08:00:00Z", approvals: { [stage]: by, ...also } });
}

/** Writes the approval as that user, who may do everything. Returns what kubectl says where the hub refuses; empty where it does not. */
export async function approve(
  hooks: WebhookHub,
  holder: Holder,
  { as, text, ...approval }: Approval & { as: string; text?: string },
): Promise<string> {
  const annotation = `${ROLLOUT_APPROVALS_ANNOTATION}=${text ?? approvalsOf(approval)}`;
  try {
    const user = [`--as=${as}`, "--as-group=system:masters"];
    await hooks.kubectl(["annotate", ...target(holder), "--overwrite", annotation, ...user]);
    return "";
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    return error.result.stderr;
  }
}

/** One object of each kind that holds approvals, and a DemoApplication in each version. */
export async function holdersIn(hooks: WebhookHub, namespace: string): Promise<Holder[]> {
  await hooks.apply(applicationOf("one", { image: "nginx" }, namespace));
  await hooks.apply(applicationOf("other", { image: "nginx" }, namespace));
  const settings = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings", namespace } };
  await hooks.apply(policyOf("ManifestBundle", namespace, { manifests: [settings] }, "parts"));
  const storage = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata: { name: namespace } };
  await hooks.apply(settings);
  await hooks.apply({ ...storage, provisioner: "example.com/none" } as KubeObject);
  const selecting = ({ apiVersion, kind, metadata: { name } }: typeof storage) => ({
    resourceSelectors: [{ apiVersion, kind, name }],
  });
  await hooks.apply(policyOf("Placement", namespace, selecting(settings), "settings"));
  await hooks.apply(policyOf("ClusterPlacement", undefined, selecting(storage), namespace));
  const demo = { kind: "DemoApplication", namespace };
  const holders: Holder[] = [
    { ...demo, version: "v1", name: "one", subresources: ["status", "scale"] },
    { ...demo, version: "v1beta1", name: "other", subresources: [] },
    { kind: "ManifestBundle", version: "v1alpha1", name: "parts", namespace, subresources: ["status"] },
    ...[settings, storage].map((placed) => {
      const where = placed === settings ? { namespace } : {};
      const { apiVersion, kind, metadata } = placed;
      return {
        kind: placed === settings ? "ResourceBinding" : "ClusterResourceBinding",
        ...{ version: "v1alpha1", name: bindingName({ apiVersion, kind, name: metadata.name, ...where }) },
        ...{ namespace: placed === settings ? namespace : undefined, subresources: ["status"] },
      };
    }),
  ];
  for (const holder of holders) await eventually(() => hooks.kubectl(["get", ...target(holder)]));
  return holders;
}
