import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { type Connection, freshnessOf, overallOf, retryDelay, SILENT_MS } from "./connection.ts";

const NOW = 1_000_000;
const live: Connection = { is: "Live", heardAt: NOW };
const silent: Connection = { is: "Live", heardAt: NOW - SILENT_MS - 1 };
const lost: Connection = { is: "Lost", since: NOW, retryAt: NOW, message: "gone" };
const refused: Connection = { is: "Refused", message: "no" };
const unknown: Connection = { is: "SignedOut", message: "who?" };
const connecting: Connection = { is: "Connecting", since: NOW };

test.each([
  { name: "all streams live", all: [live, live], want: "Live" },
  { name: "one is silent for longer than heartbeats", all: [live, silent], want: "Stale" },
  { name: "one is lost", all: [live, lost, refused], want: "Stale" },
  { name: "the reader may read a part", all: [live, refused], want: "Live" },
  { name: "the reader may read nothing", all: [refused, refused], want: "Refused" },
  { name: "the token ended", all: [live, lost, unknown], want: "SignedOut" },
  { name: "one has not answered yet", all: [live, connecting], want: "Loading" },
  { name: "no stream", all: [], want: "Live" },
])("the page as a whole: $name", ({ all, want }) => expect(overallOf(all, NOW)).toBe(want));

test("a stream with a heartbeat in time is live", () => {
  expect(freshnessOf({ is: "Live", heardAt: NOW - SILENT_MS }, NOW)).toBe("Live");
});

describe("retryDelay", () => {
  const chance = fc.double({ min: 0, max: 1, noNaN: true });
  property.prop([fc.nat(1_000), chance])("is between a quarter of a second and half a minute", (failures, luck) => {
    const delay = retryDelay(failures, luck);
    expect(delay).toBeGreaterThanOrEqual(250);
    expect(delay).toBeLessThanOrEqual(30_000);
  });

  property.prop([fc.nat(1_000), chance, fc.nat(600)])(
    "is never shorter than the server asks for",
    (failures, luck, seconds) => {
      expect(retryDelay(failures, luck, seconds)).toBeGreaterThanOrEqual(seconds * 1_000);
    },
  );
});
