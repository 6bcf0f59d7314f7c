import { expect, test } from "vitest";
import type { ObjectRef } from "../../apis/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { Breaker } from "./breaker.ts";
import { KindBreakers } from "./kindBreakers.ts";

const DEPLOYMENT = { apiVersion: "apps/v1", kind: "Deployment", namespace: "shop", name: "a" };
const SERVICE = { apiVersion: "v1", kind: "Service", namespace: "shop", name: "a" };

function silentDeployments() {
  const clock = new FakeClock();
  const enqueued: string[] = [];
  const breakers = new KindBreakers(clock, (key) => enqueued.push(key));
  /** Begins a request, or waits for a trial. */
  const admits = (ref: ObjectRef, key: string): boolean => {
    const isAdmitted = breakers.admits(ref);
    if (isAdmitted) breakers.begin(ref);
    else breakers.awaitTrial(ref, key);
    return isAdmitted;
  };
  for (let n = 0; n < Breaker.THRESHOLD; n += 1) {
    expect(admits(DEPLOYMENT, `d${n}`)).toBe(true);
    breakers.silent(DEPLOYMENT);
  }
  return { clock, enqueued, breakers, admits };
}

test("one trial at a time is admitted, and an answer releases all waiting objects", async () => {
  const { clock, enqueued, breakers, admits } = silentDeployments();
  expect(admits(DEPLOYMENT, "d6")).toBe(false);
  expect(admits(DEPLOYMENT, "d7")).toBe(false);
  await clock.advance(Breaker.FIRST_PAUSE_MS);
  expect(enqueued).toEqual(["d6"]);
  expect(admits(DEPLOYMENT, "d6")).toBe(true);
  expect(admits(DEPLOYMENT, "d7")).toBe(false);
  breakers.silent(DEPLOYMENT);
  await clock.advance(Breaker.FIRST_PAUSE_MS);
  expect(enqueued).toEqual(["d6"]);
  await clock.advance(Breaker.FIRST_PAUSE_MS);
  expect(enqueued).toEqual(["d6", "d7"]);
  expect(admits(DEPLOYMENT, "d7")).toBe(true);
  expect(admits(DEPLOYMENT, "d8")).toBe(false);
  breakers.answered(DEPLOYMENT);
  expect(enqueued).toEqual(["d6", "d7", "d8"]);
  expect(admits(DEPLOYMENT, "d8")).toBe(true);
  breakers.clear();
  expect(clock.pending).toBe(0);
});

test("a trial that was not sent passes to the next object", async () => {
  const { clock, enqueued, breakers, admits } = silentDeployments();
  for (const key of ["d6", "d7", "d8"]) admits(DEPLOYMENT, key);
  await clock.advance(Breaker.FIRST_PAUSE_MS);
  expect(admits(DEPLOYMENT, "d6")).toBe(true);
  await clock.advance(60_000);
  expect(admits(DEPLOYMENT, "d7")).toBe(false);
  enqueued.length = 0;
  breakers.unsent(SERVICE);
  breakers.unsent(DEPLOYMENT);
  await clock.advance(60_000);
  expect(enqueued).toEqual(["d8", "d7"]);
  expect(admits(DEPLOYMENT, "d8")).toBe(true);
});

test("a forgotten object passes its trial to the next one", async () => {
  const { clock, enqueued, admits } = silentDeployments();
  for (const key of ["gone", "d7"]) admits(DEPLOYMENT, key);
  await clock.advance(Breaker.FIRST_PAUSE_MS);
  expect(enqueued).toEqual(["gone"]);
  await clock.advance(Breaker.FIRST_PAUSE_MS);
  expect(enqueued).toEqual(["gone", "d7"]);
});

test("an answer resets the count of silences", () => {
  const { breakers, admits } = silentDeployments();
  breakers.answered(DEPLOYMENT);
  breakers.answered(SERVICE);
  for (let n = 1; n < Breaker.THRESHOLD; n += 1) breakers.silent(DEPLOYMENT);
  expect(admits(DEPLOYMENT, "d1")).toBe(true);
  breakers.silent(DEPLOYMENT);
  expect(admits(DEPLOYMENT, "d1")).toBe(false);
});

test("breakers are per group and kind, and clear() forgets the waiting objects", async () => {
  const { clock, enqueued, breakers, admits } = silentDeployments();
  expect(admits({ ...DEPLOYMENT, apiVersion: "apps/v2" }, "other")).toBe(false);
  expect(admits({ ...DEPLOYMENT, apiVersion: "example.com/v1" }, "other")).toBe(true);
  breakers.clear();
  await clock.advance(60_000);
  expect([enqueued, clock.pending, admits(DEPLOYMENT, "d6")]).toEqual([[], 0, true]);
});
