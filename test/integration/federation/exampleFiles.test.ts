import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { type KubeObject, REGION_LABEL, ROLLOUT_APPROVALS_ANNOTATION } from "../../../src/apis/index.ts";
import { DEMOAPPLICATIONS, DEPLOYMENTS, PLACEMENTS } from "../../../src/runtime/index.ts";
import { TestFederation } from "./harness.ts";

/** The files of placements/examples that tell a story take their course here, on a clock that the test turns. */

/** Of the members. */
const REGIONS = {
  singapore: "ap-southeast-1",
  shanghai: "cn-shanghai",
  beijing: "cn-beijing",
  shenzhen: "cn-shenzhen",
  frankfurt: "eu-central-1",
  ireland: "eu-west-1",
  virginia: "us-east-1",
} as const;

async function withExample(file: string, members: readonly (keyof typeof REGIONS)[]): Promise<TestFederation> {
  const federation = await TestFederation.prepare();
  for (const name of members) await federation.join(name, {}, { [REGION_LABEL]: REGIONS[name] });
  await federation.startManager();
  const text = readFileSync(join(import.meta.dirname, "../../../placements/examples", file), "utf8");
  for (const document of parseAllDocuments(text)) {
    const object = document.toJS() as KubeObject;
    await federation.apply(object.kind === "Placement" ? PLACEMENTS : DEMOAPPLICATIONS, object);
  }
  return federation;
}

interface Deployed {
  spec: { replicas: number; template: { spec: { containers: { image: string }[] } } };
}

/** What the Deployments say, by the members that have one. */
function deployed<T>(federation: TestFederation, app: string, pick: (deployment: Deployed) => T): Record<string, T> {
  const found = [...federation.members].filter(([, { server }]) => server.has(DEPLOYMENTS, "default", app));
  return Object.fromEntries(
    found.map(([name, { server }]) => [name, pick(server.get(DEPLOYMENTS, "default", app) as unknown as Deployed)]),
  );
}

const replicasOf = (federation: TestFederation, app: string): Record<string, number> =>
  deployed(federation, app, ({ spec }) => spec.replicas);
const imagesOf = (federation: TestFederation, app: string): Record<string, string | undefined> =>
  deployed(federation, app, ({ spec }) => spec.template.spec.containers[0]?.image);

const MINUTE = 60_000;

test("rollout.yaml: one region, a person, a country, the rest; and back from everywhere", async () => {
  const members = ["singapore", "shanghai", "beijing", "shenzhen", "frankfurt"] as const;
  await using federation = await withExample("rollout.yaml", members);
  const rollout = () => federation.status("web")?.rollout;
  const everywhere = (image: string) => Object.fromEntries(members.map((name) => [name, image]));
  const approve = async (): Promise<void> => {
    await federation.until(() => rollout()?.reason === "Gate", 20 * MINUTE);
    const { revision, startedAt: run } = rollout() ?? {};
    const approvals = JSON.stringify({ revision, run, approvals: { canary: "alice" } });
    await federation.hub.merge(DEMOAPPLICATIONS, "default", "web", {
      metadata: { annotations: { [ROLLOUT_APPROVALS_ANNOTATION]: approvals } },
    });
  };
  const change = (image: string) => federation.hub.merge(DEMOAPPLICATIONS, "default", "web", { spec: { image } });

  await federation.until(() => rollout()?.stages?.[0]?.state === "Soaking", 5 * MINUTE);
  expect(imagesOf(federation, "web")).toEqual({ singapore: "nginx:1.27" });
  await federation.pass(9 * MINUTE);
  expect(rollout()?.stages?.[0]?.state).toBe("Soaking");
  await approve();
  await federation.until(() => rollout()?.state === "Succeeded", 5 * MINUTE);
  expect(imagesOf(federation, "web")).toEqual(everywhere("nginx:1.27"));

  // It is well in Singapore, and fails in the second stage.
  federation.member("shanghai").stickPods();
  await change("nginx:1.28");
  await approve();
  await federation.until(() => rollout()?.stages?.[1]?.state === "Progressing", MINUTE);
  await federation.until(() => rollout()?.state === "RolledBack", 10 * MINUTE);
  expect(imagesOf(federation, "web")).toEqual(everywhere("nginx:1.27"));
  expect(rollout()?.stages?.map(({ state }) => state)).toEqual(["RolledBack", "RolledBack", "Waiting"]);
});

test("failover.yaml: half and half; the other takes all; then the third; and back", async () => {
  const members = ["frankfurt", "ireland", "virginia", "singapore", "shanghai"] as const;
  await using federation = await withExample("failover.yaml", members);
  const until = async (replicas: Record<string, number>): Promise<void> => {
    await federation.until(
      () => JSON.stringify(replicasOf(federation, "checkout")) === JSON.stringify(replicas),
      20 * MINUTE,
    );
  };
  await federation.untilAvailable("checkout");
  expect(replicasOf(federation, "checkout")).toEqual({ frankfurt: 2, ireland: 2 });

  federation.member("frankfurt").cutOff();
  // What was there stays there until somebody can ask for its end.
  await until({ frankfurt: 2, ireland: 4 });
  await federation.untilAvailable("checkout");
  federation.member("ireland").cutOff();
  await until({ frankfurt: 2, ireland: 4, virginia: 4 });
  expect(federation.status("checkout")?.departures?.map(({ cluster }) => cluster)).toEqual(["frankfurt", "ireland"]);

  for (const name of ["frankfurt", "ireland"] as const) federation.member(name).comeBack();
  await until({ frankfurt: 2, ireland: 2 });
  await federation.untilAvailable("checkout");
  expect(federation.status("checkout")?.departures ?? []).toEqual([]);
});
