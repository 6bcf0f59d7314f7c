import { describe, expect, test } from "vitest";
import { OBJECT_FINALIZER } from "../../../src/apis/index.ts";
import { ApiError, CLUSTERPLACEMENTS, CONFIGMAPS, DEMOAPPLICATIONS, DEPLOYMENTS } from "../../../src/runtime/index.ts";
import { clusterPlacement, demoApplication } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";
import { leftover } from "./objects.ts";

const NOT_NOW = new ApiError(500, "InternalError", "not now");

/** One application in the namespace `team`, one in `default`; the manager has stopped. In both something is left of an older one. */
async function stoppedWithTwo(): Promise<TestFederation> {
  const federation = await TestFederation.start("shanghai");
  const { server } = federation.member("shanghai");
  for (const cluster of [federation.hub, server]) await federation.namespace("team", cluster);
  await federation.apply(CLUSTERPLACEMENTS, clusterPlacement("all"));
  await federation.apply(DEMOAPPLICATIONS, demoApplication("shop"));
  await federation.apply(DEMOAPPLICATIONS, demoApplication("blog").namespace("team").envFromConfigMap("settings"));
  await federation.untilAvailable("shop");
  await federation.until(() => server.has(DEPLOYMENTS, "team", "blog"));
  await federation.stopManager();
  for (const namespace of ["default", "team"])
    await server.applyAsMeridian(DEPLOYMENTS, leftover(federation.hubId, namespace));
  return federation;
}

describe("after a restart an object that cannot be planned", () => {
  test("holds deletes in its own namespace, and nowhere else", async () => {
    await using federation = await stoppedWithTwo();
    const { server } = federation.member("shanghai");
    const { finalizers } = federation.hub.get(DEMOAPPLICATIONS, "team", "blog").metadata;
    expect(finalizers).toContain(OBJECT_FINALIZER);
    await federation.hub.merge(DEMOAPPLICATIONS, "team", "blog", { metadata: { finalizers: null } });
    federation.refuse = (verb, type) => (verb === "patch" && type === DEMOAPPLICATIONS ? NOT_NOW : undefined);
    await federation.startManager();
    await federation.until(() => !server.has(DEPLOYMENTS, "default", "old"));
    await federation.pass(20_000);
    expect(server.has(DEPLOYMENTS, "team", "blog")).toBe(true);
    expect(server.has(DEPLOYMENTS, "team", "old")).toBe(true);

    federation.refuse = () => undefined;
    await federation.until(() => !server.has(DEPLOYMENTS, "team", "old"));
    expect(server.has(DEPLOYMENTS, "team", "blog")).toBe(true);
  });
});

test("while an object is still to be planned for the first time nothing is deleted anywhere", async () => {
  await using federation = await stoppedWithTwo();
  const { server } = federation.member("shanghai");
  const answered = Promise.withResolvers<void>();
  await federation.startManager();
  const client = federation.hubClients.at(-1);
  const gate = client?.gate;
  if (client === undefined || gate === undefined) throw new Error("the manager has no connection to the hub");
  client.gate = async (call) => {
    if (call.type === CONFIGMAPS && call.phase === "before") await answered.promise;
    await gate(call);
  };
  await federation.pass(20_000);
  expect(server.has(DEPLOYMENTS, "default", "old")).toBe(true);
  answered.resolve();
  await federation.until(() => !server.has(DEPLOYMENTS, "default", "old") && !server.has(DEPLOYMENTS, "team", "old"));
  expect(server.has(DEPLOYMENTS, "team", "blog")).toBe(true);
});
