import { describe, expect, test } from "vitest";
import type { HealthRule, KubeObject } from "../../apis/index.ts";
import type { Observation, ReportTerms } from "../../desiredstate/index.ts";
import { decide } from "./decide.ts";
import { observe, type ObservedObject } from "./observed.ts";
import { CONFIG_REF, objectsWithLog, row, seen } from "../testing/builders.ts";

const WIDGETS = { group: "example.com", kind: "Widget" };
const REF = { ...CONFIG_REF, apiVersion: "example.com/v1", kind: "Widget" };
const atLeast = (size: number): HealthRule => ({ available: `object.status.size >= ${size}` });
const widgetRow = (reporting?: ReportTerms) => row({ ref: REF, ...(reporting === undefined ? {} : { reporting }) });
const sized = widgetRow({ health: atLeast(2) });

const widget = (size: number): KubeObject => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name: "shop", namespace: "default", uid: "member-1", managedFields: [{ manager: "x" }] },
  status: { size },
});

function watched(size: number, keepsContent: boolean, more: Partial<ObservedObject> = {}): ObservedObject {
  const { health, evidence } = observe(widget(size), { keepsContent });
  const observed = seen({ ref: REF, health, ...more });
  if (evidence.content !== undefined) observed.evidence.content = evidence.content;
  return Object.freeze(observed);
}

function member() {
  const log = objectsWithLog();
  const { objects, pending, reports, find } = log;
  const present = (): Observation["present"] => {
    pending.flush();
    return reports.flat().findLast(({ ref }) => ref.kind === "Widget")?.present;
  };
  const see = (size: number, more: Partial<ObservedObject> = {}): void =>
    objects.observe(REF, watched(size, objects.contents.isKeptOf(WIDGETS), more));
  const next = (): string => decide(find(REF), true).kind;
  const content = () => find(REF).observed?.evidence.content;
  return { ...log, present, see, next, content };
}

describe("a row with a health rule", () => {
  test("judges what the watch brings, and a changed rule needs no write and no read", () => {
    const { take, see, present, next, reports } = member();
    take(sized);
    see(1);
    expect(present()?.health).toMatchObject({ state: "Progressing", reason: "DeclaredUnavailable" });
    see(2);
    expect(present()?.health).toEqual({ state: "Available" });
    const before = reports.length;
    for (let time = 0; time < 2; time += 1) {
      take(widgetRow({ health: atLeast(3) }));
      expect([present()?.health.state, next(), reports.length]).toEqual(["Progressing", "Nothing", before + 1]);
    }
  });

  test("that is new for an observed object causes a read", () => {
    const { objects, take, see, present, next, content, find } = member();
    objects.tookAllRows();
    take(widgetRow());
    see(2);
    expect([present()?.health.reason, content()]).toEqual(["NoReport", undefined]);
    take(sized);
    expect([present()?.health.reason, next()]).toEqual(["NotReported", "Read"]);
    objects.read(find(REF), watched(2, true));
    expect([present()?.health, next()]).toEqual([{ state: "Available" }, "Nothing"]);
  });

  test("keeps the last report of the same UID until the content is read again", () => {
    const { objects, take, see, present, find, next } = member();
    take(sized);
    see(2);
    present();
    // A read by name brings no content.
    objects.found(find(REF), watched(2, false));
    expect([present()?.health.state, next()]).toEqual(["Available", "Read"]);
    objects.observe(REF, undefined);
    see(1, { uid: "member-2" });
    expect(present()?.health.state).toBe("Progressing");
  });

  test("ignores a read that is older than the watch, or of another UID", () => {
    const { objects, take, see, present, find, content } = member();
    take(sized);
    see(1);
    objects.read(find(REF), watched(2, true));
    expect(present()?.health.state).toBe("Progressing");
    objects.found(find(REF), watched(1, false));
    objects.read(find(REF), watched(2, true, { uid: "another" }));
    expect(content()).toBeUndefined();
  });
});

test("a row that asks for the status gets it, unless it is too large; managedFields are not kept", () => {
  const { objects, take, see, present, content } = member();
  take(widgetRow({ withStatus: true }));
  see(2);
  expect(present()?.status).toEqual({ size: 2 });
  expect(content()?.metadata).not.toHaveProperty("managedFields");
  const large = { ...widget(2), status: { text: "x".repeat(80_000) } };
  objects.observe(REF, seen({ ref: REF, evidence: { live: undefined, content: large } }));
  expect(present()).not.toHaveProperty("status");
});

test("content is kept for kinds that a row asks for, and for generic kinds before the first rows", () => {
  const { objects, take, withdraw, see, content } = member();
  const isKept = () => objects.contents.isKeptOf(WIDGETS);
  expect([isKept(), objects.contents.isKeptOf({ group: "apps", kind: "Deployment" })]).toEqual([true, false]);
  see(2);
  expect(content()).toBeDefined();
  objects.tookAllRows();
  expect([isKept(), content()]).toEqual([false, undefined]);

  take(widgetRow({ withStatus: true }));
  expect(isKept()).toBe(true);
  see(2);
  take(widgetRow());
  expect([isKept(), content()]).toEqual([false, undefined]);
  take(widgetRow({ withStatus: true }));
  withdraw(REF);
  expect(isKept()).toBe(false);
});
