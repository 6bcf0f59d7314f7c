import { expect, test } from "vitest";
import { type KubeObject, ROLLOUT_APPROVALS_ANNOTATION } from "../../../src/apis/index.ts";
import { DEPLOYMENTS, PLACEMENTS, RESOURCEBINDINGS } from "../../../src/runtime/index.ts";
import { placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";

/** Objects that are sent as they are: the rollout stands in their bindings, and that is where people speak to it. */

const MEMBERS = ["a", "b", "c"];

const web = (tag: string): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: `registry.test/web:${tag}` }] },
    },
  },
});

const rolloutOf = (federation: TestFederation, name: string) => federation.binding(name)?.status?.rollout;

function tagsOf(federation: TestFederation): (string | undefined)[] {
  return MEMBERS.map((name) => {
    const { server } = federation.member(name);
    const found = server.find(DEPLOYMENTS, "default", "web") as
      | { spec: { template: { spec: { containers: { image: string }[] } } } }
      | undefined;
    return found?.spec.template.spec.containers[0]?.image.split(":")[1];
  });
}

async function restarted(federation: TestFederation, name: string): Promise<void> {
  await federation.pass(5_000);
  const run = rolloutOf(federation, name);
  const writes = MEMBERS.map((member) => federation.member(member).writes.length);
  await federation.restart();
  await federation.pass(20_000);
  expect(rolloutOf(federation, name)).toEqual(run);
  expect(federation.hubClients.at(-1)?.writes).toEqual([]);
  expect(MEMBERS.map((member) => federation.member(member).writes.length)).toEqual(writes);
}

test("a Deployment of the hub goes stage by stage, waits for a person through a new manager, and goes back when it fails", async () => {
  const BINDING = "deployment.apps.web";
  await using federation = await TestFederation.start(...MEMBERS);
  const [first, ...others] = MEMBERS.map((name) => ({ name, targetClusters: { clusterNames: [name] } }));
  const stages = [{ ...first, name: "a", approval: "Manual" as const }, ...others];
  const policy = placement("web").selects({ apiVersion: "apps/v1", kind: "Deployment", name: "web" });
  await federation.apply(PLACEMENTS, policy.rollout({ stages, gate: { timeout: "60s" }, onFailure: "Rollback" }));
  const approve = async (): Promise<void> => {
    await federation.until(() => rolloutOf(federation, BINDING)?.reason === "Gate");
    const { revision, startedAt: run } = rolloutOf(federation, BINDING) ?? {};
    const approvals = JSON.stringify({ revision, run, approvals: { a: "alice" } });
    await federation.hub.merge(RESOURCEBINDINGS, "default", BINDING, {
      metadata: {
        annotations: { [ROLLOUT_APPROVALS_ANNOTATION]: approvals },
      },
    });
  };

  await federation.apply(DEPLOYMENTS, web("1"));
  await approve();
  await federation.until(() => rolloutOf(federation, BINDING)?.state === "Succeeded");
  expect(tagsOf(federation)).toEqual(["1", "1", "1"]);

  federation.member("b").stickPods();
  await federation.apply(DEPLOYMENTS, web("2"));
  await federation.until(() => rolloutOf(federation, BINDING)?.reason === "Gate");
  await restarted(federation, BINDING);
  expect(tagsOf(federation)).toEqual(["2", "1", "1"]);
  await approve();
  await federation.until(() => tagsOf(federation)[1] === "2");
  await restarted(federation, BINDING);
  await federation.until(() => rolloutOf(federation, BINDING)?.state === "RolledBack", 120_000);
  expect(tagsOf(federation)).toEqual(["1", "1", "1"]);
  await restarted(federation, BINDING);
});
