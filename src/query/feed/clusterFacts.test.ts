import { expect, test } from "vitest";
import { SLOW_CONDITION } from "../../apis/index.ts";
import { clusterFacts } from "./clusterFacts.ts";

const NOW = Date.parse("2026-01-01T08:00:00Z");
const SLOW_SINCE = "2026-01-01T07:30:00Z";

test("a slow cluster is Ready since it is slow, and again since it is slow no more", () => {
  const member = (status: "True" | "False") =>
    ({
      metadata: { name: "eu-1" },
      status: {
        conditions: [
          { type: SLOW_CONDITION, status, reason: "SlowAnswers", message: "slow", lastTransitionTime: SLOW_SINCE },
        ],
      },
    }) as unknown as Parameters<typeof clusterFacts>[0];
  const contact = { ok: true, pending: false } as Parameters<typeof clusterFacts>[1];
  const slow = clusterFacts(member("True"), contact, undefined, NOW);
  expect(slow).toMatchObject({ state: "Ready", reason: "SlowAnswers", since: Date.parse(SLOW_SINCE) });
  const after = clusterFacts(member("False"), contact, slow, NOW);
  expect([after.state, after.reason, after.since]).toEqual(["Ready", undefined, NOW]);
});
