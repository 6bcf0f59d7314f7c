import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../src/apis/index.ts";
import { DEMOAPPLICATIONS, DEPLOYMENTS, PLACEMENTS } from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";

/** With real processes that are killed it is in test/faults; here the moments lie closer. */

const MEMBERS = ["a", "b", "c"];
/** More of them by `MERIDIAN_RESTARTS`. */
const MOMENTS = Number(process.env["MERIDIAN_RESTARTS"] ?? 5);
/** What the rollout of these tests takes, with the way back. */
const STORY_MS = 8_000;
const GATE = "6s";

const shop = (tag: string): KubeObject =>
  demoApplication("shop").replica(1).image(`registry.test/shop:${tag}`).object();

const ORDER = {
  a: ["Waiting", "Applying", "Verifying", "Done", "Failed", "Applying RollingBack", "RolledBack"],
  c: ["Waiting"],
};

describe("a new manager at any moment of a rollout that fails in the second stage", () => {
  test.each(Array.from({ length: MOMENTS }, (_, i) => Math.round((i * STORY_MS) / MOMENTS)))(
    "%d ms after the change",
    async (moment) => {
      await using federation = await TestFederation.start(...MEMBERS);
      const inStages = placement("all").rollsOut({ gate: { timeout: GATE }, onFailure: "Rollback" }, ...MEMBERS);
      await federation.apply(PLACEMENTS, inStages);
      await federation.apply(DEMOAPPLICATIONS, shop("1"));
      const rollout = () => federation.status("shop")?.rollout;
      await federation.until(() => rollout()?.state === "Succeeded");
      await federation.pass(2_000);
      federation.member("b").stickPods();
      const generations = (): unknown[] =>
        MEMBERS.map((name) => federation.member(name).server.get(DEPLOYMENTS, "default", "shop").metadata.generation);
      const before = generations() as number[];

      const seen: Record<string, string[]> = { a: [], b: [], c: [] };
      const look = (): void => {
        const { revision, stages = [] } = rollout() ?? {};
        if (revision !== 2) return;
        for (const { name, state, reason } of stages.flatMap(({ clusters = [] }) => clusters)) {
          const said = reason === "RollingBack" ? `${state} ${reason}` : state;
          if (seen[name]?.at(-1) !== said) seen[name]?.push(said);
        }
      };
      await federation.apply(DEMOAPPLICATIONS, shop("2"));
      for (let passed = 0; passed < moment; passed += 50) {
        await federation.pass(50);
        look();
      }
      await federation.restart();
      await federation.until(() => {
        look();
        return rollout()?.state === "RolledBack";
      });
      await federation.pass(5_000);
      look();

      const [a = 0, b = 0, c = 0] = before;
      expect(generations()).toEqual([a + 2, b + 2, c]);
      for (const name of ["a", "b"]) {
        const places = (seen[name] ?? []).map((state) => ORDER.a.indexOf(state));
        expect({ name, seen: seen[name], places }).toEqual({
          name,
          seen: seen[name],
          places: places.toSorted((x, y) => x - y),
        });
        expect(places).not.toContain(-1);
      }
      expect(seen["c"]).toEqual(ORDER.c);
    },
  );
});
