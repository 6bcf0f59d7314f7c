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
  const older = { createdAt: "2026-01-01T00:00:00Z" };
  const newer = { createdAt: "2026-01-03T00:00:00Z" };
  const same = { observedUid: "u1" };
  const recorded = { recordedUid: "u1", observedUid: "u1" };
  test.each<[string, self: IdentityClaim, others: IdentityClaim[], refused: string | undefined]>([
    ["is accepted the first time", claim("b", same), [], undefined],
    ["is accepted while it stays", claim("b", recorded), [], undefined],
    ["is refused when it changes", claim("b", { recordedUid: "u1", observedUid: "u2" }), [], "ClusterIdentityChanged"],
    ["is accepted by a person", claim("b", { recordedUid: "u1", observedUid: "u2", acceptedUid: "u2" }), [], undefined],
    [
      "is refused when a person accepted another one",
      claim("b", { recordedUid: "u1", observedUid: "u3", acceptedUid: "u2" }),
      [],
      "ClusterIdentityChanged",
    ],
    [
      "is refused when it changes back",
      claim("b", { recordedUid: "u2", observedUid: "u1", acceptedUid: "u2" }),
      [],
      "ClusterIdentityChanged",
    ],
    ["belongs to the older MemberCluster", claim("a", same), [claim("b", { ...same, ...older })], "DuplicateCluster"],
    ["belongs to the first by name in one second", claim("b", same), [claim("a", same)], "DuplicateCluster"],
    ["stays with its record before the first by name", claim("b", recorded), [claim("a", same)], undefined],
    ["belongs to the record in one second", claim("a", same), [claim("b", recorded)], "DuplicateCluster"],
    ["stays with the older one", claim("b", same), [claim("a", { ...same, ...newer }), claim("c", same)], undefined],
    [
      "belongs to the older one without contact",
      claim("b", same),
      [claim("a", { recordedUid: "u1" })],
      "DuplicateCluster",
    ],
    [
      "is not claimed by a changed identity",
      claim("b", { observedUid: "u2" }),
      [claim("a", { recordedUid: "u1", observedUid: "u2" })],
      undefined,
    ],
    [
      "of the hub is accepted without a local MemberCluster",
      claim("b", { observedUid: "hub" }),
      [claim("c", { ...same, local: true })],
      undefined,
    ],
    [
      "of the hub belongs to the local MemberCluster",
      claim("a", { observedUid: "hub", recordedUid: "hub" }),
      [claim("z", { observedUid: "hub", local: true, ...newer })],
      "DuplicateCluster",
    ],
  ])("%s", (_, self, others, refused) => {
    const verdict = judgeIdentity(self, [self, ...others]);
    expect(verdict.kind === "Refused" ? verdict.reason : undefined).toBe(refused);
  });

  test("that changed has a message with the remedy, which fits into a condition", () => {
    const uid = "0b5f5b7e-6a3f-4d0e-9a53-0c4d9ad0a7a1";
    const verdict = judgeIdentity(claim("a", { recordedUid: "u1", observedUid: uid }), []);
    expect(verdict).toMatchObject({
      message: expect.stringContaining(`federation.paas.cmft.com/accept-cluster-uid: ${uid}`) as string,
    });
    expect(verdict.kind === "Refused" && verdict.message.length).toBeLessThanOrEqual(120);
  });
});
