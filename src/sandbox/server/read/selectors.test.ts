import { describe, expect, test } from "vitest";
import { matchesLabels, parseLabelSelector } from "./labelSelector.ts";

const labels = { app: "web", tier: "front", build: "12", "example.com/team": "a", empty: "" };

describe("a label selector", () => {
  test("does not find labels on the prototype", () => {
    expect(matchesLabels(parseLabelSelector("constructor"), labels)).toBe(false);
  });
});
