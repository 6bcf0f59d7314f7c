import { describe, expect, test } from "vitest";
import { aggregate } from "../aggregate.ts";
import { entry, inputOf, row, T0, unhealthy, view } from "../testing/builders.ts";
import type { RowView } from "../types.ts";

const widget = (name: string, more: Partial<RowView> = {}): RowView =>
  row({ ref: { apiVersion: "example.com/v1", kind: "Widget", namespace: "default", name }, ...more });
const silent = unhealthy("Unknown", 0, "NoReport", "it has no status there yet");

/** What the entry says of a bundle of these objects, and of the same objects where they are not a bundle's. */
function said(rows: RowView[]) {
  const [bundle, other] = [true, false].map((isBundle) =>
    entry(aggregate(inputOf([view("a", { rows })], { isBundle }), T0)),
  );
  return { bundle, other };
}

describe("the entry of a bundle", () => {
  test("without manifests says so, and waits for nothing but what is on its way out", () => {
    const status = (rows: RowView[]) => aggregate(inputOf([view("a", { rows })], { isBundle: true }), T0);
    const ready = (of: ReturnType<typeof status>) => of.conditions?.find(({ type }) => type === "Ready");
    const empty = status([]);
    expect(entry(empty)).toMatchObject({ state: "Available", message: "the bundle has no manifests" });
    expect(ready(empty)).toMatchObject({ status: "True", reason: "AllClustersReady" });
    const { desiredHash: _hash, ...leaving } = widget("first", { inSync: false });
    expect(entry(status([leaving]))).toMatchObject({ state: "Progressing", reason: "Removing" });
    expect(ready(status([leaving]))).toMatchObject({ status: "False", reason: "Removing" });
  });

  test("names the object whose health it tells", () => {
    const { bundle, other } = said([row(), widget("first", { health: silent })]);
    expect(bundle).toMatchObject({ state: "Unknown", message: "Widget first: it has no status there yet" });
    expect(other).toMatchObject({ state: "Unknown", message: "it has no status there yet" });
  });

  test("names the object in the conditions that a controller of the member wrote", () => {
    const conditions = [
      { type: "Ready", status: "False" as const, reason: "Broken", message: "no disk" },
      { type: "Synced", status: "True" as const },
    ];
    const { bundle, other } = said([row(), widget("first", { health: silent, conditions })]);
    expect(bundle?.conditions?.map(({ message }) => message)).toEqual(["Widget first: no disk", "Widget first"]);
    expect(other?.conditions).toEqual(conditions);
  });

  test("names the object that could not be written, unless the member's words do", () => {
    const failure = (message: string) => ({ reason: "Forbidden", message, final: true });
    const refused = (message: string) => said([row(), widget("first", { failure: failure(message), inSync: false })]);
    expect(refused("no rights").bundle).toMatchObject({ state: "Failed", message: "Widget first: no rights" });
    expect(refused('widgets "first" is too large').bundle?.message).toBe('widgets "first" is too large');
    // Another object of that name is not the object.
    expect(refused('secret "first" not found').bundle?.message).toBe('Widget first: secret "first" not found');
    expect(refused("no rights").other?.message).toBe("no rights");
  });

  test("names the namespace too where that is not the bundle's own", () => {
    const elsewhere = { apiVersion: "example.com/v1", kind: "Widget", namespace: "other", name: "first" };
    const { bundle } = said([widget("first", { ref: elsewhere, health: silent })]);
    expect(bundle?.message).toBe("Widget other/first: it has no status there yet");
  });

  test("says why an object stays that is to go", () => {
    const gone = widget("first", { inSync: false, stays: { reason: "CustomObjectsExist", message: "2 are left" } });
    const { desiredHash: _hash, ...leftOver } = gone;
    expect(said([row(), leftOver]).bundle).toMatchObject({ state: "Held", message: "Widget first: 2 are left" });
  });
});
