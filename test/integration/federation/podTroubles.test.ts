import { describe, expect, test } from "vitest";
import { ApiError, DEMOAPPLICATIONS, DEPLOYMENTS, PLACEMENTS, PODS } from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";

/** Says why pods do not run, in the place of the Deployment's `0 of 2 replicas ready`. */
const TROUBLES = [
  { image: "shop:does-not-exist", reason: "ImagePullBackOff", message: /^container \S+: .*shop:does-not-exist/ },
  { image: "shop:crash", reason: "CrashLoopBackOff", message: /^container \S+: exit code 1, again and again$/ },
];

async function started(image: string): Promise<TestFederation> {
  const federation = await TestFederation.start("shanghai");
  await federation.apply(PLACEMENTS, placement("all"));
  await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(2).image(image));
  return federation;
}

const readsOf = (federation: TestFederation): number =>
  federation
    .member("shanghai")
    .clients.flatMap(({ calls }) => calls)
    .filter((call) => call === "list pods").length;

describe("pods that do not run are the reason on the hub", () => {
  test.each(TROUBLES)("$reason", async ({ image, reason, message }) => {
    await using federation = await started(image);
    await federation.until(() => federation.entry("shop", "shanghai")?.reason === reason);
    const entry = federation.entry("shop", "shanghai");
    expect(entry?.state).not.toBe("Available");
    expect(entry?.message).toMatch(message);
  });

  test("also while old pods serve: then it is not ready for that reason, and available as it was", async () => {
    await using federation = await TestFederation.start("shanghai");
    await federation.apply(PLACEMENTS, placement("all"));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(4));
    await federation.untilAvailable("shop");
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(4).image("shop:does-not-exist"));
    await federation.until(() => federation.condition("shop", "Ready") === "False ImagePullBackOff");
    expect(federation.condition("shop", "Progressing")).toBe("True RollingOut");
    const available = federation.status("shop")?.conditions?.find(({ type }) => type === "Available");
    expect(available).toMatchObject({ status: "True", observedGeneration: 1 });
    expect(federation.status("shop")).toMatchObject({ observedGeneration: 2, availableClusters: "1/1" });
  });

  test("Unschedulable, when no node has room", async () => {
    await using federation = await TestFederation.start("shanghai");
    await federation.apply(PLACEMENTS, placement("all"));
    const app = demoApplication("shop").object();
    await federation.apply(DEMOAPPLICATIONS, {
      ...app,
      spec: { ...(app["spec"] as object), resources: { requests: { cpu: "4000" } } },
    });
    await federation.until(() => federation.entry("shop", "shanghai")?.reason === "Unschedulable");
    expect(federation.entry("shop", "shanghai")?.message).toMatch(/^pods: 0\/\d+ nodes are available/);
  });

  test("the trouble stays as it was told, passes with its cause, and is no reason for writes meanwhile", async () => {
    await using federation = await started("shop:does-not-exist");
    await federation.until(() => federation.entry("shop", "shanghai")?.reason === "ImagePullBackOff");
    const told = federation.entry("shop", "shanghai");
    await federation.pass(5_000);
    const { length } = federation.hubWrites;
    // Long enough for the kubelet to try again several times, and for the Deployment not to give up.
    await federation.pass(240_000);
    expect(federation.entry("shop", "shanghai")).toEqual(told);
    expect(federation.hubWrites.slice(length)).toEqual([]);
    // Less and less often: once a minute in the end.
    expect(readsOf(federation)).toBeLessThan(14);
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(2).image("shop:2"));
    await federation.untilAvailable("shop");
    expect(federation.entry("shop", "shanghai")).not.toHaveProperty("reason");
    const reads = readsOf(federation);
    await federation.pass(120_000);
    expect(readsOf(federation)).toBe(reads);
  });

  test("a member that does not let its pods be read says what the Deployment says, and is not asked again for a while", async () => {
    await using federation = await TestFederation.start("shanghai");
    federation.member("shanghai").refuse = (verb, type) =>
      verb === "list" && type === PODS ? new ApiError(403, "Forbidden", "pods is forbidden") : undefined;
    await federation.apply(PLACEMENTS, placement("all"));
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(2).image("shop:does-not-exist"));
    await federation.until(() => readsOf(federation) > 0);
    await federation.pass(300_000);
    expect(readsOf(federation)).toBe(1);
    expect(federation.entry("shop", "shanghai")).toMatchObject({ state: "Progressing", reason: "PodsNotReady" });
    expect(federation.member("shanghai").server.has(DEPLOYMENTS, "default", "shop")).toBe(true);
  });

  test("no pod is read of an application that starts as it should", async () => {
    await using federation = await TestFederation.running("shanghai");
    await federation.pass(60_000);
    expect(readsOf(federation)).toBe(0);
  });
});
