import { expect, test } from "vitest";
import { FakeClock } from "../runtime/testing/fakeClock.ts";
import { Breaker } from "./breaker.ts";
import { KindBreakers } from "./kindBreakers.ts";

const DEPLOYMENT = { apiVersion: "apps/v1", kind: "Deployment", namespace: "shop", name: "a" };
const SERVICE = { apiVersion: "v1", kind: "Service", namespace: "shop", name: "a" };

function silentDeployments() {
  const clock = new FakeClock();
  const enqueued: string[] = [];
  const breakers = new KindBreakers(clock, (key) => enqueued.push(key));
  for (let n = 0; n < Breaker.THRESHOLD; n += 1) {
    expect(breakers.admits(DEPLOYMENT, `d${n}`)).toBe(true);
    breakers.silent(DEPLOYMENT);
  }
  return { clock, enqueued, breakers };
}

test("a kind without answers waits, and no other", () => {
  const { breakers } = silentDeployments();
  expect(breakers.admits(DEPLOYMENT, "d6")).toBe(false);
  expect(breakers.admits(SERVICE, "s1")).toBe(true);
});

test("one object at a time tries again, and an answer lets all of them go on", async () => {
  const { clock, enqueued, breakers } = silentDeployments();
  expect(breakers.admits(DEPLOYMENT, "d6")).toBe(false);
  expect(breakers.admits(DEPLOYMENT, "d7")).toBe(false);
  await clock.advance(Breaker.FIRST_PAUSE_MS);
  expect(enqueued).toEqual(["d6"]);
  expect(breakers.admits(DEPLOYMENT, "d6")).toBe(true);
  expect(breakers.admits(DEPLOYMENT, "d7")).toBe(false);
  breakers.silent(DEPLOYMENT);
  await clock.advance(Breaker.FIRST_PAUSE_MS);
  expect(enqueued).toEqual(["d6"]);
  await clock.advance(Breaker.FIRST_PAUSE_MS);
  expect(enqueued).toEqual(["d6", "d7"]);
  expect(breakers.admits(DEPLOYMENT, "d7")).toBe(true);
  expect(breakers.admits(DEPLOYMENT, "d8")).toBe(false);
  breakers.answered(DEPLOYMENT);
  expect(enqueued).toEqual(["d6", "d7", "d8"]);
  expect(breakers.admits(DEPLOYMENT, "d8")).toBe(true);
  breakers.clear();
  expect(clock.pending).toBe(0);
});
