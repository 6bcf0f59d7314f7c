import { describe, expect, test } from "vitest";
import { type IdentityClaim, judgeIdentity } from "./identity.ts";

function claim(cluster: string, change: Partial<IdentityClaim> = {}): IdentityClaim {
  return {
    cluster,
    local: false,
    createdAt: "2026-01-02T00:00:00Z",
    recordedUid: undefined,
    acceptedUid: undefined,
    observedUid: undefined,
    ...change,
  };
}

describe("the identity of a cluster", () => {
  test.each<{ name: string; self: IdentityClaim; others?: IdentityClaim[]; refused?: string }>([
    { name: "is taken as it is the first time", self: claim("b", { observedUid: "u1" }) },
    { name: "is accepted while it stays", self: claim("b", { recordedUid: "u1", observedUid: "u1" }) },
    {
      name: "is refused when it changed",
      self: claim("b", { recordedUid: "u1", observedUid: "u2" }),
      refused: "ClusterIdentityChanged",
    },
    {
      name: "is accepted when a person agreed to it",
      self: claim("b", { recordedUid: "u1", observedUid: "u2", acceptedUid: "u2" }),
    },
    {
      name: "is refused when a person agreed to yet another one",
      self: claim("b", { recordedUid: "u1", observedUid: "u3", acceptedUid: "u2" }),
      refused: "ClusterIdentityChanged",
    },
    {
      name: "is refused when it changes back after a person agreed to the change",
      self: claim("b", { recordedUid: "u2", observedUid: "u1", acceptedUid: "u2" }),
      refused: "ClusterIdentityChanged",
    },
    {
      name: "belongs to the older of two MemberClusters",
      self: claim("a", { observedUid: "u1" }),
      others: [claim("b", { observedUid: "u1", createdAt: "2026-01-01T00:00:00Z" })],
      refused: "DuplicateCluster",
    },
    {
      name: "belongs to the first by name of two MemberClusters of one second",
      self: claim("b", { observedUid: "u1" }),
      others: [claim("a", { observedUid: "u1" })],
      refused: "DuplicateCluster",
    },
    {
      name: "is not taken away by a MemberCluster of the same second that comes first by name",
      self: claim("b", { recordedUid: "u1", observedUid: "u1" }),
      others: [claim("a", { observedUid: "u1" })],
    },
    {
      name: "stays with the MemberCluster of the same second that it is recorded for",
      self: claim("a", { observedUid: "u1" }),
      others: [claim("b", { recordedUid: "u1", observedUid: "u1" })],
      refused: "DuplicateCluster",
    },
    {
      name: "is not taken away by a later MemberCluster",
      self: claim("b", { observedUid: "u1" }),
      others: [claim("a", { observedUid: "u1", createdAt: "2026-01-03T00:00:00Z" }), claim("c", { observedUid: "u1" })],
    },
    {
      name: "belongs to the older MemberCluster also while that one has no contact",
      self: claim("b", { observedUid: "u1" }),
      others: [claim("a", { recordedUid: "u1" })],
      refused: "DuplicateCluster",
    },
    {
      name: "is not claimed by one whose own identity changed to it",
      self: claim("b", { observedUid: "u2" }),
      others: [claim("a", { recordedUid: "u1", observedUid: "u2" })],
    },
    {
      name: "is the hub's by kubeconfig while there is no local MemberCluster",
      self: claim("b", { observedUid: "hub" }),
      others: [claim("c", { observedUid: "u1", local: true })],
    },
    {
      name: "belongs to the local MemberCluster, however late that one came",
      self: claim("a", { observedUid: "hub", recordedUid: "hub" }),
      others: [claim("z", { observedUid: "hub", local: true, createdAt: "2026-01-09T00:00:00Z" })],
      refused: "DuplicateCluster",
    },
  ])("$name", ({ self, others = [], refused }) => {
    const verdict = judgeIdentity(self, [self, ...others]);
    expect(verdict.kind === "Refused" ? verdict.reason : undefined).toBe(refused);
  });

  test("when it changed, the message says what to do and fits into a condition", () => {
    const uid = "0b5f5b7e-6a3f-4d0e-9a53-0c4d9ad0a7a1";
    const verdict = judgeIdentity(claim("a", { recordedUid: "u1", observedUid: uid }), []);
    expect(verdict).toMatchObject({
      message: expect.stringContaining(`federation.paas.cmft.com/accept-cluster-uid: ${uid}`) as string,
    });
    expect(verdict.kind === "Refused" && verdict.message.length).toBeLessThanOrEqual(120);
  });
});
