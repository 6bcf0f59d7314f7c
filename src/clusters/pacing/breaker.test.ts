import { describe, expect, test } from "vitest";
import { Breaker } from "./breaker.ts";

function failing(times: number, at = 0): Breaker {
  const breaker = new Breaker();
  breaker.setContact(true);
  for (let index = 0; index < times; index += 1) breaker.unreached(at);
  return breaker;
}

describe("Breaker", () => {
  test("nothing is sent before there is contact", () => {
    expect(new Breaker().state(0)).toEqual({ kind: "Open", retryAt: undefined });
  });

  test("single failures do not open it", () => {
    expect(failing(Breaker.THRESHOLD - 1).state(0).kind).toBe("Closed");
  });

  test("a run of failures opens it, for longer each time, until one trial at a time is let through", () => {
    const breaker = failing(Breaker.THRESHOLD, 100);
    expect(breaker.state(100)).toEqual({ kind: "Open", retryAt: 600 });
    expect(breaker.state(600).kind).toBe("HalfOpen");
    breaker.unreached(600);
    expect(breaker.state(600)).toEqual({ kind: "Open", retryAt: 1_600 });
  });

  test("the pause has a bound", () => {
    expect(failing(100).state(0)).toEqual({ kind: "Open", retryAt: Breaker.LONGEST_PAUSE_MS });
  });

  test.each([
    ["a success", (breaker: Breaker) => breaker.succeeded()],
    ["renewed contact", (breaker: Breaker) => breaker.setContact(true)],
  ])("%s closes it", (_, act) => {
    const breaker = failing(20);
    act(breaker);
    expect(breaker.state(0).kind).toBe("Closed");
  });
});
