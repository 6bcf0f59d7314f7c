import { describe, expect, test } from "vitest";
import type { FederatedStatus } from "../apis/index.ts";
import { aggregate } from "./aggregate.ts";
import { after, at, condition, entry, inputOf, refused, row, SECOND, T0, unhealthy, view } from "./testing/builders.ts";
import type { ClusterView } from "./types.ts";

const pulling = (name: string): ClusterView =>
  view(name, { rows: [row({ health: unhealthy("Degraded", 1, "ImagePullBackOff", "no such image") })] });
const overQuota = (name: string): ClusterView =>
  view(name, { rows: [row({ health: unhealthy("Degraded", 1, "QuotaExceeded", "pods: 2 of 2 used") })] });
const lost = (name: string): ClusterView => view(name, { contact: { ...refused, lastContact: T0 } });

describe("the conditions of an object that several causes keep from being well", () => {
  const views = [lost("a"), overQuota("b"), pulling("c"), pulling("d"), view("e")];
  const status = aggregate(inputOf(views), T0 + SECOND);

  test.each(["Available", "Ready"])("%s has the reason that is worst for users, and counts all of them", (type) => {
    expect(condition(status, type)).toEqual([
      "False",
      "ImagePullBackOff",
      "1 of 5 clusters available: ImagePullBackOff 2, QuotaExceeded 1, ClusterUnreachable 1; c: no such image",
    ]);
  });
});

describe("an entry says since when it has its reason", () => {
  const sinceOf = (status: FederatedStatus): string | undefined => entry(status)?.since;
  const first = aggregate(inputOf([pulling("a")]), T0);

  test("which stays while only numbers change", () => {
    expect(sinceOf(first)).toBe(at(T0));
    const fewer = view("a", { rows: [row({ health: unhealthy("Degraded", 0, "ImagePullBackOff", "no such image") })] });
    const next = aggregate(after(inputOf([fewer]), first), T0 + 60 * SECOND);
    expect(sinceOf(next)).toBe(at(T0));
    expect(entry(next)?.observedAt).toBe(at(T0 + 60 * SECOND));
  });

  test("which is the last contact where contact was lost", () => {
    expect(sinceOf(aggregate(after(inputOf([lost("a")]), first), T0 + 60 * SECOND))).toBe(at(T0));
    expect(sinceOf(aggregate(after(inputOf([overQuota("a")]), first), T0 + 60 * SECOND))).toBe(at(T0 + 60 * SECOND));
  });

  test("which begins anew where the object was available with the same reason", () => {
    const stored = { ...first, clusters: [{ ...entry(first), state: "Available" }] } as FederatedStatus;
    expect(sinceOf(aggregate(after(inputOf([pulling("a")]), stored), T0 + SECOND))).toBe(at(T0 + SECOND));
  });

  test("which is gone with the reason", () => {
    expect(sinceOf(aggregate(after(inputOf([view("a")]), first), T0 + SECOND))).toBeUndefined();
  });

  test("of an older release costs no write", () => {
    const { since: _since, ...older } = entry(first) ?? { name: "a" };
    const stored = { ...first, clusters: [older] } as FederatedStatus;
    expect(entry(aggregate(after(inputOf([pulling("a")]), stored), T0 + SECOND))).toEqual(older);
  });
});
