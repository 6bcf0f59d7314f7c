import { expect, onTestFinished, test } from "vitest";
import { Feed, Table } from "../../src/query/index.ts";
import { DEMOAPPLICATIONS, PLACEMENTS } from "../../src/runtime/index.ts";
import { demoApplication, placement } from "../builders/index.ts";
import { breakAll } from "../integration/federation/fiveFaults.ts";
import { TestFederation } from "../integration/federation/harness.ts";
import { Studio } from "./browser.ts";

const FAULTS = { quota: "r10", stuck: "r02", slow: "r11", silent: "r12" };
const REGIONS = Array.from({ length: 12 }, (_, index) => `r${String(index + 1).padStart(2, "0")}`);
const APPLICATIONS = ["billing", "old", "shop"];

/** A federation of twelve regions, and the table that its manager feeds. */
async function twelveRegions(): Promise<{ federation: TestFederation; table: Table }> {
  const federation = await TestFederation.prepare(...REGIONS);
  const { clock } = federation;
  const table = new Table({ now: () => clock.now() });
  federation.onStart = (view, hub) => {
    const logger = { error: (...line: unknown[]) => expect.fail(JSON.stringify(line)) };
    const feed = new Feed({ table, hub, view, clock, logger });
    onTestFinished(() => feed[Symbol.dispose]());
  };
  await federation.startManager();
  return { federation, table };
}

test("a bad night: the first screen alone names five faults on twelve regions, with cluster, since and cause", async () => {
  const { federation, table } = await twelveRegions();
  await using stack = new AsyncDisposableStack();
  stack.use(federation);
  await federation.apply(PLACEMENTS, placement("all"));
  for (const name of APPLICATIONS) await federation.apply(DEMOAPPLICATIONS, demoApplication(name).replica(2));
  for (const name of APPLICATIONS) await federation.untilAvailable(name);
  const studio = stack.use(await Studio.open());
  const visit = stack.use(await studio.visit({ table, now: () => federation.clock.now() }));
  const { page } = visit;
  await page.clock.setFixedTime(federation.clock.now());
  await federation.pass(5_000);
  await visit.signIn();
  await page.getByText("No trouble in 3 objects that you may read.").waitFor();

  await breakAll(federation, FAULTS);
  await federation.pass(40_000);
  await page.clock.setFixedTime(federation.clock.now());

  const since = "since [^\\n]+, for ([1-9]|[1-4]\\d)s";
  const image = page.locator(".cause", { hasText: "ImagePullBackOff" });
  await image.waitFor();
  await expect.poll(() => image.innerText()).toMatch(new RegExp(`1 object in 10 clusters\\s+${since}`));
  expect(await image.innerText()).toMatch(/after generation 2 of default.billing/);
  expect(await image.innerText()).toContain("billing:does-not-exist");
  expect(await image.innerText()).toMatch(/clusters: r01, r02, r03/);
  const quota = page.locator(".cause", { hasText: "QuotaExceeded" });
  expect(await quota.innerText()).toMatch(new RegExp(`1 object in 1 cluster\\s+${since}`));
  expect(await quota.innerText()).toMatch(/exceeded quota[^]*clusters: r10/);
  const silent = page.locator("[data-cluster=r12]");
  expect(await silent.innerText()).toMatch(new RegExp(`ClusterUnreachable\\s+${since}[^]*last contact \\d+s`));
  expect(await silent.locator("code").innerText()).toBe("kubectl describe membercluster r12");
  const slow = page.locator("[data-cluster=r11]");
  expect(await slow.innerText()).toMatch(new RegExp(`SlowAnswers\\s+${since}[^]*answers take about 2.5s`));
  const stuck = page.locator("section:has(#held) li", { hasText: "old on r02" });
  expect(await stuck.innerText()).toMatch(new RegExp(`Terminating\\s+${since}[^]*finalizer example.com/backup`));
}, 120_000);
