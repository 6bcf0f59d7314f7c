import { describe, expect, test } from "vitest";
import { CONFIGMAPS, DEMOAPPLICATIONS, PLACEMENTS } from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";
import { configMap } from "./objects.ts";

const SHANGHAI = "shanghai";

/** What was recorded on an application, as `reason note`, since the beginning or since so many Events. */
function told(federation: TestFederation, name = "shop", since = 0): string[] {
  return federation.events
    .slice(since)
    .filter((event) => (event["regarding"] as { name: string; kind: string }).name === name)
    .map((event) => `${String(event["reason"])}: ${String(event["note"])}`);
}

/** The ends of troubles that were told of. */
const recoveries = (federation: TestFederation, name: string): string[] =>
  told(federation, name).flatMap((line) => (line.startsWith("Recovered: ") ? line.slice("Recovered: ".length) : []));

const warnings = (federation: TestFederation): unknown[] =>
  federation.events.filter((event) => event["type"] === "Warning").map((event) => event["reason"]);

describe("events on an application", () => {
  test("tell once where it goes, and nothing more if it arrives without trouble", async () => {
    await using federation = await TestFederation.running(SHANGHAI);
    await federation.pass(30_000);
    expect(told(federation)).toEqual(["Scheduled: placed on 1 cluster: shanghai"]);
    const { length } = federation.events;
    await federation.restart();
    await federation.pass(30_000);
    expect(federation.events.slice(length)).toEqual([]);
  });

  test("tell of pods that do not run, and of recovery", async () => {
    await using federation = await TestFederation.running(SHANGHAI);
    await federation.pass(5_000);
    const { length } = federation.events;
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(2).port(80).image("shop:crash"));
    await federation.until(() => federation.entry("shop", SHANGHAI)?.reason === "CrashLoopBackOff");
    await federation.pass(60_000);
    await federation.restart();
    await federation.pass(20_000);
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(2).port(80).image("shop:3"));
    await federation.untilAvailable("shop");
    await federation.pass(30_000);
    expect(told(federation, "shop", length)).toEqual([
      "RolloutStarted: generation 2 goes to shanghai",
      expect.stringMatching(/^CrashLoopBackOff: shanghai: container \S+: exit code 1, again and again$/),
      "RolloutStarted: generation 3 goes to shanghai",
      expect.stringMatching(
        /^Recovered: healthy again on shanghai \(CrashLoopBackOff for \d+s, container \S+: exit code 1, .*\)$/,
      ),
      "RolloutCompleted: generation 3 is available on 1/1 clusters",
    ]);
  });

  test("tell of a cluster that answers again to a manager that never knew it to", async () => {
    await using federation = await TestFederation.running(SHANGHAI, "singapore");
    federation.member("singapore").cutOff();
    await federation.until(() => federation.entry("shop", "singapore")?.state === "Unknown");
    await federation.restart();
    await federation.pass(60_000);
    federation.member("singapore").comeBack();
    await federation.until(() => federation.entry("shop", "singapore")?.state === "Available", 180_000);
    await federation.pass(5_000);
    expect(recoveries(federation, "singapore")).toEqual([
      expect.stringMatching(/^contact regained after \d+s: ClusterUnreachable, /),
    ]);
    expect(recoveries(federation, "shop")).toEqual([]);
  });
});

describe("no warning comes of what is applied in one go", () => {
  test("an application before its Placement, and before the ConfigMap that it reads", async () => {
    await using federation = await TestFederation.start(SHANGHAI);
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").envFromConfigMap("settings"));
    await federation.pass(1_000);
    await federation.apply(PLACEMENTS, placement("all"));
    await federation.pass(1_000);
    await federation.hub.create(CONFIGMAPS, configMap("settings", { a: "b" }));
    await federation.untilAvailable("shop");
    await federation.pass(30_000);
    expect(warnings(federation)).toEqual([]);
  });
});

describe("a deletion that waits says for which cluster, since when and what frees it", () => {
  const message = (federation: TestFederation): string | undefined =>
    federation.status("shop")?.conditions?.find(({ type }) => type === "Progressing")?.message;

  test("for a cluster that does not answer: in the condition, in the column and by one Event", async () => {
    await using federation = await TestFederation.running(SHANGHAI, "singapore");
    federation.member("singapore").cutOff();
    await federation.until(() => federation.entry("shop", "singapore")?.state === "Unknown");
    const since = federation.entry("shop", "singapore")?.observedAt;
    await federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.pass(60_000);
    const waits = `waits for singapore: ClusterUnreachable since ${since}; goes on when it answers or is unjoined`;
    expect(message(federation)).toBe(waits);
    // What the column Message shows.
    const conditions = federation.status("shop")?.conditions;
    expect(conditions?.find(({ type }) => type === "Available")?.message).toBe(waits);
    expect(told(federation).filter((line) => line.startsWith("DeletionWaits"))).toEqual([
      expect.stringMatching(new RegExp(`^DeletionWaits: since \\S+ ${waits}$`)),
    ]);
    const { length } = federation.hubWrites;
    await federation.pass(120_000);
    expect(federation.hubWrites.slice(length)).toEqual([]);
    federation.member("singapore").comeBack();
    await federation.until(() => !federation.hub.has(DEMOAPPLICATIONS, "default", "shop"));
  });
});
