import { describe, expect, test } from "vitest";
import {
  renewalPlan,
  renewIn,
  SERVICE_ACCOUNT_ANNOTATION,
  TOKEN_EXPIRES_AT_ANNOTATION,
  TOKEN_ISSUED_AT_ANNOTATION,
} from "./renewal.ts";

const EIGHT = Date.UTC(2026, 0, 1, 8);
const HOUR = 3_600_000;
const annotations = {
  [SERVICE_ACCOUNT_ANNOTATION]: "meridian-system/meridian",
  [TOKEN_ISSUED_AT_ANNOTATION]: "2026-01-01T08:00:00Z",
  [TOKEN_EXPIRES_AT_ANNOTATION]: "2026-01-01T18:00:00Z",
};

describe("the renewal plan", () => {
  test("renews at 80 % of the lifetime, for the same lifetime", () => {
    expect(renewalPlan(annotations, undefined)).toEqual({
      serviceAccount: { namespace: "meridian-system", name: "meridian" },
      expiresAt: EIGHT + 10 * HOUR,
      renewAt: EIGHT + 8 * HOUR,
      issuedAt: EIGHT,
      lifeMs: 10 * HOUR,
      lifeSeconds: 36_000,
    });
  });

  test("takes missing times from the token", () => {
    const plan = renewalPlan({ [SERVICE_ACCOUNT_ANNOTATION]: "ns/name" }, { issuedAt: EIGHT, expiresAt: EIGHT + HOUR });
    expect(plan).toMatchObject({ expiresAt: EIGHT + HOUR, renewAt: EIGHT + 0.8 * HOUR });
  });

  test("takes the lifetime from the token, whatever the hub's clock says", () => {
    const claims = { issuedAt: EIGHT - HOUR, expiresAt: EIGHT + 9 * HOUR };
    for (const stamp of ["2026-01-01T07:00:00Z", "2026-01-01T08:00:00Z", "2026-01-01T19:00:00Z"])
      expect(renewalPlan({ ...annotations, [TOKEN_ISSUED_AT_ANNOTATION]: stamp }, claims)).toMatchObject({
        lifeMs: 10 * HOUR,
        lifeSeconds: 36_000,
      });
  });

  test("requests at least the shortest lifetime that a server grants", () => {
    const plan = renewalPlan({ ...annotations, [TOKEN_EXPIRES_AT_ANNOTATION]: "2026-01-01T08:01:00Z" }, undefined);
    expect(plan?.lifeSeconds).toBe(600);
  });

  test.each([
    { name: "nobody said whose token it is", change: { [SERVICE_ACCOUNT_ANNOTATION]: undefined } },
    { name: "the service account has no namespace", change: { [SERVICE_ACCOUNT_ANNOTATION]: "meridian" } },
    { name: "the service account has too many parts", change: { [SERVICE_ACCOUNT_ANNOTATION]: "a/b/c" } },
    { name: "it is not known when it ends", change: { [TOKEN_EXPIRES_AT_ANNOTATION]: undefined } },
    { name: "its times are no times", change: { [TOKEN_ISSUED_AT_ANNOTATION]: "yesterday" } },
    { name: "it ends before it begins", change: { [TOKEN_EXPIRES_AT_ANNOTATION]: "2026-01-01T07:00:00Z" } },
  ])("does not exist if $name", ({ change }) => {
    const given = Object.entries({ ...annotations, ...change }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    expect(renewalPlan(Object.fromEntries(given), undefined)).toBeUndefined();
  });
});

describe("a token of another process", () => {
  const plan = renewalPlan(annotations, undefined);
  test.each([
    { name: "just issued", now: EIGHT, hours: 8 },
    { name: "in the middle of its life", now: EIGHT + 5 * HOUR, hours: 3 },
    { name: "overdue", now: EIGHT + 9 * HOUR, hours: 0 },
    { name: "a little ahead of the clock", now: EIGHT - HOUR, hours: 8 },
    { name: "from the future, so that its age is not known", now: EIGHT - 2 * HOUR, hours: 0 },
  ])("$name is renewed in $hours hours", ({ now, hours }) => {
    expect(plan && renewIn(plan, now)).toBe(hours * HOUR);
  });
});
