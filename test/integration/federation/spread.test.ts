import { expect, test } from "vitest";
import { REGION_LABEL, ZONE_LABEL } from "../../../src/apis/index.ts";
import { DEMOAPPLICATIONS, DEPLOYMENTS, MEMBERCLUSTERS, PLACEMENTS } from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";

/** Three regions of two zones with two members each. */
const MEMBERS = ["x", "y", "z"].flatMap((region) =>
  ["1", "2"].flatMap((zone) => ["a", "b"].map((which) => ({ name: `${region}${zone}${which}`, region, zone }))),
);

const where = (federation: TestFederation): string[] =>
  MEMBERS.map(({ name }) => name).filter((name) => federation.member(name).server.has(DEPLOYMENTS, "default", "shop"));

test("an application is spread over regions and zones of twelve members, and moves no more than has to", async () => {
  await using federation = await TestFederation.prepare();
  for (const { name, region, zone } of MEMBERS)
    await federation.join(name, {}, { [REGION_LABEL]: region, [ZONE_LABEL]: zone });
  await federation.startManager();
  const spread = placement("spread").clusterCount(6);
  await federation.apply(
    PLACEMENTS,
    spread.spread({ topologyKey: "region", minGroups: 3 }, { topologyKey: "zone", minGroups: 6 }).divided(),
  );
  await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(12));
  await federation.untilAvailable("shop");
  expect(where(federation)).toEqual(["x1a", "x2a", "y1a", "y2a", "z1a", "z2a"]);
  const entries = federation.status("shop")?.clusters ?? [];
  expect(entries.map(({ region, replicas }) => [region, replicas.desired])).toEqual(
    ["x", "x", "y", "y", "z", "z"].map((region) => [region, 2]),
  );

  // A cluster that takes nothing any more: the other one of its zone takes over, and nothing else moves.
  await federation.hub.merge(MEMBERCLUSTERS, undefined, "y1a", {
    spec: { taints: [{ key: "maintenance", effect: "NoExecute" }] },
  });
  await federation.until(() => !where(federation).includes("y1a"));
  expect(where(federation)).toEqual(["x1a", "x2a", "y1b", "y2a", "z1a", "z2a"]);

  // What cannot be met is told of, and what runs stays.
  await federation.apply(PLACEMENTS, spread.spread({ topologyKey: "region", minGroups: 4 }).divided());
  await federation.until(() => federation.condition("shop", "Scheduled")?.includes("NoClusterFits") === true);
  expect(federation.status("shop")?.conditions?.find(({ type }) => type === "Scheduled")?.message).toBe(
    "no cluster fits: 4 regions are asked for, and clusters of 3 fit; it is kept as it is on 6 clusters",
  );
  expect(where(federation)).toEqual(["x1a", "x2a", "y1b", "y2a", "z1a", "z2a"]);
});
