import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import type { KubeObject } from "../../src/apis/index.ts";
import { DEFAULT_SYSTEM_NAMESPACE } from "../../src/apis/index.ts";
import { freePort } from "../../src/cmd/realClusters/index.ts";
import { LoopProbe } from "../bench/eventloop/probe.ts";
import { collectionPath } from "../e2e/objects.ts";
import { eventually, type Fleet, type Manager, meridianOk, startFleet, startManager } from "../envtest/index.ts";
import { floodWithReviews, REVIEWS } from "../envtest/reviewFlood.ts";

/** A renewal is due so long after the one before. */
const RENEWED_EVERY_MS = 2_000;
const FLOODS = 5;
const LOOK_EVERY_MS = 100;

let fleet: Fleet;
let manager: Manager;
let probe: LoopProbe;
let port: number;

beforeAll(async () => {
  const stack = new AsyncDisposableStack();
  fleet = stack.use(await startFleet({ hub: { controllerManager: false }, members: [] }));
  port = await freePort();
  await meridianOk(fleet.hub, ["install"]);
  probe = stack.use(await LoopProbe.listen(fleet.dir, "loop"));
  const webhooks = ["--webhooks", "--webhook-port", `${port}`, "--webhook-url", `https://127.0.0.1:${port}`];
  manager = stack.use(await startManager({ hub: fleet.hub, folder: fleet.dir, args: webhooks, env: probe.env }));
  return () => stack.disposeAsync();
});

/** Times of renewal in milliseconds, as they stand on the hub one after the other. */
async function watchRenewals(signal: AbortSignal): Promise<number[]> {
  const times: number[] = [];
  while (!signal.aborted) {
    const leases = (await fleet.hub.api.list(collectionPath("Lease", DEFAULT_SYSTEM_NAMESPACE))) as (KubeObject & {
      spec: { renewTime?: string };
    })[];
    const latest = Math.max(...leases.map(({ spec }) => Date.parse(spec.renewTime ?? "")));
    if (latest > (times.at(-1) ?? 0)) times.push(latest);
    await sleep(LOOK_EVERY_MS);
  }
  return times;
}

test("a hundred reviews of 3 MiB at once, again and again, delay no renewal of the Lease by a second", async () => {
  await eventually(async () => expect(await floodWithReviews(port)).toContain(413));
  const end = new AbortController();
  onTestFinished(() => end.abort());
  const watching = watchRenewals(end.signal);
  await sleep(2 * RENEWED_EVERY_MS);
  await probe.read();

  for (let flood = 0; flood < FLOODS; flood++) {
    const answers = await floodWithReviews(port);
    expect(answers).toHaveLength(REVIEWS);
    expect(answers).toContain(413);
  }
  const loop = await probe.read();
  await sleep(2 * RENEWED_EVERY_MS);
  end.abort();
  const renewals = await watching;
  const longest = Math.max(...renewals.slice(1).map((at, index) => at - (renewals[index] ?? at)));
  const { p99Ms, longestMs, longestCpuMs } = loop;
  const rounded = [p99Ms, longestMs, longestCpuMs, longest].map(Math.round);
  console.log(
    `event loop: p99 ${rounded[0]} ms, longest ${rounded[1]} ms, of its own work ${rounded[2]} ms; longest time between renewals ${rounded[3]} ms`,
  );
  expect(renewals.length).toBeGreaterThan(FLOODS);
  expect(longest).toBeLessThan(RENEWED_EVERY_MS + 1_000);
  expect(longestCpuMs).toBeLessThan(100);
  expect(manager.running).toBe(true);
});
