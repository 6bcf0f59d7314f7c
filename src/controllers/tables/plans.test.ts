import { describe, expect, test } from "vitest";
import type { Target } from "../../desiredstate/index.ts";
import { type Plan, type PlanChange, Plans } from "./plans.ts";

const shop = "paas.cmft.com/DemoApplication/default/shop";
const cart = "paas.cmft.com/DemoApplication/default/cart";
const named = (kind: string, name: string) => ({ kind, namespace: "default", name });

function plan(placement: string | undefined, ...overrides: string[]): Plan {
  const target = {
    ...(placement === undefined ? {} : { placement: named("Placement", placement) }),
    overrides: overrides.map((name) => named("OverridePolicy", name)),
  };
  return { uid: "u", generation: 1, target: target as unknown as Target, ours: true, remaining: new Set() };
}

function plansWithChanges() {
  const plans = new Plans();
  const changes: PlanChange[] = [];
  plans.changes.subscribe((change) => void changes.push(change));
  return { plans, changes, of: (policy: string) => [...plans.namedBy(policy)] };
}

describe("plans", () => {
  test("are the last ones, and each change is told with the one before", () => {
    const { plans, changes } = plansWithChanges();
    const [first, second] = [plan("a"), plan("b")];
    plans.set(shop, first);
    plans.set(shop, second);
    expect(plans.get(shop)).toBe(second);
    expect([...plans.entries()]).toEqual([[shop, second]]);
    plans.drop(shop);
    expect(plans.get(shop)).toBeUndefined();
    expect(changes).toEqual([
      { owner: shop, before: undefined, after: first },
      { owner: shop, before: first, after: second },
      { owner: shop, before: second, after: undefined },
    ]);
  });

  test("are found by the policies that they name, as long as they name them", () => {
    const { plans, of } = plansWithChanges();
    plans.set(shop, plan("a", "o"));
    plans.set(cart, plan("a"));
    expect([of("Placement/default/a"), of("OverridePolicy/default/o")]).toEqual([[shop, cart], [shop]]);
    plans.set(shop, plan("b", "o"));
    expect([of("Placement/default/a"), of("Placement/default/b"), of("OverridePolicy/default/o")]).toEqual([
      [cart],
      [shop],
      [shop],
    ]);
    plans.drop(cart);
    plans.drop(shop);
    expect([of("Placement/default/a"), of("Placement/default/b"), of("OverridePolicy/default/o")]).toEqual([
      [],
      [],
      [],
    ]);
  });
});
