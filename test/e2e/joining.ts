import { expect } from "vitest";
import { parse } from "yaml";
import type { KubeObject } from "../../src/apis/index.ts";
import {
  type CommandResult,
  eventually,
  type Fleet,
  type FleetMember,
  meridian,
  type Plane,
} from "../envtest/index.ts";

export const SECRETS = "/api/v1/namespaces/meridian-system/secrets";
export const MEMBERS = "/apis/federation.paas.cmft.com/v1alpha1/memberclusters";

/** `meridian join` of a member under its own name. */
export function joining(fleet: Fleet<Plane>, member: FleetMember<Plane>, ...more: string[]): Promise<CommandResult> {
  return meridian(fleet.hub, ["join", member.name, "--member-kubeconfig", member.plane.kubeconfigFile, ...more]);
}

/** The same with the kubeconfig of any cluster, under any name. */
export function joiningAs(fleet: Fleet<Plane>, name: string, kubeconfigFile: string): Promise<CommandResult> {
  return meridian(fleet.hub, ["join", name, "--member-kubeconfig", kubeconfigFile, "--region", "x"]);
}

/** Everything that join ever makes on a member. */
export async function traces(member: FleetMember<Plane>): Promise<string[]> {
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const lists = await Promise.all(
    [
      "/api/v1/namespaces",
      "/api/v1/serviceaccounts",
      ...["clusterroles", "clusterrolebindings", "roles", "rolebindings"].map((plural) => `${rbac}/${plural}`),
    ].map((path) => member.plane.api.list(`${path}?labelSelector=federation.paas.cmft.com/joined-to`)),
  );
  return lists.flatMap((items, index) => items.map(({ metadata }) => `${index}/${metadata.name}`));
}

/** The kubeconfig that the hub stores of a member. */
export async function storedKubeconfig(
  fleet: Fleet<Plane>,
  name: string,
): Promise<{ server: string; ca: string; token: string }> {
  const secret = await fleet.hub.api.get<KubeObject & { data: Record<string, string> }>(`${SECRETS}/${name}`);
  const config = parse(Buffer.from(secret.data["kubeconfig"] ?? "", "base64").toString()) as {
    clusters: { cluster: { server: string; "certificate-authority-data": string } }[];
    users: { user: { token: string } }[];
  };
  const [cluster] = config.clusters;
  const [user] = config.users;
  if (cluster === undefined || user === undefined) throw new Error("the stored kubeconfig is not complete");
  return {
    server: cluster.cluster.server,
    ca: Buffer.from(cluster.cluster["certificate-authority-data"], "base64").toString(),
    token: user.user.token,
  };
}

/** A manager holds the Lease: join waits for what it says of the member. */
export async function untilLed(fleet: Fleet<Plane>): Promise<void> {
  await eventually(async () => {
    const lease = await fleet.hub.api.get<KubeObject & { spec: { holderIdentity?: string } }>(
      "/apis/coordination.k8s.io/v1/namespaces/meridian-system/leases/meridian",
    );
    expect(lease.spec.holderIdentity).toBeTruthy();
  });
}
