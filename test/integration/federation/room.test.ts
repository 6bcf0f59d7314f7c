import { expect, onTestFinished, test } from "vitest";
import { type KubeObject, sameValue } from "../../../src/apis/index.ts";
import {
  CRDS,
  DEMOAPPLICATIONS,
  DEPLOYMENTS,
  NODES,
  PLACEMENTS,
  PODS,
  type ResourceType,
} from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";
import { DATABASE_KIND, DATABASES } from "./objects.ts";

const NAMES = ["frankfurt", "shanghai", "singapore"];

/** The member has one node with so many cores. */
async function giveCores(federation: TestFederation, member: string, cpu: string): Promise<void> {
  const { server } = federation.member(member);
  const [first, ...rest] = server.list(NODES);
  for (const { metadata } of rest) await server.delete(NODES, undefined, metadata.name);
  if (first === undefined) throw new Error(`${member} has no node`);
  await server.merge(NODES, undefined, first.metadata.name, { status: { allocatable: { cpu } } }, "status");
}

async function withCores(...cores: string[]): Promise<TestFederation> {
  const federation = await TestFederation.prepare(...NAMES);
  for (const [i, name] of NAMES.entries()) await giveCores(federation, name, cores[i] ?? "0");
  await federation.startManager();
  return federation;
}

/** Each pod asks for half a core. */
function app(replica: number): KubeObject {
  const shop = demoApplication("shop").replica(replica).object();
  return { ...shop, spec: { ...(shop["spec"] as object), resources: { requests: { cpu: "500m" } } } };
}

const replicas = (federation: TestFederation): number[] =>
  NAMES.map((name) => federation.entry("shop", name)?.replicas.desired ?? 0);

const reads = (federation: TestFederation, what: string): number =>
  NAMES.flatMap((name) => federation.member(name).clients)
    .flatMap(({ calls }) => calls)
    .filter((call) => call === what).length;

/** The MemberCluster's own status tells of its nodes. */
const objectWrites = (federation: TestFederation, from: number): string[] =>
  federation.hubWrites.slice(from).filter((write) => !write.endsWith(" memberclusters"));

test("replicas are divided by the room on the nodes, and none that runs moves for room", async () => {
  await using federation = await withCores("3", "6", "9");
  await federation.apply(PLACEMENTS, placement("by-room").byHeadroom("Available"));
  await federation.apply(DEMOAPPLICATIONS, app(12));
  await federation.untilAvailable("shop");
  expect(replicas(federation)).toEqual([2, 4, 6]);

  // Frankfurt has room for four more, Shanghai for none: its node was made smaller.
  await giveCores(federation, "shanghai", "2");
  await federation.pass(60_000);
  expect(replicas(federation)).toEqual([2, 4, 6]);
  await federation.apply(DEMOAPPLICATIONS, app(17));
  await federation.until(() => federation.status("shop")?.replicas?.available === 17);
  expect(replicas(federation)).toEqual([3, 4, 10]);

  // In sync nothing is written, and the rooms are read once a minute.
  await federation.pass(60_000);
  const { length } = federation.hubWrites;
  const before = reads(federation, "list nodes");
  await federation.pass(300_000);
  expect(objectWrites(federation, length)).toEqual([]);
  expect(reads(federation, "list nodes") - before).toBeLessThanOrEqual(3 * 6);

  // A new manager leaves everything as it is before it has measured anything.
  await federation.restart();
  await federation.pass(30_000);
  expect(replicas(federation)).toEqual([3, 4, 10]);
  expect(objectWrites(federation, length)).toEqual([]);
});

test("nothing is read where no policy asks for it, and not any more when none does", async () => {
  await using federation = await withCores("3", "6", "9");
  const byHeadroom = placement("by-room").byHeadroom("Available");
  await federation.apply(PLACEMENTS, placement("by-room").divided());
  await federation.apply(DEMOAPPLICATIONS, app(3));
  await federation.untilAvailable("shop");
  await federation.pass(120_000);
  const before = reads(federation, "list pods");
  await federation.pass(120_000);
  expect(reads(federation, "list pods")).toBe(before);
  await federation.apply(PLACEMENTS, byHeadroom);
  await federation.until(() => reads(federation, "list pods") >= before + 3);
  expect(replicas(federation)).toEqual([1, 1, 1]);
  await federation.apply(PLACEMENTS, placement("by-room").divided());
  await federation.pass(20_000);
  const after = reads(federation, "list pods");
  await federation.pass(300_000);
  expect(reads(federation, "list pods")).toBe(after);
});

test("replicas whose pods find no node move to where there is room, no more at once than allowed", async () => {
  await using federation = await withCores("5", "5", "0");
  await federation.apply(PLACEMENTS, placement("by-room").byHeadroom("Available", { after: "2m", maxReplicas: 2 }));
  await federation.apply(DEMOAPPLICATIONS, app(8));
  await federation.untilAvailable("shop");
  expect(replicas(federation)).toEqual([4, 4, 0]);

  // The nodes of Frankfurt are replaced by smaller ones: three of its pods find none any more.
  const { server } = federation.member("frankfurt");
  await giveCores(federation, "frankfurt", "500m");
  for (const { metadata } of server.list(PODS, { namespace: "default" }))
    await server.delete(PODS, "default", metadata.name);
  await federation.until(() => federation.entry("shop", "frankfurt")?.unschedulableSince !== undefined, 60_000);
  // Nobody has room for more than six of them in all.
  await federation.pass(100_000);
  expect(replicas(federation)).toEqual([4, 4, 0]);
  await federation.until(() => replicas(federation)[1] === 6, 60_000);
  expect(replicas(federation)).toEqual([2, 6, 0]);

  const moves = (): string[] =>
    federation.events.flatMap(({ reason, note }) => (reason === "Rescheduled" ? [note as string] : []));
  expect(moves()).toEqual(["2 replicas leave frankfurt, where pods find no node; placed on frankfurt, shanghai"]);

  // The last one moves after the same delay, and a new manager keeps that clock.
  await federation.restart();
  await federation.pass(60_000);
  expect(replicas(federation)).toEqual([2, 6, 0]);
  await federation.until(() => federation.status("shop")?.replicas?.available === 8, 180_000);
  expect(replicas(federation)).toEqual([1, 7, 0]);

  expect(moves()).toHaveLength(2);

  // Room that comes back takes nothing back.
  await giveCores(federation, "frankfurt", "9");
  const { length } = federation.hubWrites;
  await federation.pass(300_000);
  expect(replicas(federation)).toEqual([1, 7, 0]);
  expect(objectWrites(federation, length)).toEqual([]);
});

test("two objects that come at once are not given the same room", async () => {
  await using federation = await withCores("4", "3", "0");
  await federation.apply(PLACEMENTS, placement("by-room").byHeadroom("Aggregated"));
  await federation.apply(DEMOAPPLICATIONS, app(6));
  await federation.untilAvailable("shop");
  expect(replicas(federation)).toEqual([6, 0, 0]);
  for (const name of ["cart", "mail"]) {
    const { metadata, ...more } = app(3);
    await federation.apply(DEMOAPPLICATIONS, { ...more, metadata: { ...metadata, name } });
  }
  await federation.untilAvailable("cart");
  await federation.untilAvailable("mail");
});

const labels = { app: "web" };
const containers = [{ name: "web", image: "nginx:1.27", resources: { requests: { cpu: "500m" } } }];
const template = { metadata: { labels }, spec: { containers } };
const workload = { replicas: 12, selector: { matchLabels: labels }, template };

test.each<{ type: ResourceType; spec: object }>([
  { type: DEPLOYMENTS, spec: workload },
  { type: DATABASES, spec: { replicas: 12, template } },
])("a $type.kind of the hub is divided by the room for its pods", async ({ type, spec }) => {
  await using federation = await withCores("3", "6", "9");
  if (type === DATABASES) {
    if (!federation.hub.has(CRDS, undefined, DATABASE_KIND.metadata.name)) await federation.hub.install(DATABASE_KIND);
    for (const { server } of federation.members.values()) await server.install(DATABASE_KIND);
  }
  onTestFinished(() => federation.hub.empty(type));
  const apiVersion = `${type.group}/${type.version}`;
  const selected = placement("by-room").selects({ apiVersion, kind: type.kind });
  await federation.apply(PLACEMENTS, selected.byHeadroom("Available"));
  await federation.apply(type, { apiVersion, kind: type.kind, metadata: { name: "web", namespace: "default" }, spec });
  const there = (): unknown[] =>
    NAMES.map((name) => {
      const found = federation.member(name).server.find(type, "default", "web");
      return (found?.["spec"] as { replicas?: number } | undefined)?.replicas;
    });
  await federation.until(() => sameValue(there(), [2, 4, 6]));
  await federation.pass(120_000);
  expect(there()).toEqual([2, 4, 6]);
});
