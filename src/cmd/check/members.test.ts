import { describe, expect, test } from "vitest";
import type { KubeObject, MemberCluster, MemberClusterStatus } from "../../apis/index.ts";
import { cluster, condition } from "../testing/statusObjects.ts";
import { buildReport } from "../view/index.ts";
import { checkMember, type MemberFacts, type Probe } from "./members.ts";

const NOW = Date.UTC(2026, 10, 28, 8);
const EXACT = { offsetMs: 0, uncertainMs: 500 };
const reached = (given: Partial<Probe & { kind: "Reached" }> = {}): Probe => ({
  kind: "Reached",
  version: "v1.35.4",
  clock: EXACT,
  missingRights: [],
  ...given,
});

function facts(
  status: Partial<MemberClusterStatus>,
  probe: Probe = reached(),
  metadata: Partial<KubeObject["metadata"]> = {},
): MemberFacts {
  const made = cluster("eu-1", condition("Ready", "True", "Connected"));
  const object = {
    ...made,
    metadata: { ...made.metadata, ...metadata },
    status: { ...(made["status"] as object), ...status },
  };
  const [report] = buildReport([], [object]).clusters;
  if (report === undefined) throw new Error("no report");
  const hub = { version: "v1.35.4", clock: EXACT };
  return { member: object as unknown as MemberCluster, report, probe, hub, now: NOW };
}
const lost = [condition("Ready", "False", "ClusterUnreachable", "connection refused")];

describe("a member", () => {
  test.each<{ name: string; given: MemberFacts; found: string[]; says?: string }>([
    { name: "is fine in contact", given: facts({}), found: [] },
    { name: "is fine when nobody asks it", given: facts({}, { kind: "NotAsked" }), found: [] },
    { name: "has not been reported", given: facts({ conditions: [] }), found: ["Error NotReported"] },
    {
      name: "is out of contact, and what to do is said",
      given: facts({ conditions: lost }, { kind: "Unreached", why: "connection refused", isOther: false }),
      found: ["Error ClusterUnreachable"],
      says: "check that the API server of eu-1 runs",
    },
    {
      name: "is slow",
      given: facts({
        conditions: [condition("Ready", "True", "Connected"), condition("Slow", "True", "SlowAnswers", "about 2.5s")],
      }),
      found: ["Warning SlowAnswers"],
    },
    {
      name: "leaves, which is nothing to mend",
      given: facts({}, reached(), { deletionTimestamp: "2026-11-28T07:00:00Z" }),
      found: ["Info Leaving"],
    },
    {
      name: "has a change that no manager has seen",
      given: facts({ observedGeneration: 1 }, reached(), { generation: 2 }),
      found: ["Warning NotObserved"],
    },
    {
      name: "has credentials that have ended",
      given: facts({ credentials: { expiresAt: "2026-11-28T07:59:00Z", renewAt: "2026-11-28T06:00:00Z" } }),
      found: ["Error CredentialsExpired"],
      says: "meridian join eu-1 --renew",
    },
    {
      name: "has credentials that nobody has renewed in time",
      given: facts({ credentials: { expiresAt: "2026-11-28T12:00:00Z", renewAt: "2026-11-28T06:00:00Z" } }),
      found: ["Warning CredentialsNotRenewed"],
    },
    {
      name: "has credentials that are renewed by themselves",
      given: facts({ credentials: { expiresAt: "2026-11-28T12:00:00Z", renewAt: "2026-11-28T09:00:00Z" } }),
      found: [],
    },
    {
      name: "has credentials that end soon, and that nobody renews",
      given: facts({ credentials: { expiresAt: "2026-12-01T00:00:00Z" } }),
      found: ["Warning CredentialsEnd"],
    },
    {
      name: "is too old",
      given: facts({}, reached({ version: "v1.28.3" })),
      found: ["Warning VersionTooOld"],
    },
    {
      name: "is too far behind the hub",
      given: facts({}, reached({ version: "v1.31.0" })),
      found: ["Warning VersionSkew"],
      says: "upgrade eu-1",
    },
    {
      name: "is too far ahead of the hub",
      given: facts({}, reached({ version: "v1.39.0" })),
      found: ["Warning VersionSkew"],
      says: "upgrade the hub",
    },
    {
      name: "has a clock that is wrong",
      given: facts({}, reached({ clock: { offsetMs: -95_000, uncertainMs: 500 } })),
      found: ["Warning ClockSkew"],
      says: "its clock is 95 s behind the hub's clock",
    },
    {
      name: "lets Meridian's account do too little",
      given: facts({}, reached({ missingRights: ["create deployments.apps"] })),
      found: ["Error RightsMissing"],
      says: "may not create deployments.apps",
    },
    {
      name: "is not reached from this machine, only from the manager",
      given: facts({}, { kind: "Unreached", why: "no route", isOther: false }),
      found: ["Info NotReachedFromHere"],
    },
    {
      name: "is another cluster than before",
      given: facts({}, { kind: "Unreached", why: "leads to another cluster", isOther: true }),
      found: ["Error OtherCluster"],
    },
  ])("$name", ({ given, found, says = "" }) => {
    const { findings, where, result } = checkMember(given);
    expect(findings.map(({ severity, code }) => `${severity} ${code}`)).toEqual(found);
    expect(where).toBe("cluster eu-1");
    expect(result).toBe(found.every((one) => one.startsWith("Info")) ? "Fine" : "Found");
    expect(findings.map(({ what, remedy }) => `${what} ${remedy}`).join()).toContain(says);
  });
});
