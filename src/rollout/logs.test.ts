import { expect, test } from "vitest";
import { BROKEN, FAILED, GOOD, stage, World, world } from "./testing.ts";

/** What a run says, line by line, with the seconds since the start: read the files in `testdata` to know how a rollout goes. */
const golden = (name: string): string => `testdata/${name}.golden.txt`;

/** As KubeFleet's page on staged update runs does: a timed wait after the first stage, an approval after the second, half of the third at once. */
test("staging, canary and production, with a timed wait and an approval", async () => {
  const it = new World({
    stages: [
      stage("staging", { soak: "1h" }),
      stage("canary", { approval: "Manual" }),
      stage("production", { maxConcurrency: "50%" }),
    ],
  });
  it.add("staging", "member1").add("canary", "member2").add("production", "member3", "member4");
  it.add(undefined, "member5");
  it.wait(4_000);
  it.commands = { ...it.commands, approvals: new Map([["canary", "alice"]]) };
  it.wait(60);
  await expect(it.timed.join("\n")).toMatchFileSnapshot(golden("staged-update"));
});

/** As a canary of Argo Rollouts: some, a pause without an end, more, and the analysis that fails takes back all of it. */
test("a canary in growing steps, whose analysis fails at the second", async () => {
  const it = world({
    stages: [stage("canary", { approval: "Manual" }), stage("asia", { maxConcurrency: 1, soak: "5m" }), stage("rest")],
    gate: { prometheus: { query: "sum(rate(errors[5m])) < bool 1" } },
  });
  it.timed.length = 0;
  it.revision = 2;
  it.wait(600);
  it.gates = new Map([["canary", "Passed"]]);
  it.wait(600);
  it.commands = { ...it.commands, approvals: new Map([["canary", "alice"]]) };
  it.wait(600);
  it.gates = new Map([...it.gates, ["asia", "Failed"]]);
  it.wait(600);
  await expect(it.timed.join("\n")).toMatchFileSnapshot(golden("canary-analysis"));
});

test("the second region fails, and the first goes back with it", async () => {
  const it = world();
  it.timed.length = 0;
  it.revision = 2;
  it.cluster("shanghai-1").health = (runs) => (runs === 2 ? BROKEN : GOOD);
  it.wait(700);
  await expect(it.timed.join("\n")).toMatchFileSnapshot(golden("second-region-fails"));
});

test("a newer edit in the middle, a cluster that cannot be reached, and one that leaves", async () => {
  const it = world({ stages: [stage("canary", { soak: "1m" }), stage("asia"), stage("rest")] });
  it.timed.length = 0;
  it.revision = 2;
  it.wait(30);
  it.revision = 3;
  it.cluster("shanghai-2").inContact = false;
  it.wait(30);
  it.clusters.delete("frankfurt-1");
  it.wait(120);
  it.cluster("shanghai-2").inContact = true;
  it.wait(10);
  await expect(it.timed.join("\n")).toMatchFileSnapshot(golden("edits-and-contact"));
});

test("abort in the last stage, while a cluster of the first cannot go back", async () => {
  const it = world();
  it.timed.length = 0;
  it.revision = 2;
  it.cluster("frankfurt-1").isSlow = true;
  it.settle();
  it.cluster("singapore-1").health = () => FAILED;
  it.commands = { ...it.commands, abort: 2 };
  it.wait(900);
  it.cluster("singapore-1").health = () => GOOD;
  it.commands = { ...it.commands, resumedAt: "2026-11-22T12:00:00Z" };
  it.wait(60);
  await expect(it.timed.join("\n")).toMatchFileSnapshot(golden("rollback-fails"));
});
