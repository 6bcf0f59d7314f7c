import { describe, expect, test } from "vitest";
import { ApiError, type Client } from "../../runtime/index.ts";
import type { Connection } from "../shared/connection.ts";
import { readManager } from "./statusReading.ts";

describe("that no manager works is told", () => {
  const never = new AbortController().signal;
  const HELD = { holderIdentity: "a", leaseDurationSeconds: 15 };
  const told = async (get: () => Promise<unknown>): Promise<string[]> =>
    (await readManager({ client: { get } as unknown as Client } as Connection, never)).notes;
  const ofLease = (spec: object): Promise<string[]> =>
    told(() => Promise.resolve({ metadata: { name: "meridian" }, spec }));

  test.each([
    { name: "once a Lease has run out", spec: { ...HELD, renewTime: "2026-01-01T08:00:00.123456Z" } },
    { name: "once a manager has let go of it", spec: { holderIdentity: "", renewTime: "2026-01-01T08:00:00.123456Z" } },
  ])("$name", async ({ spec }) => {
    expect(await ofLease(spec)).toEqual([
      "No manager has held the Lease meridian-system/meridian since 2026-01-01T08:00:00Z, so what is shown may be old: start one with `meridian manager`, or see why none runs (`kubectl get pods -n meridian-system`).",
    ]);
  });

  test("not while one holds it", async () => {
    expect(await ofLease({ ...HELD, renewTime: new Date().toISOString() })).toEqual([]);
  });

  test.each([404, 403])("not where there is none, or the person may not read it: %d", async (status) => {
    expect(await told(() => Promise.reject(new ApiError(status, "Refused", "no")))).toEqual([]);
  });

  test("a hub that does not answer is an error", async () => {
    await expect(told(() => Promise.reject(new ApiError(503, "ServiceUnavailable", "busy")))).rejects.toThrow("busy");
  });
});
