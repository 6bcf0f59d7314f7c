import {
  applicationObject,
  clusterObject,
  clusterPlacementObject,
  placementObject,
} from "../../../test/builders/policyObjects.ts";
import type { KubeObject, MemberCluster, Placement } from "../../apis/index.ts";
import { clusterSnapshot } from "../../hub/index.ts";
import { judgeRequest } from "../admission/judge.ts";
import type { AdmissionFacts, AdmissionRequest } from "../admission/types.ts";
import { applicationFactsOf, factsOf, requestOf } from "./facts.ts";

export const NOW = Date.UTC(2026, 10, 21);
export const PROTECTION = "paas.cmft.com/deletion-protection";

export const labelled = (object: KubeObject, labels: Record<string, string>): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, labels },
});

export const create = (object: KubeObject): AdmissionRequest => requestOf("CREATE", object);
/** Creation of a ClusterPlacement with this selector. */
export const platformSelects = (selector: object): AdmissionRequest =>
  create(clusterPlacementObject(selecting(selector)));
/** Creation of a Placement with this selector. */
export const tenantSelects = (selector: object): AdmissionRequest => create(placementObject(selecting(selector)));

/** Problems of the request by field; empty when it is let through. */
export function said(request: AdmissionRequest, facts: Partial<AdmissionFacts> = {}): string {
  return judgeRequest(request, factsOf(facts), NOW)
    .problems.map(({ field, message }) => `${field}: ${message}`)
    .join("; ");
}

export const selecting = (selector: object) => ({ resourceSelectors: [selector] });
export const demo = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" };
export const cluster = (name: string) => clusterSnapshot(clusterObject({}, name) as unknown as MemberCluster);
export const everywhere = {
  ...clusterPlacementObject({}),
  spec: { resourceSelectors: [demo], replicaScheduling: { mode: "Duplicated" } },
} as unknown as Placement;
export const kubeconfig = clusterObject({ connection: { kubeconfigSecretRef: { name: "a" } } }, "a");
export const withPort = (protocol = "TCP") =>
  applicationObject({ ports: [{ port: 80, nodePort: 30_002, protocol }] }, "mine");
export const other = applicationFactsOf("theirs", { ports: [{ nodePort: 30_002, protocol: "TCP" }], clusters: ["a"] });
