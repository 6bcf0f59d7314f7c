import { afterAll, beforeAll, expect, test } from "vitest";
import type { KubeObject } from "../../src/apis/index.ts";
import { useFederation } from "../e2e/federation.ts";
import { collectionPath } from "../e2e/objects.ts";
import { sentEverywhere, writtenObjects, writtenPath } from "../e2e/sentObjects.ts";
import { eventually, type FaultProxy, type ProxiedRequest, throughout } from "../envtest/index.ts";

/** The member's controllers default, allocate and change their part of what was sent, for two minutes; Meridian has nothing to put right. */

const SHANGHAI = "shanghai-1";
const NAMESPACE = "peace";
const MINUTES = 60_000;
const WRITES = new Set(["POST", "PUT", "PATCH", "DELETE"]);

const federation = useFederation({
  members: [{ name: SHANGHAI, region: "cn-shanghai" }],
  unjoined: [SHANGHAI],
});
let proxy: FaultProxy;

beforeAll(async () => {
  proxy = await federation.joinThroughProxy(SHANGHAI);
});
afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
});

/** A kind whose definition gives every object more than was written. */
const GATES = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gates.peace.example.com" },
  spec: {
    group: "peace.example.com",
    scope: "Namespaced",
    names: { kind: "Gate", listKind: "GateList", plural: "gates", singular: "gate" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  width: { type: "integer" },
                  height: { type: "integer", default: 3 },
                  hinges: {
                    type: "array",
                    items: {
                      type: "object",
                      properties: { side: { type: "string" }, steel: { type: "boolean", default: true } },
                    },
                  },
                },
              },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
      },
    ],
  },
} as unknown as KubeObject;

const gate = {
  apiVersion: "peace.example.com/v1",
  kind: "Gate",
  metadata: { name: "front", namespace: NAMESPACE },
  spec: { width: 2, hinges: [{ side: "left" }, { side: "right" }] },
} as unknown as KubeObject;

const isWrite = ({ method, path }: ProxiedRequest): boolean =>
  WRITES.has(method) && !/\/(leases|events|self\w+reviews|token)\b/.test(path);

test("nothing is written to a member for two minutes after all kinds have settled there", async () => {
  await federation.api.create(collectionPath("Namespace"), {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: NAMESPACE, labels: { sent: "yes" } },
  });
  await federation.apply(GATES);
  const member = federation.memberApi(SHANGHAI);
  await member.apply(writtenPath(GATES), GATES, "a-person");
  const objects = [...writtenObjects(NAMESPACE, 30_199), gate];
  for (const object of objects)
    await eventually(() => federation.api.apply(writtenPath(object), object, "a-person"), { timeout: 30_000 });
  await federation.apply(sentEverywhere(objects));
  await eventually(
    async () => {
      const missing: string[] = [];
      for (const object of objects)
        if ((await member.find(writtenPath(object))) === undefined) missing.push(writtenPath(object));
      expect(missing).toEqual([]);
    },
    { timeout: 2 * MINUTES },
  );
  // Settled: half a minute without a write. Whatever fights goes on for longer than that.
  let seen = -1;
  let since = performance.now();
  await eventually(
    () => {
      const writes = proxy.requests.filter(isWrite).length;
      if (writes !== seen) since = performance.now();
      seen = writes;
      expect(performance.now() - since).toBeGreaterThan(30_000);
      return Promise.resolve();
    },
    { timeout: 5 * MINUTES },
  );

  const deployment = objects.find(({ kind, metadata }) => kind === "Deployment" && metadata.name === "web");
  if (deployment === undefined) throw new Error("the objects have no Deployment web");
  let turn = 0;
  /** What a member's controllers and tools do all day to objects that are not theirs alone. */
  const controllersWork = async (): Promise<void> => {
    turn += 1;
    const touched = { metadata: { annotations: { "member.example.com/seen": `${turn}` } } };
    await member.patch(`${writtenPath(deployment)}?fieldManager=robot`, "merge", touched);
    await member.patch(`${writtenPath(gate)}?fieldManager=robot`, "merge", touched);
    await member.patch(`${writtenPath(gate)}?fieldManager=robot`, "merge", { spec: { height: 3 + turn } });
  };
  await throughout(
    2 * MINUTES,
    async () => {
      await controllersWork();
      expect(
        proxy.requests
          .filter(isWrite)
          .slice(seen)
          .map(({ method, path }) => `${method} ${path}`),
      ).toEqual([]);
    },
    5_000,
  );
  expect(turn).toBeGreaterThan(15);
});
