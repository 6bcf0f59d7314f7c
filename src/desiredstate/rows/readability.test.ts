import { expect, test } from "vitest";
import { isKindUnseen, sightOf, whyUnseen } from "./sight.ts";

const deployment = (namespace: string) => ({ apiVersion: "apps/v1", kind: "Deployment", namespace, name: "web" });

test("a kind that is not seen at all is seen in no namespace", () => {
  const unseen = new Map([["apps/Deployment", "no right"]]);
  expect(whyUnseen(unseen, deployment("shop"))).toBe("no right");
  expect(whyUnseen(unseen, { apiVersion: "v1", kind: "Service", namespace: "shop", name: "web" })).toBeUndefined();
  expect(isKindUnseen(unseen, "apps/Deployment")).toBe(true);
  expect(isKindUnseen(unseen, "/Service")).toBe(false);
});

test("a kind that is not seen in one namespace is seen in the others", () => {
  const unseen = new Map([[sightOf("apps/Deployment", "shop"), "no right"]]);
  expect(whyUnseen(unseen, deployment("shop"))).toBe("no right");
  expect(whyUnseen(unseen, deployment("bank"))).toBeUndefined();
  expect(isKindUnseen(unseen, "apps/Deployment")).toBe(true);
  expect(isKindUnseen(unseen, "apps/Deploy")).toBe(false);
});

test("where everything is seen, nothing is unseen", () => {
  expect(whyUnseen(undefined, deployment("shop"))).toBeUndefined();
  expect(whyUnseen(new Map(), deployment("shop"))).toBeUndefined();
});
