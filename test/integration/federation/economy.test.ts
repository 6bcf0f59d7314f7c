import { describe, expect, test } from "vitest";
import type { MemberCluster } from "../../../src/apis/index.ts";
import { DEMOAPPLICATIONS, MEMBERCLUSTERS, PLACEMENTS } from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";
import { BACKUP_KIND } from "./objects.ts";

/** `shop` goes wherever `tier` is gold, which shanghai is; `blog` to shanghai, and nowhere else. */
async function running(): Promise<TestFederation> {
  const federation = await TestFederation.start("shanghai", "singapore");
  await label(federation, "shanghai");
  const gold = [{ key: "tier", operator: "In" as const, values: ["gold"] }];
  await federation.apply(
    PLACEMENTS,
    placement("gold")
      .of("shop")
      .affinity({ name: "gold", labelSelector: { matchExpressions: gold } }),
  );
  await federation.apply(PLACEMENTS, placement("shanghai").of("blog").onClusters("shanghai"));
  for (const name of ["shop", "blog"]) await federation.apply(DEMOAPPLICATIONS, demoApplication(name));
  for (const name of ["shop", "blog"]) await federation.untilAvailable(name);
  await federation.pass(5_000);
  return federation;
}

async function label(federation: TestFederation, cluster: string): Promise<void> {
  await federation.hub.merge(MEMBERCLUSTERS, undefined, cluster, { metadata: { labels: { tier: "gold" } } });
}

const clusterOf = (federation: TestFederation, name: string): MemberCluster =>
  federation.hub.get(MEMBERCLUSTERS, undefined, name) as unknown as MemberCluster;
const isReady = ({ status }: MemberCluster): boolean =>
  status?.conditions?.some((one) => one.type === "Ready" && one.status === "True") === true;

/** How often each application has been planned. */
function plans({ log }: TestFederation): { shop: number; blog: number } {
  const of = (name: string): number => {
    const said = `"controller":"placement","key":"paas.cmft.com/DemoApplication/default/${name}"`;
    return log.filter((line) => line.includes(said) && line.includes('"msg":"reconciled"')).length;
  };
  return { shop: of("shop"), blog: of("blog") };
}

interface Fact {
  name: string;
  /** Changes the fact of shanghai, where both applications run. */
  change: (federation: TestFederation) => Promise<unknown>;
  /** The MemberCluster says so. */
  isTold: (cluster: MemberCluster) => boolean;
}

const FACTS: Fact[] = [
  {
    name: "its labels",
    change: ({ hub }) => hub.merge(MEMBERCLUSTERS, undefined, "shanghai", { metadata: { labels: { zone: "b" } } }),
    isTold: ({ metadata }) => metadata.labels?.["zone"] === "b",
  },
  {
    name: "its readiness",
    change: async (federation) => federation.member("shanghai").cutOff(),
    isTold: (cluster) => !isReady(cluster),
  },
  {
    name: "the APIs that it serves",
    change: (federation) => federation.member("shanghai").server.install(BACKUP_KIND),
    isTold: ({ status }) => status?.apis?.includes("backups.test/v1") === true,
  },
];

describe("facts of a cluster that change: what may use it is planned again", () => {
  test.each(FACTS)("$name", async ({ change, isTold }) => {
    await using federation = await running();
    const before = plans(federation);
    await change(federation);
    // APIs are read every five minutes.
    await federation.until(() => isTold(clusterOf(federation, "shanghai")), 400_000);
    await federation.pass(1_000);
    const after = plans(federation);
    expect(after.shop).toBeGreaterThan(before.shop);
    expect(after.blog).toBeGreaterThan(before.blog);
  });

  test("and what may not use it is not", async () => {
    await using federation = await running();
    const before = plans(federation);
    await label(federation, "singapore");
    await federation.until(() => federation.entry("shop", "singapore")?.state === "Available");
    const after = plans(federation);
    expect(after.shop).toBeGreaterThan(before.shop);
    expect(after.blog).toBe(before.blog);
  });
});

describe("what changes no fact of a cluster plans nothing again", () => {
  test.each<{ name: string; act: (federation: TestFederation, turn: number) => Promise<unknown> }>([
    {
      name: "heartbeats in its condition",
      act: (federation, turn) => {
        const { status } = clusterOf(federation, "shanghai");
        const lastTransitionTime = new Date(federation.clock.now()).toISOString().replace(/\.\d+/, "");
        const conditions = (status?.conditions ?? []).map((one) => ({
          ...one,
          message: `alive, for the ${turn}th time`,
          lastTransitionTime,
        }));
        return federation.hub.merge(MEMBERCLUSTERS, undefined, "shanghai", { status: { conditions } }, "status");
      },
    },
    {
      name: "other credentials for the same cluster",
      act: async (federation, turn) => {
        const member = federation.member("shanghai");
        await federation.giveCredentials(member, turn % 2 === 0 ? await member.server.anotherToken() : member.token);
      },
    },
  ])("$name", async ({ act }) => {
    await using federation = await running();
    const before = plans(federation);
    const { version } = federation.hub;
    for (let turn = 0; turn < 5; turn++) {
      await act(federation, turn);
      await federation.pass(5_000);
    }
    expect(federation.hub.version).not.toBe(version);
    expect(isReady(clusterOf(federation, "shanghai"))).toBe(true);
    expect(plans(federation)).toEqual(before);
  });

  test("nor does time: nothing is planned in six minutes in which nothing happens", async () => {
    await using federation = await running();
    const before = plans(federation);
    await federation.pass(360_000);
    expect(plans(federation)).toEqual(before);
  });
});
