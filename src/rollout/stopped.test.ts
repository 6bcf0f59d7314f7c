import { expect, test } from "vitest";
import type { RolloutStatus } from "../apis/index.ts";
import { stageAtGate, stageToApprove } from "./stopped.ts";
import { stage, world } from "./testing.ts";

const stopOf = (status: RolloutStatus | undefined): string => {
  if (status === undefined) return "none";
  const [gate, approval] = [stageAtGate(status), stageToApprove(status)];
  return [gate === undefined ? [] : `gate of ${gate}`, approval === undefined ? [] : `approval of ${approval}`]
    .flat()
    .join(" and ");
};

test("a stage with a gate and an approval waits for one after the other, and each stop names its stage", () => {
  const stages = [stage("canary"), stage("asia", { approval: "Manual" }), stage("rest", { approval: "Manual" })];
  const it = world({ stages, gate: { prometheus: { query: "up" } } });
  const stops: string[] = [];
  const next = (change: () => void): void => {
    change();
    it.settle();
    stops.push(stopOf(it.status));
    expect(it.last?.asks.map((name) => `gate of ${name}`) ?? []).toEqual(
      stops.at(-1)?.startsWith("gate") === true ? [stops.at(-1)] : [],
    );
  };
  next(() => void (it.revision = 2));
  next(() => void (it.gates = new Map([["canary", "Passed"]])));
  next(() => void (it.gates = new Map([["asia", "Unknown"]])));
  next(() => void (it.gates = new Map([["asia", "Passed"]])));
  next(() => void (it.commands = { paused: true, approvals: new Map([["asia", "eve"]]) }));
  expect(stops).toEqual(["gate of canary", "gate of asia", "gate of asia", "approval of asia", ""]);
});

test("an approval that lacks only because of its old format is still an approval", () => {
  const it = world({ stages: [stage("canary", { approval: "Manual" }), stage("rest")] });
  it.commands = { ...it.commands, hasOldApprovals: true };
  it.revision = 2;
  expect(stopOf(it.settle().status)).toBe("approval of canary");
});
