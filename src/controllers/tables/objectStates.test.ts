import { describe, expect, test } from "vitest";
import type { Target } from "../../desiredstate/index.ts";
import { type Plan, type PlanChange, ObjectStates } from "./objectStates.ts";

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
  const states = new ObjectStates();
  const changes: PlanChange[] = [];
  states.planChanges.subscribe((change) => void changes.push(change));
  return { states, changes, of: (policy: string) => [...states.namedBy(policy)] };
}

describe("plans", () => {
  test("are the last ones, and each change is told with the one before", () => {
    const { states, changes } = plansWithChanges();
    const [first, second] = [plan("a"), plan("b")];
    states.setPlan(shop, first);
    states.setPlan(shop, second);
    expect(states.planOf(shop)).toBe(second);
    expect([...states.plans()]).toEqual([[shop, second]]);
    states.dropPlan(shop);
    expect(states.planOf(shop)).toBeUndefined();
    expect(changes).toEqual([
      { owner: shop, before: undefined, after: first },
      { owner: shop, before: first, after: second },
      { owner: shop, before: second, after: undefined },
    ]);
  });

  test("are found by the policies that they name, as long as they name them", () => {
    const { states, of } = plansWithChanges();
    states.setPlan(shop, plan("a", "o"));
    states.setPlan(cart, plan("a"));
    expect([of("Placement/default/a"), of("OverridePolicy/default/o")]).toEqual([[shop, cart], [shop]]);
    states.setPlan(shop, plan("b", "o"));
    expect([of("Placement/default/a"), of("Placement/default/b"), of("OverridePolicy/default/o")]).toEqual([
      [cart],
      [shop],
      [shop],
    ]);
    states.dropPlan(cart);
    states.dropPlan(shop);
    expect([of("Placement/default/a"), of("Placement/default/b"), of("OverridePolicy/default/o")]).toEqual([
      [],
      [],
      [],
    ]);
  });
});
