import { expect, test } from "vitest";
import { ApiError, CONFIGMAPS, Discovery, NAMESPACES, TransportError } from "../../../src/runtime/index.ts";
import { startMember } from "./testMember.ts";
import { NamespaceLabels } from "../../../src/clusters/model/carriedLabels.ts";
import { MemberNamespaces } from "../../../src/clusters/model/namespaces.ts";
import { observe } from "../../../src/clusters/model/observed.ts";
import { CLUSTER, CONFIG_REF, deleteRow, row } from "../../../src/clusters/testing/builders.ts";
import { namespaceLane, TEAM } from "../../../src/clusters/testing/namespaceLane.ts";

const inTeam = { ...CONFIG_REF, namespace: "team" };

/** A member with the namespace `team`, which Meridian made, and a row that asks for its deletion. */
async function memberWithTeam() {
  const { server, client, clock, pass } = await startMember(CLUSTER);
  const discovery = new Discovery(client, clock);
  await new MemberNamespaces({ cluster: CLUSTER, client }, "hub", new NamespaceLabels()).ensure(
    "team",
    new AbortController().signal,
  );
  const team = observe(server.get(NAMESPACES, undefined, "team"));
  const parts = namespaceLane({ client, discovery, clock });
  const end = parts.connect();
  parts.objects.observe(TEAM, team);
  const removal = deleteRow({ ref: TEAM, uid: team.uid });
  const names = () => server.list(NAMESPACES).map(({ metadata }) => metadata.name);
  const occupy = () =>
    server.create(CONFIGMAPS, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "theirs", namespace: "team" },
    });
  return { ...parts, server, client, clock, pass, end, removal, names, occupy };
}

type Parts = Awaited<ReturnType<typeof memberWithTeam>>;

function refuseSecrets({ client }: Parts): void {
  client.gate = ({ verb, type }) => {
    if (verb === "list" && type?.kind === "Secret") throw new ApiError(403, "Forbidden", "no");
  };
}

test("an empty namespace goes when a row says so, and no other", async () => {
  const { take, pass, removal, names, find } = await memberWithTeam();
  await pass(60_000);
  const before = names();
  expect(before).toContain("team");
  take(removal);
  await pass(29_000);
  expect(names()).toEqual(before);
  await pass(2_000);
  expect(names()).toEqual(before.filter((name) => name !== "team"));
  expect(find(TEAM)).toMatchObject({ writing: false, failure: undefined });
});

test("a namespace that somebody used meanwhile has to be empty for as long again", async () => {
  const { take, pass, removal, names, occupy, server } = await memberWithTeam();
  take(removal);
  await pass(20_000);
  await occupy();
  await pass(20_000);
  await server.delete(CONFIGMAPS, "team", "theirs");
  await pass(20_000);
  expect(names()).toContain("team");
  await pass(90_000);
  expect(names()).not.toContain("team");
});

test("a namespace that is let go of stays without our marks, whatever is in it", async () => {
  const { take, pass, removal, server, occupy } = await memberWithTeam();
  await occupy();
  take({ ...removal, verb: "Release" });
  await pass(10);
  const { metadata } = server.get(NAMESPACES, undefined, "team");
  expect([metadata.annotations ?? {}, Object.keys(metadata.labels ?? {})]).toEqual([
    {},
    ["kubernetes.io/metadata.name"],
  ]);
});

test.each<{ name: string; prepare: (parts: Parts) => void | Promise<unknown>; failure?: string }>([
  { name: "namespaces are not known", prepare: ({ state }) => void (state.known = false) },
  { name: "something of ours is to be in it", prepare: ({ take }) => take(row({ ref: inTeam })) },
  { name: "something foreign is in it", prepare: ({ occupy }) => occupy(), failure: "NamespaceOccupied" },
  { name: "a kind cannot be listed", prepare: refuseSecrets, failure: "NamespaceKept" },
  {
    name: "the member is not reached",
    prepare: ({ client }) => {
      client.gate = ({ verb }) => {
        if (verb === "delete") throw new TransportError("ConnectionRefused", "connection refused");
      };
    },
    failure: "ClusterUnreachable",
  },
  {
    name: "another life of it is meant",
    prepare: ({ take, removal }) => take({ ...removal, uid: "before" }),
  },
])("a namespace stays while $name", async ({ prepare, failure }) => {
  const parts = await memberWithTeam();
  await prepare(parts);
  if (parts.find(TEAM).row === undefined) parts.take(parts.removal);
  await parts.pass(60_000);
  expect(parts.names()).toContain("team");
  expect(parts.find(TEAM).failure?.reason).toBe(failure);
  expect(parts.find(TEAM).writing).toBe(false);
});

test("a namespace that cannot be inspected says why, and goes when it can", async () => {
  const parts = await memberWithTeam();
  refuseSecrets(parts);
  parts.take(parts.removal);
  await parts.pass(60_000);
  expect(parts.find(TEAM).failure).toEqual({
    reason: "NamespaceKept",
    message: "secrets may not be listed there",
    final: false,
  });
  parts.client.gate = () => undefined;
  await parts.pass(60_000);
  expect(parts.names()).not.toContain("team");
});

test("a namespace that is occupied is inspected slowly, and never again once the row is withdrawn", async () => {
  const { client, take, withdraw, clock, pass, removal, occupy } = await memberWithTeam();
  await occupy();
  take(removal);
  await pass(1_000);
  const once = client.calls.length;
  await pass(500);
  expect(client.calls).toHaveLength(once);
  await pass(60_000);
  expect(client.calls.length).toBeGreaterThan(once);
  withdraw(TEAM);
  const before = client.calls.length;
  await pass(300_000);
  expect([client.calls.length, clock.pending]).toEqual([before, 0]);
});

test.each<{ name: string; change: (parts: Parts) => void }>([
  { name: "the row is withdrawn", change: ({ withdraw }) => withdraw(TEAM) },
  { name: "something is to be placed there", change: ({ take }) => take(row({ ref: inTeam })) },
])("a namespace stays when $name while it is inspected", async ({ change }) => {
  const parts = await memberWithTeam();
  let changed = false;
  parts.client.gate = ({ verb, phase }) => {
    if (verb !== "list" || phase !== "after" || changed) return;
    changed = true;
    change(parts);
  };
  parts.take(parts.removal);
  await parts.pass(60_000);
  expect([changed, parts.names().includes("team")]).toEqual([true, true]);
  expect(parts.client.writes).toEqual(["create namespaces"]);
});

test("a namespace is inspected again when a row comes back meanwhile", async () => {
  const { client, take, withdraw, pass, removal, names } = await memberWithTeam();
  let changed = false;
  client.gate = ({ verb, phase }) => {
    if (verb !== "list" || phase !== "after" || changed) return;
    changed = true;
    withdraw(TEAM);
    queueMicrotask(() => take(removal));
  };
  take(removal);
  await pass(60_000);
  expect(names()).not.toContain("team");
});

test("nothing is begun after the session", async () => {
  const { client, take, clock, pass, end, removal } = await memberWithTeam();
  end.abort(new Error("over"));
  const before = client.calls.length;
  take(removal);
  await pass(60_000);
  expect([client.calls.length, clock.pending]).toEqual([before, 0]);
});
