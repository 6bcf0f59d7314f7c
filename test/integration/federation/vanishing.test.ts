import { expect, test } from "vitest";
import { DEMOAPPLICATIONS, DEPLOYMENTS, PLACEMENTS, SERVICES } from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";

const NAMES = Array.from({ length: 12 }, (_, index) => `shop-${index}`);

/** Twelve applications that run on one member. */
async function running(): Promise<TestFederation> {
  const federation = await TestFederation.start("shanghai");
  for (const server of [federation.hub, federation.member("shanghai").server]) server.watchLists = false;
  await federation.apply(PLACEMENTS, placement("all"));
  for (const name of NAMES) await federation.apply(DEMOAPPLICATIONS, demoApplication(name));
  for (const name of NAMES) await federation.untilAvailable(name);
  return federation;
}

const deployed = (federation: TestFederation) =>
  federation
    .member("shanghai")
    .server.list(DEPLOYMENTS)
    .map(({ metadata }) => metadata.name)
    .toSorted();
const isHeld = (federation: TestFederation, since: number) =>
  federation.log.slice(since).some((line) => /DeletionsHeld|deletions are held/.test(line));

test("a new session in which most of what the one before saw has vanished is not believed at once", async () => {
  await using federation = await running();
  const member = federation.member("shanghai");
  const since = federation.log.length;
  const lies = member.server.lieOnce(DEPLOYMENTS);
  await federation.giveCredentials(member, await member.server.anotherToken());
  await federation.until(() => lies.count === 1);
  const writes = member.writes.length;
  await federation.delete(DEMOAPPLICATIONS, "shop-3");
  await federation.pass(400);
  expect(isHeld(federation, since)).toBe(true);
  expect(federation.app("shop-3")).toBeDefined();
  await federation.until(() => federation.app("shop-3") === undefined);
  expect(deployed(federation)).toEqual(NAMES.filter((name) => name !== "shop-3").toSorted());
  // Nothing was made anew that had been there all the time.
  expect(member.writes.slice(writes).filter((write) => !write.startsWith("delete"))).toEqual([]);
});

test("a manager that starts and finds most of what the hub reports missing on a member lets nothing go for it", async () => {
  await using federation = await running();
  await federation.stopManager();
  const { server } = federation.member("shanghai");
  await federation.delete(DEMOAPPLICATIONS, "shop-3");
  const since = federation.log.length;
  const lies = server.lieOnce(DEPLOYMENTS, SERVICES);
  await federation.startManager();
  await federation.until(() => lies.count === 2);
  await federation.pass(200);
  expect(isHeld(federation, since)).toBe(true);
  expect(federation.app("shop-3")).toBeDefined();
  await federation.until(() => federation.app("shop-3") === undefined);
  expect(deployed(federation)).toEqual(NAMES.filter((name) => name !== "shop-3").toSorted());
});

test("what really is gone from a member unobserved is let go of after the second read", async () => {
  await using federation = await running();
  await federation.stopManager();
  const { server } = federation.member("shanghai");
  for (const name of NAMES) {
    await federation.delete(DEMOAPPLICATIONS, name);
    for (const type of [DEPLOYMENTS, SERVICES])
      if (server.has(type, "default", name)) await server.delete(type, "default", name);
  }
  const since = federation.log.length;
  await federation.startManager();
  await federation.until(() => isHeld(federation, since));
  expect(federation.app("shop-3")).toBeDefined();
  await federation.until(() => NAMES.every((name) => federation.app(name) === undefined));
});

test("a manager that starts and is shown a few of the hub's objects only deletes nothing of the others, and finds them", async () => {
  await using federation = await running();
  await federation.stopManager();
  const lies = federation.hub.lieOnce(DEMOAPPLICATIONS);
  const since = federation.log.length;
  await federation.startManager();
  await federation.until(() => lies.count === 1);
  await federation.until(() => isHeld(federation, since));
  await federation.pass(30_000);
  expect(deployed(federation)).toEqual(NAMES.toSorted());
  await federation.apply(DEMOAPPLICATIONS, demoApplication("shop-7").replica(3));
  await federation.until(() => federation.entry("shop-7", "shanghai")?.replicas.available === 3);
});
