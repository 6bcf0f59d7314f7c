import { describe, expect, test } from "vitest";
import { CONFIGMAPS, DEFAULT_BOUNDS, SECRETS } from "../../runtime/index.ts";
import { memberBounds } from "./memberBounds.ts";

const DEPLOYMENTS = { group: "apps", kind: "Deployment" };
const MIB = 1 << 20;

describe("what is read of a member at most", () => {
  test("grows with what is asked for there", () => {
    let asked = 0;
    const bounds = memberBounds(DEPLOYMENTS, () => asked);
    expect(bounds).toEqual({ objects: 5_000, bytes: 24 * MIB });
    asked = 1_000;
    expect(bounds).toEqual({ objects: 25_000, bytes: 86.5 * MIB });
  });

  test.each([1, 100, 1_000, 8_000])("is enough for %d objects of 16 KiB each, and as many again", (asked) => {
    const bounds = memberBounds(DEPLOYMENTS, () => asked);
    expect(bounds.objects).toBeGreaterThan(2 * asked);
    expect(bounds.bytes).toBeGreaterThan(2 * asked * 16_384);
  });

  test.each([CONFIGMAPS, SECRETS])("leaves room for $plural as long as etcd takes them", (type) => {
    expect(memberBounds(type, () => 100).bytes).toBeGreaterThan(100 * 1.5 * MIB);
  });

  test("is never more than of any other server", () => {
    expect(memberBounds(CONFIGMAPS, () => 1e9)).toEqual(DEFAULT_BOUNDS);
  });
});
