import { expect, test } from "vitest";
import { isKindUnreadable, readabilityKey, whyUnreadable } from "./readability.ts";

const deployment = (namespace: string) => ({ apiVersion: "apps/v1", kind: "Deployment", namespace, name: "web" });

test("a kind that is not seen at all is seen in no namespace", () => {
  const unreadable = new Map([["apps/Deployment", "no right"]]);
  expect(whyUnreadable(unreadable, deployment("shop"))).toBe("no right");
  expect(
    whyUnreadable(unreadable, { apiVersion: "v1", kind: "Service", namespace: "shop", name: "web" }),
  ).toBeUndefined();
  expect(isKindUnreadable(unreadable, "apps/Deployment")).toBe(true);
  expect(isKindUnreadable(unreadable, "/Service")).toBe(false);
});

test("a kind that is not seen in one namespace is seen in the others", () => {
  const unreadable = new Map([[readabilityKey("apps/Deployment", "shop"), "no right"]]);
  expect(whyUnreadable(unreadable, deployment("shop"))).toBe("no right");
  expect(whyUnreadable(unreadable, deployment("bank"))).toBeUndefined();
  expect(isKindUnreadable(unreadable, "apps/Deployment")).toBe(true);
  expect(isKindUnreadable(unreadable, "apps/Deploy")).toBe(false);
});
