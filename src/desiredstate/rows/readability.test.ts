import { expect, test } from "vitest";
import { isKindUnreadable, readabilityKey, whyUnreadable } from "./readability.ts";

const deployment = (namespace: string) => ({ apiVersion: "apps/v1", kind: "Deployment", namespace, name: "web" });

test("a kind that is not seen at all is seen in no namespace", () => {
  const unseen = new Map([["apps/Deployment", "no right"]]);
  expect(whyUnreadable(unseen, deployment("shop"))).toBe("no right");
  expect(whyUnreadable(unseen, { apiVersion: "v1", kind: "Service", namespace: "shop", name: "web" })).toBeUndefined();
  expect(isKindUnreadable(unseen, "apps/Deployment")).toBe(true);
  expect(isKindUnreadable(unseen, "/Service")).toBe(false);
});

test("a kind that is not seen in one namespace is seen in the others", () => {
  const unseen = new Map([[readabilityKey("apps/Deployment", "shop"), "no right"]]);
  expect(whyUnreadable(unseen, deployment("shop"))).toBe("no right");
  expect(whyUnreadable(unseen, deployment("bank"))).toBeUndefined();
  expect(isKindUnreadable(unseen, "apps/Deployment")).toBe(true);
  expect(isKindUnreadable(unseen, "apps/Deploy")).toBe(false);
});

test("where everything is seen, nothing is unseen", () => {
  expect(whyUnreadable(undefined, deployment("shop"))).toBeUndefined();
  expect(whyUnreadable(new Map(), deployment("shop"))).toBeUndefined();
});
