import { describe, expect, test } from "vitest";
import { DEMOAPPLICATIONS, PLACEMENTS } from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";

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
  test("also while old pods serve: then it is not ready for that reason, and available as it was", async () => {
    await using federation = await TestFederation.placed(
      placement("all"),
      demoApplication("shop").replica(4),
      "shanghai",
    );
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(4).image("shop:does-not-exist"));
    await federation.until(() => federation.condition("shop", "Ready") === "False ImagePullBackOff");
    expect(federation.condition("shop", "Progressing")).toBe("True RollingOut");
    const available = federation.status("shop")?.conditions?.find(({ type }) => type === "Available");
    expect(available).toMatchObject({ status: "True", observedGeneration: 1 });
    expect(federation.status("shop")).toMatchObject({ observedGeneration: 2, availableClusters: "1/1" });
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

  test("no pod is read of an application that starts as it should", async () => {
    await using federation = await TestFederation.running("shanghai");
    await federation.pass(60_000);
    expect(readsOf(federation)).toBe(0);
  });
});
