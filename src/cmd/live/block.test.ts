import { describe, expect, test } from "vitest";
import type { CauseReport } from "../view/statusCauses.ts";
import type { EndedReport } from "../view/statusEnded.ts";
import { changesOf, formatBlock, type LiveContent } from "./block.ts";
import type { Row } from "./rows.ts";

const NOW = Date.UTC(2026, 0, 1, 12);
const ago = (seconds: number): string => new Date(NOW - seconds * 1_000).toISOString();

function cause(reason: string, ...clusters: string[]): CauseReport {
  const objects = [{ apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", namespace: "default", name: "web" }];
  return {
    reason,
    standing: "Trouble",
    shape: "",
    message: "",
    clusters,
    objects,
    since: ago(90),
    nextStep: `mend ${reason}`,
  };
}

function row(cluster: string, state = "Available"): Row {
  const replicas = { desired: 2, ready: 2 };
  const none = { reason: "", message: "", since: NOW - 10_000, tone: "good" as const };
  return { application: "default/web", cluster, region: cluster, replicas, state, ...none };
}

function end(name: string, secondsAgo = 180): EndedReport {
  const times = { at: ago(secondsAgo), since: ago(secondsAgo + 720) };
  return { kind: "DemoApplication", namespace: "default", name, ...times, note: "healthy again on a" };
}

const many = <T>(count: number, make: (name: string) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(String(index + 10)));

const block = (content: Partial<LiveContent>, lines = 40, columns = 120): string[] =>
  formatBlock({ causes: [], rows: [], ended: [], ...content }, { color: false, now: NOW, columns, lines });

describe("the block", () => {
  test("has the causes above the rows, and what has ended below them", () => {
    const lines = block({ causes: [cause("QuotaExceeded", "a")], rows: [row("a")], ended: [end("web")] });
    expect(lines.map((line) => line.replaceAll(/ +/g, " ").trim())).toEqual([
      "CAUSE CLUSTERS OBJECTS SINCE NEXT STEP",
      "QuotaExceeded a default/web 90s mend QuotaExceeded",
      "",
      "REGION DESIRED READY STATE AGE REASON",
      "a 2 2 Available 10s -",
      "",
      "ENDED LASTED OF WHAT",
      "3m ago 12m default/web healthy again on a",
    ]);
  });

  const full = {
    causes: many(30, (name) => cause(name, "a")),
    rows: many(30, (name) => row(name)),
    ended: many(30, (name) => end(name)),
  };

  test.each([4, 8, 10, 12, 16, 22, 40, 60])("never has more than %i lines", (lines) => {
    expect(block(full, lines).length).toBeLessThanOrEqual(lines);
    expect(block(full, lines).some((line) => line.startsWith("REGION"))).toBe(true);
  });

  test("says how much it leaves out of each table", () => {
    const left = block(full, 22).filter((line) => line.startsWith("and "));
    expect(left).toEqual([expect.stringMatching(/^and 2\d more$/), expect.any(String), expect.any(String)]);
  });

  test("leaves out what has ended first where there is little room", () => {
    const titles = block(full, 12).flatMap((line) => /^(CAUSE|REGION|ENDED)/.exec(line)?.[0] ?? []);
    expect(titles).toEqual(["CAUSE", "REGION"]);
  });

  test("is as wide as the terminal at most", () => {
    const lines = block({ causes: [cause("QuotaExceeded", "a")], rows: [row("a")], ended: [end("web")] }, 40, 30);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(30);
  });
});

describe("the changes", () => {
  const before: LiveContent = { causes: [cause("QuotaExceeded", "a")], rows: [row("a")], ended: [end("web")] };

  test("are none where nothing changed but ages", () => expect(changesOf(before, before, NOW + 60_000)).toEqual([]));

  test("are causes that are new, rows that changed, and ends, the oldest first", () => {
    const after = {
      causes: [cause("ImagePullBackOff", "a", "b", "c", "d"), cause("QuotaExceeded", "a", "b")],
      rows: [row("a", "Failed")],
      ended: [end("blog", 1), end("shop", 2), end("web")],
    };
    expect(changesOf(before, after, NOW)).toEqual([
      "cause ImagePullBackOff on a, b, c and 1 more (default/web): mend ImagePullBackOff",
      "a: Failed, 2 of 2 ready",
      "ended 2s ago: default/shop: healthy again on a",
      "ended 1s ago: default/blog: healthy again on a",
    ]);
  });
});
