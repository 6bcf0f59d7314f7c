import { expect, test } from "vitest";
import { isLaterVersion } from "./versionOrder.ts";

test("versions of an API are in the order in which Kubernetes prefers them", () => {
  const order = ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1"];
  for (const [index, one] of order.entries())
    for (const [other, name] of order.entries())
      expect(isLaterVersion(one, name), `${one} ${name}`).toBe(index < other);
  expect(isLaterVersion("foo10", "foo1")).toBe(false);
});
