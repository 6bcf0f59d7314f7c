import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Http2ServerResponse } from "node:http2";
import { describe, expect, onTestFinished, test } from "vitest";
import type { KubeObject } from "../../src/apis/index.ts";
import { takeInventory } from "../../src/clusters/connection/inventory.ts";
import { probe } from "../../src/clusters/connection/probe.ts";
import { capacityNow } from "../../src/clusters/workloads/capacityReader.ts";
import {
  type Client,
  CONFIGMAPS,
  createClient,
  DEMOAPPLICATIONS,
  DEPLOYMENTS,
  Discovery,
  isMisbehaviour,
  listAll,
  NAMESPACES,
  PLACEMENTS,
  PODS,
  requestToken,
  type ResourceType,
  systemClock,
} from "../../src/runtime/index.ts";
import { startTestServer } from "../../src/runtime/testing/testServer.ts";
import { demoApplication, placement } from "../builders/index.ts";
import { TestFederation } from "./federation/harness.ts";

/**
 * Whatever a member sends, at whatever endpoint Meridian reads: it is refused within bounds, for a reason that names the endpoint, and holds up nobody.
 * The endpoints are those that a manager was seen to ask.
 */

const MiB = 1 << 20;
const READING_MS = 150;
/** Of a federation whose machine has more to do than this test. Before there were bounds a single quantity held the loop for 21 s. */
const LONGEST_HOLD_MS = 2_000;
const TRICKLE_MS = 20;

type Read = (client: Client, signal: AbortSignal) => Promise<unknown>;

interface Endpoint {
  read: Read;
  /** The path that misbehaves. */
  path: string;
  /** What a well-behaved server answers there in part; the shapes are put into it. */
  kind?: string;
  /** Nothing is read of the answer but its length and its code. */
  unread?: true;
  /** Not more than one page is asked for, so that others say nothing. */
  onePage?: true;
}

const object = (type: ResourceType): KubeObject => ({
  apiVersion: type.group === "" ? type.version : `${type.group}/${type.version}`,
  kind: type.kind,
  metadata: { name: "a", ...(type.namespaced ? { namespace: "shop" } : {}) },
});
const collection = ({ group, version, plural }: ResourceType): string =>
  `${group === "" ? "/api" : `/apis/${group}`}/${version}/${plural}`;
const within = (type: ResourceType): string =>
  type.namespaced ? collection(type).replace(/\/([^/]+)$/, "/namespaces/shop/$1") : collection(type);
const named = (type: ResourceType): string => `${within(type)}/a`;
const home = ({ namespaced }: ResourceType): string | undefined => (namespaced ? "shop" : undefined);

async function follow(client: Client, type: ResourceType, signal: AbortSignal): Promise<void> {
  // What never completes an event is given up by the watchdog of the reflector; here by the signal.
  for await (const _ of client.watch(type, { signal: AbortSignal.any([signal, AbortSignal.timeout(2_000)]) }));
}

const VERBS: Record<string, (type: ResourceType) => Endpoint> = {
  get: (type) => ({ path: named(type), read: (client) => client.get(type, home(type), "a") }),
  list: (type) => ({
    path: collection(type),
    kind: "List",
    read: (client, signal) => listAll({ client, type }, { signal }),
  }),
  watch: (type) => ({
    path: collection(type),
    kind: "watch",
    read: (client, signal) => follow(client, type, signal),
  }),
  create: (type) => ({ path: within(type), read: (client) => client.create(type, object(type)) }),
  apply: (type) => ({ path: named(type), read: (client) => client.apply(type, object(type)) }),
  patch: (type) => ({
    path: named(type),
    read: (client) => client.patch(type, home(type), "a", "application/merge-patch+json", {}),
  }),
  delete: (type) => ({ path: named(type), unread: true, read: (client) => client.delete(type, home(type), "a") }),
};

/** The readers that make something of their own of what they read. */
const inventory: Read = (client, signal) => takeInventory(client, { nodes: true }, signal);
const TOKEN = "/api/v1/namespaces/shop/serviceaccounts/a/token";
const RAW: Record<string, Endpoint> = {
  "raw /readyz": { path: "/readyz", unread: true, read: (client) => client.raw("GET", "/readyz") },
  "raw /version": { path: "/version", read: inventory },
  "raw /api": { path: "/api", kind: "APIVersions", read: inventory },
  "raw /apis": { path: "/apis", kind: "APIGroupList", read: inventory },
  "raw /api of discovery": {
    path: "/api",
    kind: "APIGroupDiscoveryList",
    read: (client) => new Discovery(client, systemClock).list(),
  },
  "raw /apis of discovery": {
    path: "/apis",
    kind: "APIGroupDiscoveryList",
    read: (client) => new Discovery(client, systemClock).list(),
  },
  "raw token": {
    path: TOKEN,
    kind: "TokenRequest",
    read: (client) => requestToken(client, { namespace: "shop", serviceAccount: "a", expirationSeconds: 3_600 }),
  },
  "list nodes of the inventory": { path: "/api/v1/nodes", kind: "List", read: inventory },
  "list namespaces of the probe": {
    path: "/api/v1/namespaces",
    kind: "List",
    onePage: true,
    read: async (client, signal) => {
      const found = await probe(client, {
        clock: systemClock,
        timeoutMs: 10_000,
        identity: { mayList: true },
        signal,
      });
      if (found.kind === "Failed") throw new Found(found.failure.message);
    },
  },
  ...Object.fromEntries(
    ["nodes", "pods"].map((plural) => [
      `list ${plural} of the room`,
      {
        path: `/api/v1/${plural}`,
        kind: "List",
        read: async (client: Client, signal: AbortSignal) => {
          const reading = await capacityNow({ cluster: "hostile", client, namespaces: undefined, signal });
          if ("reason" in reading) throw new Found(reading.message);
        },
      },
    ]),
  ),
};

/** A reader that answers with a sentence where others throw. */
class Found extends Error {}

/** What a manager asks of a member, and what commands ask beside: by verb and plural. */
const ASKED: (readonly [string, ResourceType])[] = [
  ["get", NAMESPACES],
  ["list", CONFIGMAPS],
  ["list", PODS],
  ["watch", DEPLOYMENTS],
  ["create", NAMESPACES],
  ["apply", DEPLOYMENTS],
  ["patch", DEPLOYMENTS],
  ["delete", DEPLOYMENTS],
];

const ENDPOINTS: Record<string, Endpoint> = {
  ...RAW,
  ...Object.fromEntries(
    ASKED.flatMap(([verb, type]) => {
      const made = VERBS[verb]?.(type);
      return made === undefined ? [] : [[`${verb} ${type.plural}`, made]];
    }),
  ),
};

const META = { name: "a", namespace: "shop", uid: "u", resourceVersion: "1" };

/** An answer of that kind that holds the value wherever one is read. */
function holding(kind: string | undefined, value: string): string {
  const meta = `{"name":"a","namespace":"shop","uid":"u","resourceVersion":${value}}`;
  const item = `{"metadata":${meta},"spec":${value},"status":{"allocatable":{"cpu":${value}}}}`;
  switch (kind) {
    case undefined:
      return `{"gitVersion":${value},"metadata":${meta},"spec":${value}}`;
    case "watch":
      return `{"type":"ADDED","object":${item}}\n`;
    case "APIVersions":
      return `{"kind":"${kind}","versions":[${value}]}`;
    case "APIGroupList":
      return `{"kind":"${kind}","groups":[{"versions":[{"groupVersion":${value}}]}]}`;
    case "APIGroupDiscoveryList":
      return `{"kind":"${kind}","items":[{"metadata":{"name":${value}},"versions":[{"version":${value}}]}]}`;
    case "TokenRequest":
      return `{"status":{"token":${value},"expirationTimestamp":${value}}}`;
    default:
      return `{"kind":"${kind}","metadata":{"resourceVersion":"1"},"items":[${item}]}`;
  }
}

/** Well-formed, and without anything in it. */
function wellBehaved(path: string): unknown {
  if (path === "/api") return { kind: "APIVersions", versions: ["v1"] };
  if (path === "/apis") return { kind: "APIGroupList", groups: [] };
  if (path === "/version") return { gitVersion: "v1.35.4" };
  return { kind: "List", metadata: { resourceVersion: "1" }, items: [] };
}

type Send = (response: Http2ServerResponse, endpoint: Endpoint, asked: number) => void;

function end(response: Http2ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(text);
}

/** Sends for as long as somebody takes it. */
function pour(response: Http2ServerResponse, text: string, pause = 0, before = ""): void {
  let isOpen = true;
  response.on("close", () => (isOpen = false));
  response.writeHead(200, { "content-type": "application/json" });
  response.write(before);
  const more = (): void => {
    if (!isOpen) return;
    if (pause === 0) response.write(text, () => setImmediate(more));
    else {
      response.write(text);
      setTimeout(more, pause);
    }
  };
  more();
}

const SHAPES: Record<string, Send> = {
  "a long scalar": (response, { kind }) => end(response, holding(kind, `"${"1".repeat(3 * MiB)}"`)),
  "a scalar without an end": (response, { kind }) => {
    const [before = ""] = holding(kind, "VALUE").split("VALUE", 1);
    pour(response, "1".repeat(MiB), 0, `${before}"`);
  },
  "pages without an end": (response, { kind }, asked) => {
    if (kind !== "List") return pour(response, " ".repeat(MiB));
    const metadata = { resourceVersion: "1", continue: `page-${asked}` };
    return end(response, JSON.stringify({ kind: "List", metadata, items: [{ metadata: META }] }));
  },
  "a page that leads to itself": (response, { kind }) => {
    if (kind !== "List") return pour(response, "[".repeat(MiB));
    const metadata = { resourceVersion: "1", continue: "again" };
    return end(response, JSON.stringify({ kind: "List", metadata, items: [{ metadata: META }] }));
  },
  "a value without a ground": (response, { kind }) =>
    end(response, holding(kind, `${"[".repeat(2 * MiB)}${"]".repeat(2 * MiB)}`)),
  "a byte now and then": (response) => pour(response, " ", TRICKLE_MS),
  "values of other types": (response, { kind }) => end(response, holding(kind, '{"a":[5,null,true]}')),
  "a number": (response) => end(response, "5\n"),
};

/** Shapes in which there is nothing wrong for whoever reads nothing but the length. */
const HARMLESS_UNREAD = new Set(["a long scalar", "a value without a ground", "values of other types", "a number"]);

interface Misbehaviour {
  failure: unknown;
  requests: number;
  holdMs: number;
}

async function met(endpoint: Endpoint, send: Send): Promise<Misbehaviour> {
  let asked = 0;
  const server = await startTestServer(({ path }, response) => {
    const [at = ""] = path.split("?");
    if (at !== endpoint.path) return end(response, JSON.stringify(wellBehaved(at)));
    asked += 1;
    return send(response, endpoint, asked);
  });
  const client = createClient(server.config(), {
    cluster: "hostile",
    clock: systemClock,
    readingTimeoutMs: READING_MS,
  });
  const stop = new AbortController();
  onTestFinished(async () => {
    stop.abort();
    await client[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const failure = await endpoint.read(client, stop.signal).then(
    () => undefined,
    (error: unknown) => error,
  );
  delay.disable();
  return { failure, requests: asked, holdMs: delay.max / 1e6 };
}

describe.each(Object.entries(ENDPOINTS))("%s", (name, endpoint) => {
  test.each(Object.entries(SHAPES))("refuses %s", async (shape, send) => {
    const { failure, requests, holdMs } = await met(endpoint, send);
    expect(holdMs).toBeLessThan(LONGEST_HOLD_MS);
    // A page that is too long is asked for in smaller ones.
    expect(requests).toBeLessThanOrEqual(110);
    if (endpoint.unread === true && HARMLESS_UNREAD.has(shape)) return;
    if (name.startsWith("watch") && shape === "a byte now and then") return;
    expect(failure).toBeInstanceOf(Error);
    expect(failure instanceof Found || isMisbehaviour(failure)).toBe(true);
    if (endpoint.onePage !== true) expect((failure as Error).message).toContain(endpoint.path);
    expect((failure as Error).message.length).toBeLessThan(400);
  });
});

test("the table has every endpoint that a manager asks of a member", async () => {
  await using federation = await TestFederation.prepare("shanghai", "singapore");
  await federation.startManager();
  await federation.apply(PLACEMENTS, placement("by-room").byHeadroom("Available"));
  await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(4).port(80));
  await federation.untilAvailable("shop");
  await federation.apply(DEMOAPPLICATIONS, demoApplication("blog").replica(2).image("blog:crash"));
  await federation.until(
    () => federation.status("blog")?.clusters?.some(({ reason }) => reason === "CrashLoopBackOff") === true,
  );
  await federation.delete(DEMOAPPLICATIONS, "shop");
  await federation.delete(DEMOAPPLICATIONS, "blog");
  await federation.until(() => federation.app("shop") === undefined && federation.app("blog") === undefined);
  await federation.pass(60_000);
  const asked = new Set(
    [...federation.members.values()].flatMap(({ clients }) => clients).flatMap(({ endpoints }) => [...endpoints]),
  );
  expect([...asked].filter((endpoint) => !isInTable(endpoint)).toSorted()).toEqual([]);
  expect(asked.size).toBeGreaterThan(10);
});

/** Kinds are read alike: by verb, and each verb is in the table for several kinds. A list and a raw path are each a reader of their own. */
function isInTable(endpoint: string): boolean {
  const rows = Object.keys(ENDPOINTS);
  if (rows.some((row) => row === endpoint || row.startsWith(`${endpoint} of `))) return true;
  if (endpoint.startsWith("raw ") && endpoint.endsWith("/token")) return true;
  const [verb = ""] = endpoint.split(" ");
  return verb !== "raw" && verb !== "list" && rows.some((row) => row.startsWith(`${verb} `));
}
