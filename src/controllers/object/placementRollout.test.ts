import { describe, expect, test } from "vitest";
import { CONTROLLER_CLASS_LABEL } from "../../apis/index.ts";
import { CONTROLLERREVISIONS } from "../../runtime/index.ts";
import { APP, app, placement, placing, statusOn } from "../testing/planning.ts";
import { CANARY } from "../testing/rollingOut.ts";

/** An application whose policy has it rolled out in stages, planned for the first time. */
async function rolling(image = "nginx:1") {
  const all = await placing({
    apps: [app({}, { image })],
    placements: [placement(["a", "b"], { rollout: CANARY })],
  });
  all.hub.serve(CONTROLLERREVISIONS);
  await all.plan();
  const woken = all.wokenBy(all.reconciler);
  woken.length = 0;
  /** The hub holds the state that was planned. */
  const hold = async (): Promise<void> => {
    const rollout = all.plans.get(APP)?.rollout;
    await all.update({ status: { ...statusOn("a").status, rollout } });
    woken.length = 0;
  };
  return { ...all, woken, hold };
}

const ONCE = [{ key: APP, afterMs: undefined }];

describe("an object that is rolled out in stages", () => {
  test("gets nothing before the hub holds the state that it follows from", async () => {
    const { reconcile, rowLines, plans, woken, settlements, hold } = await rolling();
    expect(plans.get(APP)).toMatchObject({ rollout: { state: "Progressing", revision: 1 }, awaitsContact: false });
    expect(rowLines()).toEqual([]);
    settlements.emit("another");
    settlements.emit(APP);
    expect(woken).toEqual(ONCE);
    await hold();
    expect(await reconcile()).toEqual({ requeueAfter: 600_000 });
    expect(rowLines()).toEqual(["a Apply Deployment/shop"]);
    settlements.emit(APP);
    expect(woken).toEqual([]);
  });

  test("is planned again with every news of its gates, its turn, and its clusters", async () => {
    const { reconcile, woken, hold, shared, contact } = await rolling();
    await hold();
    await reconcile();
    const wakers: [string, () => void][] = [
      ["gates", () => shared.gates.changes.emit(APP)],
      ["places", () => shared.places.changes.emit(APP)],
      ["contact", () => contact("b", { synced: false })],
    ];
    for (const [name, waker] of wakers) {
      woken.length = 0;
      waker();
      expect([name, woken]).toEqual([name, ONCE]);
    }
  });

  test("is no concern of contact any more when it is another class's", async () => {
    const { reconcile, update, woken, hold, contact } = await rolling();
    await hold();
    await reconcile();
    await update({ metadata: { labels: { [CONTROLLER_CLASS_LABEL]: "canary" }, generation: 2, finalizers: [] } });
    await reconcile();
    woken.length = 0;
    contact("b", { synced: false });
    expect(woken).toEqual([]);
  });

  test("that no revision can hold is done with, and its plan says why", async () => {
    const { reconcile, plans, rowLines } = await rolling("x".repeat(1024 * 1024));
    expect(await reconcile()).toEqual({});
    expect([plans.get(APP)?.failure?.reason, rowLines()]).toEqual(["RevisionTooLarge", []]);
  });
});
