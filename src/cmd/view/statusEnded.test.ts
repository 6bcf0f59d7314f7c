import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { endedIn, endedOf } from "./statusEnded.ts";
import { formatStatus } from "./statusTable.ts";
import { buildReport } from "./statusView.ts";
import { app, cluster, condition, entry, fine } from "../testing/statusObjects.ts";

const SINCE = "federation.paas.cmft.com/since";
const now = Date.parse("2026-11-21T08:30:00Z");

function event(about: object, eventTime: string, message: string, more: object = {}): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "e", namespace: "default" },
    involvedObject: about,
    reportingComponent: "paas.cmft.com/meridian",
    eventTime,
    message,
    ...more,
  };
}
const blog = { kind: "DemoApplication", namespace: "default", name: "blog" };
const events = [
  event(blog, "2026-11-21T08:20:00.000000Z", "healthy again on a (ImagePullBackOff for 5m)"),
  event(
    { kind: "MemberCluster", name: "a" },
    "2026-11-21T08:28:00.000000Z",
    "contact regained after 9m: ClusterUnreachable",
    { metadata: { name: "e", namespace: "default", annotations: { [SINCE]: "2026-11-21T08:19:00Z" } } },
  ),
  event({ ...blog, name: "gone" }, "2026-11-21T08:10:00.000000Z", "gone from every cluster 5m after it was deleted"),
];

describe("what was wrong and is over", () => {
  test("is what Events of the last hour say, newest first", () => {
    expect(endedIn(events, now).map(({ name, note }) => [name, note.slice(0, 16)])).toEqual([
      ["a", "contact regained"],
      ["blog", "healthy again on"],
      ["gone", "gone from every "],
    ]);
    expect(endedIn(events, now + 7_200_000)).toEqual([]);
  });

  test("is nobody else's to say, and nothing in it reaches the terminal but text", () => {
    expect(endedIn([event(blog, "2026-11-21T08:20:00Z", "x", { reportingComponent: "other" })], now)).toEqual([]);
    const [forged] = endedIn([event(blog, "2026-11-21T08:20:00Z", "a\u001b[2Jb")], now);
    expect(forged?.note).toBe("a [2Jb");
  });

  test("is counted from the last time of a series", () => {
    const series = { lastObservedTime: "2026-11-21T08:29:00.000000Z", count: 2 };
    expect(endedIn([event(blog, "2026-11-21T06:00:00Z", "again", { series })], now)).toHaveLength(1);
  });

  test.each([
    ["2026-11-21T08:19:00Z", "2026-11-21T08:19:00Z"],
    ["2026-11-21T08:20:01Z", ""],
    ["\u001b[2J", ""],
  ])("began when its Event says, as far as that can be (%j)", (since, want) => {
    const metadata = { name: "e", annotations: { [SINCE]: since } };
    expect(endedIn([event(blog, "2026-11-21T08:20:00Z", "x", { metadata })], now)).toMatchObject([{ since: want }]);
  });

  const ready = condition("Ready", "True", "Connected");
  const report = buildReport([app("blog", fine, [entry("a", "Available", 1)])], [cluster("a", ready)]);

  test("stands behind the tables", () => {
    const ended = endedOf(endedIn(events, now), report, false);
    const text = formatStatus(report, { wide: false, color: false, now, ended });
    expect(text.slice(text.indexOf("ENDED"))).toMatch(
      /^ENDED +LASTED +OF +WHAT\n2m ago +9m +membercluster\/a +contact regained .*\n10m ago +- +default\/blog +healthy .*\n20m ago +- +default\/gone +gone .*\n$/,
    );
  });

  test("is only of what was asked for, where something was", () => {
    const only = { ...report, clusters: [] };
    expect(endedOf(endedIn(events, now), only, true).map(({ name }) => name)).toEqual(["blog"]);
  });
});
