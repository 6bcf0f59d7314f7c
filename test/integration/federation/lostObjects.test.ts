import { expect, test } from "vitest";
import { ACCEPT_DELETIONS_ANNOTATION, type Condition, type MemberCluster } from "../../../src/apis/index.ts";
import { DEMOAPPLICATIONS, DEPLOYMENTS, MEMBERCLUSTERS, PLACEMENTS } from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";

const NAMES = Array.from({ length: 12 }, (_, index) => `shop-${index}`);
const KEPT = "shop-3";
const LOST = NAMES.filter((name) => name !== KEPT);

/** Twelve applications that run on both members. */
async function running(): Promise<TestFederation> {
  const federation = await TestFederation.start("shanghai", "singapore");
  await federation.apply(PLACEMENTS, placement("all"));
  for (const name of NAMES) await federation.apply(DEMOAPPLICATIONS, demoApplication(name));
  for (const name of NAMES) await federation.untilAvailable(name);
  return federation;
}

/** As in a hub that was restored from a backup: they never were. */
async function lose(federation: TestFederation, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const path = { metadata: { finalizers: null } };
    await federation.hub.merge(DEMOAPPLICATIONS, "default", name, path);
    await federation.delete(DEMOAPPLICATIONS, name);
  }
}

const deployed = (federation: TestFederation, member: string) =>
  federation
    .member(member)
    .server.list(DEPLOYMENTS)
    .map(({ metadata }) => metadata.name)
    .toSorted();
const held = (federation: TestFederation, member: string): Condition | undefined => {
  const cluster = federation.hub.get(MEMBERCLUSTERS, undefined, member) as unknown as MemberCluster;
  return cluster.status?.conditions?.find(({ type }) => type === "DeletionsHeld");
};
const accept = (federation: TestFederation, member: string, since: string) =>
  federation.hub.merge(MEMBERCLUSTERS, undefined, member, {
    metadata: { annotations: { [ACCEPT_DELETIONS_ANNOTATION]: since } },
  });

test("a manager that starts on a hub that lacks most of what runs removes nothing until a person agrees, whatever restarts", async () => {
  await using federation = await running();
  await federation.stopManager();
  await lose(federation, LOST);
  for (let start = 0; start < 2; start += 1) {
    await federation.startManager();
    await federation.until(
      () => held(federation, "shanghai") !== undefined && held(federation, "singapore") !== undefined,
    );
    await federation.pass(60_000);
    expect(deployed(federation, "shanghai")).toEqual(NAMES.toSorted());
    expect(deployed(federation, "singapore")).toEqual(NAMES.toSorted());
    if (start === 0) await federation.stopManager();
  }
  const condition = held(federation, "shanghai");
  const since = condition?.lastTransitionTime ?? "";
  expect(condition).toMatchObject({ status: "True", reason: "OwnersMissing" });
  expect(condition?.message).toContain(`hub lacks ${LOST.length} objects`);
  expect(condition?.message).toContain(`${ACCEPT_DELETIONS_ANNOTATION}: ${since}`);
  expect(condition?.message.length).toBeLessThanOrEqual(120);
  const notes = federation.events.filter(({ reason }) => reason === condition?.reason);
  expect(notes.length).toBeGreaterThan(0);

  // Another time than this hold's is agreement to another hold.
  await accept(federation, "shanghai", "2020-01-01T00:00:00Z");
  await federation.pass(20_000);
  expect(deployed(federation, "shanghai")).toEqual(NAMES.toSorted());
  await accept(federation, "shanghai", since);
  await federation.until(() => deployed(federation, "shanghai").length === 1);
  await federation.until(() => held(federation, "shanghai") === undefined);
  await federation.pass(20_000);
  expect(deployed(federation, "singapore")).toEqual(NAMES.toSorted());
  await accept(federation, "singapore", since);
  await federation.until(() => deployed(federation, "singapore").length === 1);
  await federation.until(() => held(federation, "singapore") === undefined);
  expect(deployed(federation, "shanghai")).toEqual([KEPT]);
});

test("a part of them that comes back does not give the rest free", async () => {
  await using federation = await running();
  await federation.stopManager();
  await lose(federation, LOST);
  await federation.startManager();
  await federation.until(() => held(federation, "shanghai") !== undefined);
  for (const name of LOST.slice(0, 9)) await federation.apply(DEMOAPPLICATIONS, demoApplication(name));
  await federation.pass(60_000);
  expect(deployed(federation, "shanghai")).toEqual(NAMES.toSorted());
  expect(held(federation, "shanghai")?.message).toContain("hub lacks 2 objects");
});
