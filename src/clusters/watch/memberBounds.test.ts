import { expect, test } from "vitest";
import { CONFIGMAPS, DEFAULT_BOUNDS, SECRETS } from "../../runtime/index.ts";
import { memberBounds } from "./memberBounds.ts";

const DEPLOYMENTS = { group: "apps", kind: "Deployment" };
const MIB = 1 << 20;

test("the bounds of a kind grow with the objects that rows ask for", () => {
  let asked = 0;
  const bounds = memberBounds(DEPLOYMENTS, () => asked);
  expect(bounds).toEqual({ objects: 5_000, bytes: 24 * MIB });
  asked = 1_000;
  expect(bounds).toEqual({ objects: 25_000, bytes: 86.5 * MIB });
  for (asked of [1, 100, 8_000]) {
    expect(bounds.objects).toBeGreaterThan(2 * asked);
    expect(bounds.bytes).toBeGreaterThan(2 * asked * 16_384);
  }
});

test.each([CONFIGMAPS, SECRETS])(
  "$plural may be as large as etcd accepts, within the bounds of every server",
  (type) => {
    expect(memberBounds(type, () => 100).bytes).toBeGreaterThan(100 * 1.5 * MIB);
    expect(memberBounds(type, () => 1e9)).toEqual(DEFAULT_BOUNDS);
  },
);
