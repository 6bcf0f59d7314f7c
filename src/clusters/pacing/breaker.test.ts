import { describe, expect, test } from "vitest";
import { Breaker } from "./breaker.ts";

function failing(times: number, at = 0): Breaker {
  const breaker = new Breaker();
  breaker.setContact(true);
  for (let index = 0; index < times; index += 1) breaker.unreached(at);
  return breaker;
}

describe("Breaker", () => {
  test("is open before contact", () => {
    expect(new Breaker().state(0)).toEqual({ kind: "Open", retryAt: undefined });
  });

  test("stays closed after fewer failures than the threshold", () => {
    expect(failing(Breaker.THRESHOLD - 1).state(0).kind).toBe("Closed");
  });

  test("opens after the threshold, for longer each time, and then admits one trial at a time", () => {
    const breaker = failing(Breaker.THRESHOLD, 100);
    expect(breaker.state(100)).toEqual({ kind: "Open", retryAt: 600 });
    expect(breaker.state(600).kind).toBe("HalfOpen");
    breaker.unreached(600);
    expect(breaker.state(600)).toEqual({ kind: "Open", retryAt: 1_600 });
  });

  test("has a longest pause", () => {
    expect(failing(100).state(0)).toEqual({ kind: "Open", retryAt: Breaker.LONGEST_PAUSE_MS });
  });

  test.each([
    ["a success", (breaker: Breaker) => breaker.succeeded()],
    ["renewed contact", (breaker: Breaker) => breaker.setContact(true)],
  ])("is closed by %s", (_, act) => {
    const breaker = failing(20);
    act(breaker);
    expect(breaker.state(0).kind).toBe("Closed");
  });
});
