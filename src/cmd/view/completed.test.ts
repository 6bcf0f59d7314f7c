import { describe, expect, test } from "vitest";
import { app, condition, entry, fine } from "../testing/statusObjects.ts";
import { completed } from "./completed.ts";
import { buildReport } from "./statusView.ts";

const WAIT = { for: "contact", of: "c200", since: "2026-11-21T08:25:00Z", message: "for contact" };
const UNKNOWN = { for: "moon", since: "2026-11-21T08:25:00Z", message: "for the moon" };
const placedRow = (name: string, cluster: string) => ({
  ...{ kind: "DemoApplication", group: "paas.cmft.com", namespace: "default", name, cluster, region: "eu" },
  ...{ state: "Degraded", reason: "QuotaExceeded", message: "no room", ready: 1, desired: 2, stale: false, labels: {} },
  ...{ since: "2026-11-21T08:20:00Z", observedAt: "2026-11-21T08:29:00Z" },
});
const objectRow = (name: string, waits: object[]) => {
  return { kind: "DemoApplication", group: "paas.cmft.com", namespace: "default", name, waits };
};

/** An object with two clusters in its status, and more that the status sums up. */
function summed(name: string, more: number) {
  const object = app(name, [...fine, condition("Ready", "True")], [entry("c1", "Available", 1)]);
  const status = object["status"] as object;
  return { ...object, status: { ...status, summary: [{ region: "eu", clusters: more, ready: more }] } };
}

/** Notes what it is asked. */
function fakeApi(rows: Record<string, object[]>) {
  const asked: string[] = [];
  const list = async (resource: string, parameters: { name?: string }) => {
    asked.push(`${resource} ${parameters.name ?? "all"}`);
    return { rows: rows[resource] ?? [], partial: [], resourceVersion: "1", isCut: false };
  };
  return { asked, api: { list } as unknown as Parameters<typeof completed>[1] };
}

describe("the query API adds", () => {
  test("clusters that the status sums up, and what an object waits for, if there are words for it", async () => {
    const { api } = fakeApi({
      // The name that is asked for is the beginning of names.
      placedobjects: [placedRow("web", "c1"), placedRow("web", "c200"), placedRow("website", "c300")],
      federatedobjects: [objectRow("web", [WAIT, UNKNOWN]), objectRow("website", [])],
    });
    const { objects } = await completed(buildReport([summed("web", 1)], []), api);
    expect(objects).toMatchObject([{ waits: [WAIT], clusterCount: 2 }]);
    expect(objects[0]?.clusters).toEqual([
      entry("c1", "Available", 1),
      {
        ...{ name: "c200", region: "eu", state: "Degraded", reason: "QuotaExceeded", message: "no room" },
        ...{ since: "2026-11-21T08:20:00Z", observedAt: "2026-11-21T08:29:00Z" },
        replicas: { desired: 2, updated: 1, ready: 1, available: 1 },
      },
    ]);
  });

  test("nothing to an object that waits for nothing and lists all its clusters", async () => {
    const report = buildReport([app("web", fine, [entry("c1", "Available", 1)])], []);
    const { api, asked } = fakeApi({ federatedobjects: [objectRow("web", [])] });
    expect(await completed(report, api)).toEqual(report);
    expect(asked).toEqual(["federatedobjects web"]);
  });

  test("to many objects with few questions", async () => {
    const objects = Array.from({ length: 60 }, (_, index) => summed(`app${index}`, 1));
    const { api, asked } = fakeApi({});
    await completed(buildReport(objects, []), api);
    expect(asked.filter((one) => one === "federatedobjects all")).toHaveLength(1);
    expect(asked.filter((one) => one.startsWith("placedobjects"))).toHaveLength(50);
  });
});
