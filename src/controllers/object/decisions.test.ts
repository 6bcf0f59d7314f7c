import { describe, expect, test } from "vitest";
import { APP, app, placement } from "../testing/planning.ts";
import { reporting } from "../testing/reporting.ts";

const withKey = app({}, { env: [{ name: "KEY", valueFrom: { secretKeyRef: { name: "key", key: "key" } } }] });

describe("decisions for readers", () => {
  test("explain the plan of the planner, by the same values", async () => {
    const { complete, decisions, planned } = await reporting({ placements: [placement(["b"])] });
    await complete();
    const explanation = decisions.explain(APP);
    expect(explanation?.clusters.filter(({ chosen }) => chosen).map(({ name }) => name)).toEqual(
      planned().target?.clusters.map(({ name }) => name),
    );
  });

  test("are none for an object that another controller class owns", async () => {
    const { complete, decisions, replan } = await reporting();
    await complete();
    replan({ ours: false });
    expect([decisions.explain(APP), decisions.differences(APP)]).toEqual([undefined, []]);
    expect(decisions.explain("paas.cmft.com/DemoApplication/default/nothing")).toBeUndefined();
  });

  test("watch nothing for an object that is being deleted", async () => {
    const { complete, decisions, states, dependencies } = await reporting({ apps: [withKey] });
    await complete();
    const needing = (): string[] => [...dependencies.referrersTo("/Secret/default/key")];
    expect(needing()).toEqual([APP]);
    states.update(APP, { life: "Deleting" });
    dependencies.forget(APP);
    expect(decisions.explain(APP)).toBeDefined();
    expect(needing()).toEqual([]);
  });
});
