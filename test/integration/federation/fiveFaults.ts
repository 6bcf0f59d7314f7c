import { DEMOAPPLICATIONS, DEPLOYMENTS, type ResourceType } from "../../../src/runtime/index.ts";
import { demoApplication } from "../../builders/index.ts";
import type { TestFederation } from "./harness.ts";

const RESOURCEQUOTAS: ResourceType = {
  group: "",
  version: "v1",
  kind: "ResourceQuota",
  plural: "resourcequotas",
  namespaced: true,
};
const FINALIZER = "example.com/backup";
const billing = () => demoApplication("billing").replica(2);

/** The member of each fault that has a place. */
export interface FaultPlaces {
  quota: string;
  /** Its copy of `old` is not deleted, for a finalizer of somebody else. */
  stuck: string;
  slow: string;
  silent: string;
}

/** Five faults at once: a quota, a stuck finalizer, a slow member, a silent member, and an image that nobody has. */
export async function breakAll(federation: TestFederation, { quota, stuck, slow, silent }: FaultPlaces): Promise<void> {
  await federation.member(quota).server.create(RESOURCEQUOTAS, {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "pods", namespace: "default" },
    spec: { hard: { pods: "4" } },
  });
  await federation.member(stuck).server.edit(DEPLOYMENTS, "default", "old", (one) => {
    one.metadata.finalizers = [FINALIZER];
  });
  federation.member(slow).server.faults.set({ latencyMs: 2_500 });
  federation.member(silent).cutOff("silent");
  await federation.apply(DEMOAPPLICATIONS, billing().image("billing:does-not-exist"));
  await federation.delete(DEMOAPPLICATIONS, "old");
}

export async function mendAll(federation: TestFederation, { quota, stuck, slow, silent }: FaultPlaces): Promise<void> {
  federation.member(silent).comeBack();
  federation.member(slow).server.faults.set({ latencyMs: 0 });
  await federation.member(quota).server.delete(RESOURCEQUOTAS, "default", "pods");
  await federation.member(stuck).server.edit(DEPLOYMENTS, "default", "old", (one) => {
    one.metadata.finalizers = [];
  });
  await federation.apply(DEMOAPPLICATIONS, billing().image("billing:2"));
}
