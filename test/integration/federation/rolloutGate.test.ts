import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { AskGate } from "../../../src/controllers/index.ts";
import { gateReply } from "../../../src/rollout/index.ts";
import { DEMOAPPLICATIONS, DEPLOYMENTS, PLACEMENTS, Prometheus, systemClock } from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";

const MEMBERS = ["a", "b"];
const QUERY = 'sum(rate(errors_total{app="shop"}[5m])) < bool 1';

/** Speaks the query API of Prometheus. The test says what a query gives. */
async function prometheus() {
  const told = { queries: [] as (string | null)[], give: (): [number, object] => [200, vector("1")] };
  const server = createServer((request, response) => {
    let form = "";
    request.on("data", (chunk: Buffer) => (form += chunk.toString()));
    request.on("end", () => {
      told.queries.push(request.url === "/api/v1/query" ? new URLSearchParams(form).get("query") : null);
      const [code, answer] = told.give();
      response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const client = new Prometheus({ url: `http://127.0.0.1:${port}` }, systemClock);
  onTestFinished(async () => {
    await client[Symbol.asyncDispose]();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const ask: AskGate = async (query, signal) => {
    const { status, body } = await client.query(query, signal);
    return gateReply(status, body);
  };
  return { told, ask };
}

function vector(...values: string[]): object {
  const result = values.map((value) => ({ metric: {}, value: [1_767_254_400, value] }));
  return { status: "success", data: { resultType: "vector", result } };
}

const gated = placement("all").rollsOut({ gate: { prometheus: { query: QUERY } }, onFailure: "Rollback" }, ...MEMBERS);
const shop = (image: string) => demoApplication("shop").replica(1).image(`registry.test/shop:${image}`);
const rollout = (federation: TestFederation) => federation.status("shop")?.rollout;

async function started(ask?: AskGate): Promise<TestFederation> {
  const federation = await TestFederation.prepare(...MEMBERS);
  if (ask !== undefined) federation.askGate = ask;
  await federation.startManager();
  await federation.apply(PLACEMENTS, gated);
  await federation.apply(DEMOAPPLICATIONS, shop("1"));
  return federation;
}

function imageOn(federation: TestFederation, name: string): string | undefined {
  const { server } = federation.member(name);
  if (!server.has(DEPLOYMENTS, "default", "shop")) return undefined;
  return /registry\.test\/shop:(\d)/.exec(JSON.stringify(server.get(DEPLOYMENTS, "default", "shop")["spec"]))?.[1];
}

test("a stage goes on when its query passes, and a query that does not pass takes the run back", async () => {
  const { told, ask } = await prometheus();
  await using federation = await started(ask);
  await federation.until(() => rollout(federation)?.state === "Succeeded");
  // Each stage asks once.
  expect(told.queries).toEqual([QUERY, QUERY]);

  told.give = () => [200, vector("1", "0")];
  await federation.apply(DEMOAPPLICATIONS, shop("2"));
  await federation.until(() => rollout(federation)?.state === "RolledBack");
  expect(rollout(federation)?.message).toBe("stage a: the query of the gate did not pass");
  expect(MEMBERS.map((name) => imageOn(federation, name))).toEqual(["1", "1"]);
  expect(told.queries).toHaveLength(3);
});

test("a query without an answer holds the run, through a restart of the manager, and is no failure", async () => {
  const { told, ask } = await prometheus();
  await using federation = await started(ask);
  await federation.until(() => rollout(federation)?.state === "Succeeded");
  told.give = () => [503, { status: "error", errorType: "unavailable", error: "of somebody else" }];
  await federation.apply(DEMOAPPLICATIONS, shop("2"));
  await federation.until(() => rollout(federation)?.message === "stage a: Prometheus answered with 503");
  expect(rollout(federation)).toMatchObject({ state: "Paused", reason: "Gate" });
  await federation.pass(5_000);
  const writes = federation.hubWrites.length;
  await federation.pass(120_000);
  expect(rollout(federation)?.state).toBe("Paused");
  // Whoever asks in vain says nothing new.
  expect(federation.hubWrites.length).toBe(writes);
  expect(MEMBERS.map((name) => imageOn(federation, name))).toEqual(["2", "1"]);

  await federation.stopManager();
  told.give = () => [200, vector("1")];
  await federation.startManager();
  await federation.until(() => rollout(federation)?.state === "Succeeded");
  expect(MEMBERS.map((name) => imageOn(federation, name))).toEqual(["2", "2"]);
});
