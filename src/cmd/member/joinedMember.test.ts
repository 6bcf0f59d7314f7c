import { describe, expect, test } from "vitest";
import type { MemberCluster } from "../../apis/index.ts";
import { isLeaseHeld } from "../shared/connection.ts";
import {
  checkIdentity,
  kubeconfigSecret,
  memberCluster,
  MEMBER_UID_ANNOTATION,
  reachedNamespaces,
} from "./joinedMember.ts";
import { memberAccess } from "./memberAccess.ts";

const options = {
  region: "cn-shanghai",
  zone: "cn-shanghai-b",
  provider: "aliyun",
  labels: { tier: "edge" },
  taints: [],
};

const secretFor = (namespaces?: string[]) =>
  kubeconfigSecret("shanghai-1", "meridian-system", {
    access: memberAccess("0f3c1d2e-0000", "meridian-system", { namespaces }),
    memberUid: "uid-m",
    kubeconfig: "text",
    issuedAt: Date.UTC(2026, 10, 21, 8),
    expiresAt: Date.UTC(2026, 10, 22, 8),
  });

function member(name: string, uids: { status?: string; annotation?: string }, deleted = false): MemberCluster {
  return {
    apiVersion: "federation.paas.cmft.com/v1alpha1",
    kind: "MemberCluster",
    metadata: {
      name,
      ...(uids.annotation === undefined ? {} : { annotations: { [MEMBER_UID_ANNOTATION]: uids.annotation } }),
      ...(deleted ? { deletionTimestamp: "2026-11-21T08:00:00Z" } : {}),
    },
    spec: { connection: {}, deletionPolicy: "Orphan" },
    ...(uids.status === undefined ? {} : { status: { clusterUID: uids.status } }),
  };
}

test("the MemberCluster has the shape of the contract", () => {
  expect(memberCluster("shanghai-1", "uid-m", options, undefined)).toEqual({
    apiVersion: "federation.paas.cmft.com/v1alpha1",
    kind: "MemberCluster",
    metadata: {
      name: "shanghai-1",
      labels: {
        tier: "edge",
        "topology.kubernetes.io/region": "cn-shanghai",
        "topology.kubernetes.io/zone": "cn-shanghai-b",
      },
      annotations: { "federation.paas.cmft.com/joined-cluster-uid": "uid-m" },
    },
    spec: { provider: "aliyun", connection: { kubeconfigSecretRef: { name: "shanghai-1", key: "kubeconfig" } } },
  });
});

test("the Secret names the account of its token and the time to renew the token", () => {
  const secret = secretFor();
  expect(secret.metadata.annotations).toEqual({
    "federation.paas.cmft.com/joined-cluster-uid": "uid-m",
    "federation.paas.cmft.com/service-account": "meridian-system/meridian-0f3c1d2e",
    "federation.paas.cmft.com/token-issued-at": "2026-11-21T08:00:00Z",
    "federation.paas.cmft.com/token-expires-at": "2026-11-22T08:00:00Z",
  });
  expect(secret["data"]).toEqual({ kubeconfig: Buffer.from("text").toString("base64") });
});

describe("checkIdentity", () => {
  const where = { name: "member shanghai-1", server: "https://m", origin: "kubeconfig m.yaml", otherwise: "" };
  const candidate = (memberUid: string) => ({ name: "shanghai-1", memberUid, hubUid: "uid-hub", where, renew: false });

  test.each([
    ["a new cluster", member("other", { status: "uid-o" })],
    ["the same cluster under its own name", member("shanghai-1", { status: "uid-m" })],
    ["a name whose cluster was never reached", member("shanghai-1", {})],
  ])("accepts %s", (_, known) => expect(() => checkIdentity(candidate("uid-m"), [known])).not.toThrow());

  test.each([
    ["a cluster that a manager knows under another name", member("sh", { status: "uid-m" }), /member already, as sh/],
    ["a cluster that join knows under another name", member("sh", { annotation: "uid-m" }), /member already, as sh/],
    ["another cluster under this name", member("shanghai-1", { status: "uid-x" }), /shanghai-1 is another cluster/],
    ["a name that is being removed", member("shanghai-1", { status: "uid-m" }, true), /being removed/],
  ])("refuses %s", (_, known, says) => expect(() => checkIdentity(candidate("uid-m"), [known])).toThrow(says));

  test("refuses the hub itself", () => {
    const says = /^https:\/\/m \(kubeconfig m.yaml\) is the hub itself.*local/;
    expect(() => checkIdentity(candidate("uid-hub"), [])).toThrow(says);
  });

  test("accepts a name that is being removed where only credentials are renewed: to drain may take them", () => {
    const members = [member("shanghai-1", { status: "uid-m" }, true)];
    expect(() => checkIdentity({ ...candidate("uid-m"), renew: true }, members)).not.toThrow();
  });
});

describe("a manager runs", () => {
  const now = Date.UTC(2026, 10, 21, 8);
  const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "meridian" } };
  const renewed = (holderIdentity: string, secondsAgo: number) => {
    const renewTime = new Date(now - secondsAgo * 1_000).toISOString();
    return { holderIdentity, renewTime, leaseDurationSeconds: 15 };
  };

  test.each([
    ["when its Lease was just renewed", renewed("a", 2), true],
    ["not when the Lease was given back", renewed("", 2), false],
    ["not when the Lease ran out long ago", renewed("a", 60), false],
    ["not when the Lease was never held", {}, false],
  ])("%s", (_, spec, want) => expect(isLeaseHeld({ ...lease, spec }, now)).toBe(want));
});

describe("the namespaces that the stored credentials reach", () => {
  const joinedFor = (namespaces?: string[]) =>
    memberCluster("shanghai-1", "uid-m", options, namespaces) as unknown as MemberCluster;

  test("stand on the MemberCluster, and on the Secret for when that is gone", () => {
    expect(reachedNamespaces(joinedFor(["bank"]), secretFor(["bank"]))).toEqual(["bank"]);
    expect(reachedNamespaces(undefined, secretFor(["bank", "shop"]))).toEqual(["bank", "shop"]);
    expect(joinedFor(["bank"]).spec.namespaces).toEqual(["bank"]);
  });

  test("are all of them where none are named", () => {
    expect(reachedNamespaces(joinedFor(), secretFor())).toBeUndefined();
    expect(reachedNamespaces(undefined, undefined)).toBeUndefined();
  });
});
