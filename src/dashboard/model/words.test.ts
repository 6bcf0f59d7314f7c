import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { ageText, changeText, contactText, extentOf, linked, namesText, safeHref } from "./words.ts";

const NOW = Date.parse("2026-05-01T12:00:00Z");

test.each([
  ["2026-05-01T11:59:56Z", "4s"],
  ["2026-05-01T11:48:00Z", "12m"],
  ["2026-05-01T08:47:30Z", "3h 12m"],
  ["2026-04-28T11:55:00Z", "3d"],
  ["2026-05-01T12:00:05Z", "0s"],
  ["yesterday", ""],
  [undefined, ""],
])("the age of %s is %s", (time, want) => expect(ageText(time, NOW)).toBe(want));

describe("linked", () => {
  test.each([
    {
      text: "see https://a.example/x.",
      want: [{ text: "see " }, { text: "https://a.example/x", href: "https://a.example/x" }, { text: "." }],
    },
    { text: "javascript:alert(1)", want: [{ text: "javascript:alert(1)" }] },
    { text: "data:text/html,x and ftp://a", want: [{ text: "data:text/html,x and ftp://a" }] },
    { text: "http://", want: [{ text: "http://" }] },
    { text: "", want: [] },
  ])("$text", ({ text, want }) => expect(linked(text)).toEqual(want));

  const pieces = fc.constantFrom("https://a.example/", "http://b", "javascript:", "data:", " ", "<a>", "'", ".", "x");
  property.prop([fc.array(pieces).map((all) => all.join(""))])(
    "loses no character, and links only to http and https",
    (text) => {
      const parts = linked(text);
      expect(parts.map((part) => part.text).join("")).toBe(text);
      for (const { href } of parts) expect(href ?? "https://").toMatch(/^https?:/);
    },
  );
});

test.each(["javascript:alert(1)", "JAVASCRIPT:x", "data:text/html,x", "//a.example", "x"])(
  "%s is no address for a link",
  (text) => expect(safeHref(text)).toBeUndefined(),
);

const cause = {
  reason: "ImagePullBackOff",
  shape: "s",
  objects: 14,
  clusters: ["eu-1", "eu-2"],
  sample: {
    object: { kind: "DemoApplication", group: "paas.cmft.com", namespace: "shop", name: "web" },
    cluster: "eu-1",
    message: "m",
  },
};

test("a cause names its extent and the change before it", () => {
  const change = { object: cause.sample.object, generation: 7, at: "" };
  expect([extentOf(cause), changeText({ ...cause, change })]).toEqual([
    "14 objects in 2 clusters",
    "after generation 7 of shop/web",
  ]);
  expect(extentOf({ ...cause, clusters: [] })).toBe("14 objects, on no cluster");
  expect([extentOf({ ...cause, objects: 1, clusters: ["a"] }), changeText(cause)]).toEqual([
    "1 object in 1 cluster",
    undefined,
  ]);
});

test("long lists of names are cut with the number of the others", () => {
  expect([namesText(["a", "b"]), namesText(["a", "b", "c", "d", "e", "f"])]).toEqual(["a, b", "a, b, c, d and 2 more"]);
});

test.each([
  [{ state: "Ready" }, "answers"],
  [{ state: "Pending" }, "no contact yet"],
  [{ state: "Unreachable", lastContact: "2026-05-01T11:51:00Z" }, "last contact 9m ago"],
])("contact of %o", (rest, want) => {
  const row = { name: "eu-1", objects: 0, unready: 0, stale: false, labels: {}, ...rest };
  expect(contactText(row, NOW)).toBe(want);
});
