import { expect, test } from "vitest";
import { type KubeObject, MANAGED_BY_LABEL, OWNER_ANNOTATION } from "../../../src/apis/index.ts";
import { ApiError, CONFIGMAPS } from "../../../src/runtime/index.ts";
import { startMember } from "./testMember.ts";
import { ForeignCheck } from "../../../src/clusters/foreignCheck.ts";
import { CONFIG_REF, OWNER } from "../../../src/clusters/testing/builders.ts";

async function check() {
  const { server, client, clock } = await startMember();
  const foreign = new ForeignCheck(client, "hub", clock);
  const has = (name: string, metadata: Partial<KubeObject["metadata"]> = {}) =>
    server.create(CONFIGMAPS, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: "default", ...metadata },
    });
  const find = (name: string) => foreign.find(CONFIGMAPS, { ...CONFIG_REF, name }, OWNER);
  return { client, clock, has, find };
}

test.each([
  { name: "nothing", metadata: undefined, want: "Free" },
  { name: "somebody's", metadata: {}, want: "Foreign" },
  { name: "another hub's", metadata: { labels: { [MANAGED_BY_LABEL]: "another-hub" } }, want: "Foreign" },
  { name: "ours", metadata: { labels: { [MANAGED_BY_LABEL]: "hub" } }, want: "Ours" },
  {
    name: "ours without its label",
    metadata: { annotations: { [OWNER_ANNOTATION]: JSON.stringify(OWNER) } },
    want: "Ours",
  },
  {
    name: "of an earlier life of the owner",
    metadata: { annotations: { [OWNER_ANNOTATION]: JSON.stringify({ ...OWNER, uid: "before" }) } },
    want: "Foreign",
  },
  {
    name: "with an owner that nobody can read",
    metadata: { annotations: { [OWNER_ANNOTATION]: "{" } },
    want: "Foreign",
  },
])("$name is $want", async ({ metadata, want }) => {
  const { has, find } = await check();
  if (metadata !== undefined) await has("shop", metadata);
  expect(await find("shop")).toBe(want);
});

test("many questions at once are one list, few are gets", async () => {
  const { client, has, find } = await check();
  await has("b");
  expect(await Promise.all(["a", "b", "c", "d"].map(find))).toEqual(["Free", "Foreign", "Free", "Free"]);
  expect(client.calls).toEqual(["list configmaps"]);
});

test("a list answers for a moment only, and is not kept after that", async () => {
  const { client, clock, has, find } = await check();
  await Promise.all(["a", "b", "c"].map(find));
  await has("late");
  expect(await find("late")).toBe("Free");
  await clock.advance(2_001);
  expect(clock.pending).toBe(0);
  expect(await find("late")).toBe("Foreign");
  expect(client.calls).toEqual(["list configmaps", "get configmaps"]);
});

test("a crowd that goes on is asked for with one list after the other", async () => {
  const { client, clock, find } = await check();
  await Promise.all(["a", "b", "c"].map(find));
  for (let index = 0; index < 50; index++) {
    await clock.advance(100);
    await find(`more-${index}`);
  }
  expect(client.calls).toEqual(["list configmaps", "list configmaps", "list configmaps"]);
  await clock.advance(5_000);
  expect(clock.pending).toBe(0);
});

test("a question that comes while others are answered is answered too", async () => {
  const { client, has, find } = await check();
  await has("a");
  await has("late");
  const asked: Promise<string>[] = [];
  client.gate = ({ phase }) => {
    if (phase === "after" && asked.length === 0) asked.push(find("late"));
  };
  await find("a");
  expect(await Promise.all(asked)).toEqual(["Foreign"]);
});

test("what the client throws reaches everybody who asked, and the next question is asked anew", async () => {
  const { client, find } = await check();
  client.gate = () => {
    throw new ApiError(403, "Forbidden", "no");
  };
  const answers = await Promise.allSettled(["a", "b", "c"].map(find));
  expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  client.gate = () => undefined;
  expect(await find("a")).toBe("Free");
});
