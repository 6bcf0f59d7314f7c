import { expect, onTestFinished, test, vi } from "vitest";
import { placeableKindOf } from "../../../src/interpreter/index.ts";
import { CLUSTERPLACEMENTS, DEMOAPPLICATIONS, DEPLOYMENTS } from "../../../src/runtime/index.ts";
import { clusterPlacement, demoApplication } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";

/** An error in planning, for one application only, until it is disposed of. */
function breakPlanningOf(name: string): Disposable {
  const kind = placeableKindOf("paas.cmft.com", "DemoApplication");
  const real = kind.replicas.bind(kind);
  const broken = vi.spyOn(kind, "replicas").mockImplementation((object) => {
    if (object.metadata.name === name) throw new RangeError("Maximum call stack size exceeded");
    return real(object);
  });
  onTestFinished(() => broken.mockRestore());
  return { [Symbol.dispose]: () => broken.mockRestore() };
}

function appliedOf(federation: TestFederation, name: string): [string, string] | undefined {
  const applied = federation.app(name)?.status?.conditions?.find(({ type }) => type === "Applied");
  return applied === undefined ? undefined : [applied.status, applied.reason];
}

test("an object that planning fails on says so, keeps what it has, and is planned again", async () => {
  await using federation = await TestFederation.start("shanghai");
  const { server } = federation.member("shanghai");
  await federation.apply(CLUSTERPLACEMENTS, clusterPlacement("all"));
  for (const name of ["shop", "blog"]) {
    await federation.apply(DEMOAPPLICATIONS, demoApplication(name));
    await federation.untilAvailable(name);
  }
  const broken = breakPlanningOf("shop");
  const uid = server.get(DEPLOYMENTS, "default", "shop").metadata.uid;
  for (const name of ["shop", "blog"])
    await federation.apply(DEMOAPPLICATIONS, demoApplication(name).image("nginx:1.99"));
  await federation.until(() => appliedOf(federation, "shop")?.[0] === "Unknown");
  expect(appliedOf(federation, "shop")).toEqual(["Unknown", "PlanningFailed"]);
  expect(federation.app("shop")?.status?.clusters?.map(({ name }) => name)).toEqual(["shanghai"]);
  // Whatever else there is goes on.
  await federation.until(() => JSON.stringify(server.get(DEPLOYMENTS, "default", "blog")).includes("nginx:1.99"));
  expect(appliedOf(federation, "blog")).toEqual(["True", "AllClustersApplied"]);

  // The same where the manager has never planned it: nothing of what was said is taken back but that it were applied.
  const before = federation.app("shop")?.status;
  await federation.restart();
  await federation.pass(30_000);
  expect(federation.app("shop")?.status).toEqual(before);
  expect(server.get(DEPLOYMENTS, "default", "shop").metadata.uid).toBe(uid);

  broken[Symbol.dispose]();
  await federation.until(() => appliedOf(federation, "shop")?.[0] === "True");
  expect(JSON.stringify(server.get(DEPLOYMENTS, "default", "shop"))).toContain("nginx:1.99");
});
