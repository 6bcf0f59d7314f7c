import { expect, test } from "vitest";
import type { ClusterStatusEntry, Reason } from "../../apis/index.ts";
import type { Wait } from "../../desiredstate/index.ts";
import { objectFacts } from "./objectFacts.ts";

const SINCE = "2026-01-01T00:00:00Z";
const WOKEN_BY: Wait[] = [
  { for: "contact", of: "eu-1", since: 0 },
  { for: "hubSync", since: 0 },
];

test.each<{ reason: Reason; waits: string[] }>([
  { reason: "Terminating", waits: ["contact"] },
  { reason: "PlanningIncomplete", waits: ["contact", "hubSync"] },
  { reason: "DeletionsHeld", waits: ["contact", "hubSync"] },
])("a removal that is $reason waits for $waits", ({ reason, waits }) => {
  const replicas = { desired: 0, updated: 0, ready: 0, available: 0 };
  const times = { since: SINCE, observedAt: SINCE };
  const entry: ClusterStatusEntry = { name: "eu-1", state: "Removing", reason, replicas, ...times };
  const facts = objectFacts(
    {
      object: {
        apiVersion: "paas.cmft.com/v1",
        kind: "DemoApplication",
        metadata: { namespace: "default", name: "shop", deletionTimestamp: SINCE },
      },
      ...{ status: undefined, rollout: undefined, before: undefined },
      entries: [entry],
      waits: WOKEN_BY,
    },
    Date.parse(SINCE),
  );
  expect(facts.waits.map((wait) => wait.for)).toEqual(waits);
});
