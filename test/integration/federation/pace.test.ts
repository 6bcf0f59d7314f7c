import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../src/apis/index.ts";
import {
  CONFIGMAPS,
  DEMOAPPLICATIONS,
  DEPLOYMENTS,
  MEMBERCLUSTERS,
  PLACEMENTS,
  type ResourceType,
  SECRETS,
} from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";
import { configMap, secret } from "./objects.ts";

describe("contact that comes and goes", () => {
  const names = ["a", "b", "c", "d", "e"];

  async function running(): Promise<TestFederation> {
    const federation = await TestFederation.start("shanghai", "singapore");
    await federation.apply(PLACEMENTS, placement("all"));
    for (const name of names) await federation.apply(DEMOAPPLICATIONS, demoApplication(name));
    for (const name of names) await federation.untilAvailable(name);
    await federation.pass(5_000);
    return federation;
  }

  async function absence(federation: TestFederation, awayMs: number, thereMs: number): Promise<void> {
    const member = federation.member("shanghai");
    member.cutOff();
    await federation.pass(awayMs);
    member.comeBack();
    await federation.pass(thereMs);
  }

  const writes = (federation: TestFederation): string[] => federation.hubWrites;

  test("for moments costs the hub two writes, and no application one", async () => {
    await using federation = await running();
    const [before, events] = [writes(federation).length, federation.events.length];
    for (let round = 0; round < 10; round++) await absence(federation, 4_000, 3_500);
    await federation.pass(20_000);
    expect(writes(federation).slice(before)).toEqual(["applyStatus memberclusters", "applyStatus memberclusters"]);
    expect(federation.events.length - events).toBeLessThanOrEqual(2);
    for (const name of names) expect(federation.condition(name, "Fresh")).toBe("True AllClustersObserved");
  });

  test("for a time that is worth a word costs an application about one write in a minute", async () => {
    await using federation = await running();
    const before = writes(federation).length;
    const startedAt = federation.clock.monotonic();
    while (federation.clock.monotonic() - startedAt < 600_000) await absence(federation, 25_000, 15_000);
    const written = writes(federation).slice(before);
    const minutes = (federation.clock.monotonic() - startedAt) / 60_000;
    expect(written.filter((write) => write === "applyStatus demoapplications").length).toBeLessThan(
      names.length * minutes * 1.2,
    );
    await federation.pass(60_000);
    for (const name of names) expect(federation.condition(name, "Fresh")).toBe("True AllClustersObserved");
  });
});

test("a clock that jumps an hour ahead ends no toleration", async () => {
  await using federation = await TestFederation.start("shanghai", "singapore");
  const { clock, hub } = federation;
  const tolerations = [{ key: "k", operator: "Exists" as const, effect: "NoExecute" as const, tolerationSeconds: 300 }];
  await federation.apply(PLACEMENTS, placement("all").tolerates(...tolerations));
  await federation.apply(DEMOAPPLICATIONS, demoApplication("shop"));
  await federation.untilAvailable("shop");
  const taint = { key: "k", effect: "NoExecute", timeAdded: new Date(clock.now()).toISOString() };
  await hub.merge(MEMBERCLUSTERS, undefined, "shanghai", { spec: { taints: [taint] } });
  await federation.pass(60_000);
  const started = clock.monotonic();
  clock.jumpTo(clock.now() + 3_600_000);
  // Something else lets everything be planned again.
  await hub.merge(MEMBERCLUSTERS, undefined, "shanghai", { metadata: { labels: { zone: "b" } } });
  const { server } = federation.member("shanghai");
  await federation.pass(200_000);
  expect(server.has(DEPLOYMENTS, "default", "shop")).toBe(true);
  await federation.until(() => !server.has(DEPLOYMENTS, "default", "shop"), 60_000);
  expect(clock.monotonic() - started).toBeGreaterThan(239_000);
});

describe("a dependency that was replaced on the hub", () => {
  interface Replaced {
    name: string;
    type: ResourceType;
    before: KubeObject;
    after: KubeObject;
  }
  const key = Buffer.from("key").toString("base64");
  const REPLACED: Replaced[] = [
    {
      name: "an immutable ConfigMap",
      type: CONFIGMAPS,
      before: { ...configMap("settings", { mode: "old" }), immutable: true },
      after: { ...configMap("settings", { mode: "new" }), immutable: true },
    },
    {
      name: "an immutable Secret that can be changed now",
      type: SECRETS,
      before: { ...secret("settings", { mode: key }), immutable: true },
      after: secret("settings", { mode: "" }),
    },
  ];

  async function replace(federation: TestFederation, { type, before, after }: Replaced): Promise<void> {
    await federation.hub.delete(type, "default", before.metadata.name);
    await federation.apply(type, after);
  }

  const contentOf = ({ data, type, immutable = false }: KubeObject): unknown => ({ data, type, immutable });

  test.each(REPLACED)("$name is made anew on each member, before anything reads it", async (replaced) => {
    await using federation = await TestFederation.start("shanghai", "singapore");
    const { type, before } = replaced;
    await federation.apply(PLACEMENTS, placement("all"));
    await federation.apply(type, before);
    for (const name of ["shop", "blog"]) {
      const app = demoApplication(name);
      await federation.apply(
        DEMOAPPLICATIONS,
        type === SECRETS ? app.envFromSecret("settings") : app.envFromConfigMap("settings"),
      );
    }
    for (const name of ["shop", "blog"]) await federation.untilAvailable(name);
    await federation.pass(5_000);
    const members = ["shanghai", "singapore"].map((name) => federation.member(name));
    const uids = members.map(({ server }) => server.get(type, "default", "settings").metadata.uid);
    const templates = members.map(({ server }) => templateOf(server.get(DEPLOYMENTS, "default", "shop")));

    await federation.hub.delete(type, "default", "settings");
    await federation.pass(5_000);
    const missing = members.map(({ writes }) => writes.length);
    await federation.apply(type, replaced.after);
    await federation.until(() =>
      members.every(({ server }, index) => {
        const copy = server.find(type, "default", "settings");
        return copy !== undefined && copy.metadata.uid !== uids[index];
      }),
    );
    await federation.pass(5_000);
    const wanted = contentOf(federation.hub.get(type, "default", "settings"));
    for (const [index, { server, writes }] of members.entries()) {
      const since = writes.slice(missing[index]);
      expect(contentOf(server.get(type, "default", "settings"))).toEqual(wanted);
      expect(since.filter((write) => write.startsWith("delete "))).toEqual([`delete ${type.plural}`]);
      const made = since.lastIndexOf(`apply ${type.plural}`);
      expect(made).toBeGreaterThan(since.indexOf(`delete ${type.plural}`));
      expect(since.slice(made).filter((write) => write === "apply deployments")).toHaveLength(2);
      expect(since.slice(0, made)).not.toContain("apply deployments");
      expect(templateOf(server.get(DEPLOYMENTS, "default", "shop"))).not.toBe(templates[index]);
    }
    for (const name of ["shop", "blog"]) expect(federation.condition(name, "Applied")).toMatch(/^True/);
  });

  test("is not made anew while an application that is suspended runs on the old one", async () => {
    await using federation = await TestFederation.start("shanghai");
    const [replaced] = REPLACED;
    if (replaced === undefined) throw new Error("no case");
    await federation.apply(PLACEMENTS, placement("all").of("shop"));
    await federation.apply(PLACEMENTS, placement("blog").of("blog"));
    await federation.apply(CONFIGMAPS, replaced.before);
    for (const name of ["shop", "blog"])
      await federation.apply(DEMOAPPLICATIONS, demoApplication(name).envFromConfigMap("settings"));
    for (const name of ["shop", "blog"]) await federation.untilAvailable(name);
    await federation.apply(PLACEMENTS, placement("blog").of("blog").suspend());
    await federation.until(() => federation.entry("blog", "shanghai")?.state === "Held");
    const { server } = federation.member("shanghai");
    const { uid } = server.get(CONFIGMAPS, "default", "settings").metadata;
    await replace(federation, replaced);
    await federation.pass(20_000);
    expect(server.get(CONFIGMAPS, "default", "settings").metadata.uid).toBe(uid);
    expect(federation.entry("shop", "shanghai")?.state).not.toBe("Available");
    await federation.apply(PLACEMENTS, placement("blog").of("blog"));
    await federation.until(() => server.find(CONFIGMAPS, "default", "settings")?.metadata.uid !== uid);
    await federation.untilAvailable("shop");
  });

  function templateOf(deployment: KubeObject): string {
    return JSON.stringify((deployment["spec"] as { template: unknown }).template);
  }
});
