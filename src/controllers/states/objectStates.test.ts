import { fc, test as property } from "@fast-check/vitest";
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

describe("the parts of a record", () => {
  const orphaning = { uid: "u", isProven: true };

  test("begin before the first plan, and stay when planning has forgotten the object", () => {
    const { states, changes } = plansWithChanges();
    states.setPart(shop, "orphaning", orphaning);
    states.setPlan(shop, plan("a"));
    states.update(shop, { life: "Placing", rolloutWarning: "w" });
    states.forget(shop);
    expect(states.get(shop)).toEqual({ life: "Gone", plan: undefined, orphaning });
    expect(changes.at(-1)?.after).toBeUndefined();
    states.clear(shop, "orphaning");
    expect(states.get(shop)).toBeUndefined();
  });

  test("leave the record to planning, which may know more of the object", () => {
    const { states } = plansWithChanges();
    states.setPart(shop, "handover", "");
    states.update(shop, { life: "Foreign" });
    states.clear(shop, "handover");
    expect(states.get(shop)?.life).toBe("Foreign");
    states.clear(cart, "handover");
    expect(states.get(cart)).toBeUndefined();
  });

  const step = fc.constantFrom("plan", "forget", "setHandover", "clearHandover", "setOrphaning", "clearOrphaning");

  property.prop([fc.array(step)])("are those that were set and not cleared, whatever planning does", (steps) => {
    const { states } = plansWithChanges();
    const want: { plan?: true; handover?: true; orphaning?: true } = {};
    for (const one of steps) {
      if (one === "plan") {
        states.setPlan(shop, plan("a"));
        want.plan = true;
      } else if (one === "forget") {
        states.forget(shop);
        delete want.plan;
      } else if (one === "setHandover") {
        states.setPart(shop, "handover", "why");
        want.handover = true;
      } else if (one === "setOrphaning") {
        states.setPart(shop, "orphaning", orphaning);
        want.orphaning = true;
      } else {
        const part = one === "clearHandover" ? "handover" : "orphaning";
        states.clear(shop, part);
        delete want[part];
      }
      const { plan: present, handover, orphaning: found } = states.get(shop) ?? {};
      const parts = { plan: present, handover, orphaning: found };
      const have = Object.entries(parts).flatMap(([name, value]) => (value === undefined ? [] : [name]));
      expect(have.toSorted()).toEqual(Object.keys(want).toSorted());
      expect([...states.having("handover")]).toEqual(want.handover === true ? [shop] : []);
      // A record with nothing in it is not kept.
      expect(states.get(shop) === undefined).toBe(have.length === 0);
    }
  });
});
