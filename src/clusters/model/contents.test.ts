import { describe, expect, test } from "vitest";
import type { HealthRule, KubeObject } from "../../apis/index.ts";
import type { Observation, ReportTerms } from "../../desiredstate/index.ts";
import { decide } from "./decide.ts";
import { observe, type ObservedObject } from "./observed.ts";
import { CONFIG_REF, holdRow, objectsWithLog, row, seen } from "../testing/builders.ts";

const WIDGETS = { group: "example.com", kind: "Widget" };
const REF = { ...CONFIG_REF, apiVersion: "example.com/v1", kind: "Widget" };
const atLeast = (size: number): HealthRule => ({ available: `object.status.size >= ${size}` });
const widgetRow = (reporting?: ReportTerms) => row({ ref: REF, ...(reporting === undefined ? {} : { reporting }) });

function widget(size: number): KubeObject {
  return {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "shop", namespace: "default", uid: "member-1", managedFields: [{ manager: "x" }] },
    status: { size },
  };
}

/** As the watch reports it; its fields are those that {@link row} asks for. */
function watched(size: number, keepsContent: boolean, more: Partial<ObservedObject> = {}): ObservedObject {
  const { health, evidence } = observe(widget(size), { keepsContent });
  const observed = seen({ ref: REF, health, ...more });
  if (evidence.content !== undefined) observed.evidence.content = evidence.content;
  return Object.freeze(observed);
}

function member() {
  const log = objectsWithLog();
  const { objects, reports, find } = log;
  const present = (): Observation["present"] => {
    objects.flush();
    return reports.flat().findLast(({ ref }) => ref.kind === "Widget")?.present;
  };
  const see = (size: number, more: Partial<ObservedObject> = {}): void =>
    objects.observe(REF, watched(size, objects.contents.isKeptOf(WIDGETS), more));
  const next = (): string => decide(find(REF), true).kind;
  return { ...log, present, see, next };
}

describe("a row that says what healthy means", () => {
  test("is believed for what the watch brings", () => {
    const { take, see, present, next } = member();
    take(widgetRow({ health: atLeast(2) }));
    see(1);
    expect(present()?.health).toMatchObject({ state: "Progressing", reason: "DeclaredUnavailable" });
    see(2);
    expect(present()?.health).toEqual({ state: "Available" });
    expect(next()).toBe("Nothing");
  });

  test("is judged anew when it says something else, and nothing is written or read for that", () => {
    const { take, see, present, next, reports } = member();
    take(widgetRow({ health: atLeast(2) }));
    see(2);
    expect(present()?.health.state).toBe("Available");
    const before = reports.length;
    take(widgetRow({ health: atLeast(3) }));
    expect(present()?.health.state).toBe("Progressing");
    expect([next(), reports.length]).toEqual(["Nothing", before + 1]);
    take(widgetRow({ health: atLeast(3) }));
    present();
    expect(reports.length).toBe(before + 1);
  });

  test("is no reason to write when it comes to an object that was there before: the object is read", () => {
    const { objects, take, see, present, next, find } = member();
    objects.tookFirstRows();
    take(widgetRow());
    see(2);
    expect(present()?.health).toMatchObject({ state: "Unknown", reason: "NoReport" });
    expect(find(REF).observed?.evidence.content).toBeUndefined();
    take(widgetRow({ health: atLeast(2) }));
    expect(present()?.health).toMatchObject({ state: "Unknown", reason: "NotReported" });
    expect(next()).toBe("Read");
    objects.read(find(REF), watched(2, true));
    expect(present()?.health).toEqual({ state: "Available" });
    expect(next()).toBe("Nothing");
  });

  test("says what was known last, until an object has been read again", () => {
    const { objects, take, see, present, find, next } = member();
    take(widgetRow({ health: atLeast(2) }));
    see(2);
    expect(present()?.health.state).toBe("Available");
    // What was looked up by its name alone comes without its content.
    objects.found(find(REF), watched(2, false));
    expect(present()?.health.state).toBe("Available");
    expect(next()).toBe("Read");
    objects.observe(REF, undefined);
    see(1, { uid: "member-2" });
    expect(present()?.health.state).toBe("Progressing");
  });

  test("leaves the replicas that the observation knows", () => {
    const { take, see, present } = member();
    const replicas = { desired: 2, updated: 2, ready: 2, available: 2 };
    take(widgetRow({ health: atLeast(2) }));
    see(2, { health: { state: "Progressing", replicas } });
    expect(present()?.health).toEqual({ state: "Available", replicas });
  });

  test("counts while the object is held, too", () => {
    const { take, see, present } = member();
    take(holdRow({ ref: REF, hash: "h1", reporting: { health: atLeast(2) } }));
    see(2);
    expect(present()?.health).toEqual({ state: "Available" });
  });

  test("does not count for what is on its way out", () => {
    const { take, see, present, next } = member();
    take(widgetRow({ health: atLeast(2) }));
    see(2, { deleting: true, health: { state: "Progressing", reason: "Terminating" } });
    expect(present()?.health.reason).toBe("Terminating");
    expect(next()).toBe("Nothing");
  });

  test("takes no answer of a read that is older than what the watch has brought, or of another life", () => {
    const { objects, take, see, present, find } = member();
    take(widgetRow({ health: atLeast(2) }));
    see(1);
    objects.read(find(REF), watched(2, true));
    expect(present()?.health.state).toBe("Progressing");
    objects.found(find(REF), watched(1, false));
    objects.read(find(REF), watched(2, true, { uid: "another" }));
    expect(find(REF).observed?.evidence.content).toBeUndefined();
  });
});

describe("a row that asks for the status", () => {
  test("gets it, without what field managers own, as long as it is not too large", () => {
    const { objects, take, see, present, find } = member();
    take(widgetRow({ withStatus: true }));
    see(2);
    expect(present()?.status).toEqual({ size: 2 });
    expect(find(REF).observed?.evidence.content?.metadata).not.toHaveProperty("managedFields");
    const large = { ...widget(2), status: { text: "x".repeat(80_000) } };
    objects.observe(REF, seen({ ref: REF, evidence: { live: undefined, content: large } }));
    expect(present()).not.toHaveProperty("status");
  });
});

describe("the content of member objects", () => {
  test("is kept of a kind for as long as a row asks for it, and of unknown kinds until the first rows are known", () => {
    const { objects, take, withdraw, see, find } = member();
    expect(objects.contents.isKeptOf(WIDGETS)).toBe(true);
    expect(objects.contents.isKeptOf({ group: "apps", kind: "Deployment" })).toBe(false);
    see(2);
    expect(find(REF).observed?.evidence.content).toBeDefined();
    objects.tookFirstRows();
    expect(find(REF).observed?.evidence.content).toBeUndefined();
    expect(objects.contents.isKeptOf(WIDGETS)).toBe(false);

    take(widgetRow({ withStatus: true }));
    expect(objects.contents.isKeptOf(WIDGETS)).toBe(true);
    see(2);
    take(widgetRow());
    expect([objects.contents.isKeptOf(WIDGETS), find(REF).observed?.evidence.content]).toEqual([false, undefined]);
    take(widgetRow({ withStatus: true }));
    withdraw(REF);
    expect(objects.contents.isKeptOf(WIDGETS)).toBe(false);
  });
});
