import { describe, expect, test } from "vitest";
import { PlanningProgress } from "./planningProgress.ts";

const app = (namespace: string, name: string) => `paas.cmft.com/DemoApplication/${namespace}/${name}`;

function progressOf(...owners: string[]) {
  const progress = new PlanningProgress();
  const advanced: (string | undefined)[] = [];
  progress.advanced.subscribe(({ namespace }) => void advanced.push(namespace));
  const begin = () => progress.begin(owners);
  const isKnown = (...namespaces: (string | undefined)[]) => namespaces.map((one) => progress.isKnownIn(one));
  return { progress, advanced, begin, isKnown };
}

test("nothing is known before the caches of the hub have synced", () => {
  const { progress, isKnown } = progressOf();
  expect([progress.isComplete, ...isKnown("a", undefined), progress.isKnownAround(app("a", "x"))]).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

test("it is complete, once, when everything that was there has been planned", () => {
  const { progress, advanced, begin, isKnown } = progressOf(app("a", "x"), app("b", "y"));
  begin();
  progress.planned(app("a", "x"));
  progress.planned(app("a", "unknown"));
  expect([...isKnown("a", "b"), advanced.length]).toEqual([false, false, 0]);
  progress.planned(app("b", "y"));
  progress.planned(app("b", "y"));
  expect([isKnown("a", "b", undefined), advanced]).toEqual([[true, true, true], [undefined]]);
});

describe("an object that cannot be planned", () => {
  function withOneFailed(failed = app("a", "x")) {
    const made = progressOf(failed, app("b", "y"));
    made.begin();
    made.progress.failed(failed);
    return made;
  }

  test("completes nothing before every other one has been tried", () => {
    const { progress, advanced, isKnown } = withOneFailed();
    expect([progress.isComplete, ...isKnown("b"), advanced.length]).toEqual([false, false, 0]);
  });

  test("leaves its own namespace unknown, what names it, and what is in no namespace", () => {
    const { progress, advanced, isKnown } = withOneFailed();
    progress.planned(app("b", "y"));
    expect(advanced).toEqual([undefined]);
    expect(isKnown("a", undefined, "b")).toEqual([false, false, true]);
    expect(
      [app("a", "x"), app("a", "z"), app("b", "y"), app("c", "v")].map((one) => progress.isKnownAround(one)),
    ).toEqual([false, false, true, true]);
  });

  test("leaves nothing unknown when it has been planned after all, or is gone", () => {
    const { progress, advanced, isKnown } = withOneFailed();
    progress.planned(app("b", "y"));
    progress.failed(app("a", "x"));
    progress.planned(app("a", "x"));
    expect([isKnown("a", undefined), advanced]).toEqual([
      [true, true],
      [undefined, "a"],
    ]);
  });

  test("leaves its namespace unknown as long as another one is left there", () => {
    const { progress, begin, isKnown } = progressOf(app("a", "x"), app("a", "y"));
    begin();
    progress.failed(app("a", "x"));
    progress.failed(app("a", "y"));
    progress.planned(app("a", "x"));
    expect(isKnown("a")).toEqual([false]);
    progress.planned(app("a", "y"));
    expect(isKnown("a")).toEqual([true]);
  });

  test("leaves every namespace unknown when it is in no namespace itself", () => {
    const { progress, isKnown } = withOneFailed(app("", "x"));
    progress.planned(app("b", "y"));
    expect(isKnown("a", "b", undefined)).toEqual([false, false, false]);
  });

  test("does not matter when it has been planned before: its rows stand", () => {
    const { progress, begin, isKnown } = progressOf(app("a", "x"));
    begin();
    progress.planned(app("a", "x"));
    progress.failed(app("a", "x"));
    expect(isKnown("a")).toEqual([true]);
  });
});
