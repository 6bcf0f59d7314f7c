import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import type { CallRecord } from "./client.ts";
import { systemClock } from "../core/clock.ts";
import {
  ApiError,
  isAlreadyExists,
  isConflict,
  isMissing,
  isNotFound,
  isUnserved,
  NotLeaderError,
  TransportError,
} from "../core/errors.ts";
import { CONFIGMAPS, NAMESPACES } from "./resources.ts";
import { serving } from "../testing/serving.ts";
import { sendJson, sendStatus } from "../testing/testServer.ts";
import type { Client, WatchEvent } from "../types.ts";

const configMap = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "shop" },
});

describe("requests", () => {
  test.each<[string, (client: Client) => Promise<unknown>, sent: string, headers?: object, body?: unknown]>([
    [
      "get from the server's cache",
      (client) => client.get(CONFIGMAPS, "shop", "a", { resourceVersion: "0" }),
      "GET /api/v1/namespaces/shop/configmaps/a?resourceVersion=0",
      { accept: "application/json", "accept-encoding": "identity" },
    ],
    [
      "get metadata only",
      (client) => client.get(NAMESPACES, undefined, "shop", { metadataOnly: true }),
      "GET /api/v1/namespaces/shop",
      { accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" },
    ],
    [
      "list with selectors, in all namespaces",
      (client) => client.list(CONFIGMAPS, { labelSelector: "a in (b,c)", limit: 500, continue: "x=" }),
      "GET /api/v1/configmaps?labelSelector=a%20in%20(b%2Cc)&limit=500&continue=x%3D",
    ],
    [
      "server-side apply is JSON, by our field manager",
      (client) => client.apply(CONFIGMAPS, configMap("a"), { force: true }),
      "PATCH /api/v1/namespaces/shop/configmaps/a?fieldManager=meridian&force=true&fieldValidation=Ignore",
      { "content-type": "application/apply-patch+yaml" },
      configMap("a"),
    ],
    [
      "apply of the status, tried only",
      (client) => client.applyStatus(CONFIGMAPS, configMap("a"), { dryRun: true, fieldManager: "other" }),
      "PATCH /api/v1/namespaces/shop/configmaps/a/status?fieldManager=other&dryRun=All&fieldValidation=Ignore",
    ],
    [
      "patch of a subresource",
      (client) => client.patch(CONFIGMAPS, "shop", "a", "application/json-patch+json", [], { subresource: "scale" }),
      "PATCH /api/v1/namespaces/shop/configmaps/a/scale?fieldManager=meridian",
      { "content-type": "application/json-patch+json" },
      [],
    ],
    [
      "delete of one life of an object",
      (client) => client.delete(CONFIGMAPS, "shop", "a", { uid: "u-1", propagationPolicy: "Foreground" }),
      "DELETE /api/v1/namespaces/shop/configmaps/a",
      {},
      { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: "Foreground", preconditions: { uid: "u-1" } },
    ],
    [
      "create",
      (client) => client.create(CONFIGMAPS, configMap("a")),
      "POST /api/v1/namespaces/shop/configmaps?fieldManager=meridian",
      {},
      configMap("a"),
    ],
  ])("%s", async (_, call, sent, headers = {}, body) => {
    const { server, client } = await serving((request, response) =>
      sendJson(
        response,
        request.path.includes("labelSelector=")
          ? { kind: "ConfigMapList", items: [] }
          : { metadata: { name: request.path.endsWith("/shop") ? "shop" : "a" } },
      ),
    );
    await call(client);
    const [seen] = server.requests;
    expect(seen).toMatchObject({ headers, httpVersion: "1.1" });
    expect(`${seen?.method} ${seen?.path}`).toBe(sent);
    if (body !== undefined) expect(JSON.parse(seen?.body ?? "")).toEqual(body);
  });

  test.each(["", ".", "..", "a/b"])("the name %j, which would lead to another path, is never sent", async (name) => {
    const { server, client } = await serving((_request, response) => sendJson(response, {}));
    await expect(client.delete(CONFIGMAPS, "shop", name)).rejects.toThrow(TypeError);
    await expect(client.delete(CONFIGMAPS, name, "a")).rejects.toThrow(TypeError);
    expect(server.requests).toEqual([]);
  });

  test.each([
    ["hands on the time of the server", "Sat, 28 Nov 2026 08:00:07 GMT", [Date.UTC(2026, 10, 28, 8, 0, 7)]],
    ["hands on no time that cannot be read", "soon", []],
  ])("raw %s", async (_name, date, want) => {
    const { client } = await serving((_request, response) => {
      response.setHeader("date", date);
      sendJson(response, {});
    });
    const heard: number[] = [];
    await client.raw("GET", "/version", { onDate: (serverTime) => heard.push(serverTime) });
    expect(heard).toEqual(want);
  });

  test("raw gives text when the answer is not JSON", async () => {
    const { client } = await serving((_request, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      response.end("ok");
    });
    await expect(client.raw("GET", "/readyz")).resolves.toBe("ok");
  });

  test("a health check that fails gives the names of its parts that do, and nothing else of its text", async () => {
    const { client } = await serving((_request, response) => {
      response.writeHead(500, { "content-type": "text/plain" });
      response.end(
        "[+]ping ok\n[-]etcd failed: hunter2\n[-]poststarthook/start-x failed: reason withheld\nreadyz check failed\n",
      );
    });
    const error = await client.raw("GET", "/readyz").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      status: 500,
      failedChecks: ["etcd", "poststarthook/start-x"],
      apiMessage: "the server answered 500 InternalError",
    });
    expect(JSON.stringify(error)).not.toContain("hunter2");
  });

  test("an answer that should be JSON and is not names the host, not the text", async () => {
    const { client } = await serving((_request, response) => response.end("<html>hunter2</html>"));
    await expect(client.get(CONFIGMAPS, "shop", "a")).rejects.toSatisfy(
      (error) => error instanceof TransportError && error.reason === "Protocol" && !error.message.includes("hunter2"),
    );
  });
});

describe("refusals of the server", () => {
  test("become an ApiError with reason, message, details and the time to wait", async () => {
    const details = {
      name: "a",
      causes: [{ reason: "FieldManagerConflict", message: 'conflict with "kubectl"', field: ".data.x" }],
    };
    const { client } = await serving((_request, response) =>
      sendStatus(response, 409, "Conflict", "Apply failed", { "retry-after": "3" }, details),
    );
    const error = await client.apply(CONFIGMAPS, configMap("a")).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 409,
      reason: "Conflict",
      apiMessage: "Apply failed",
      details,
      retryAfterMs: 3000,
    });
    expect([isConflict(error), isAlreadyExists(error)]).toEqual([true, false]);
  });

  test.each([
    { name: "seconds in the header", headers: { "retry-after": "7" }, details: undefined, want: 7000 },
    {
      name: "a date in the header, by the server's own clock",
      headers: { "retry-after": "Wed, 21 Oct 2026 07:28:05 GMT", date: "Wed, 21 Oct 2026 07:28:00 GMT" },
      details: undefined,
      want: 5000,
    },
    { name: "the Status", headers: {}, details: { retryAfterSeconds: 2 }, want: 2000 },
    { name: "nothing", headers: {}, details: undefined, want: undefined },
  ])("Retry-After is read from $name", async ({ headers, details, want }) => {
    const { client } = await serving((_request, response) =>
      sendStatus(response, 429, "TooManyRequests", "slow down", headers as Record<string, string>, details),
    );
    const error = (await client.list(CONFIGMAPS).catch((caught: unknown) => caught)) as ApiError;
    expect([error.status, error.retryAfterMs]).toEqual([429, want]);
  });

  test("an answer of a proxy in between is known by its code alone", async () => {
    const { client } = await serving((_request, response) => {
      response.writeHead(503, { "content-type": "text/html" });
      response.end("<html>upstream hunter2</html>");
    });
    await expect(client.list(CONFIGMAPS)).rejects.toMatchObject({
      status: 503,
      reason: "ServiceUnavailable",
      message: "the server answered 503 ServiceUnavailable",
    });
  });
});

describe("a server that wants to hear of a request later", () => {
  const LATER = { "retry-after": "1" };

  async function busyFor(times: number, headers: Record<string, string>, resends?: number) {
    const slept: number[] = [];
    const clock = { ...systemClock, sleep: async (ms: number) => void slept.push(ms) };
    let asked = 0;
    const { client } = await serving(
      (_request, response) => {
        asked += 1;
        if (asked <= times) sendStatus(response, 429, "TooManyRequests", "storage is (re)initializing", headers);
        else sendJson(response, configMap("settings"));
      },
      { clock, ...(resends === undefined ? {} : { resends }) },
    );
    const answer = await client.get(CONFIGMAPS, "shop", "settings").then(
      (object) => object.metadata.name,
      (error: unknown) => (error as ApiError).status,
    );
    return { answer, asked, slept };
  }

  const twice = [1_000, 1_000];
  test.each([
    { name: "is asked again when it said", times: 2, headers: LATER, resends: 2, want: ["settings", 3, twice] },
    { name: "is given up in the end", times: 3, headers: LATER, resends: 2, want: [429, 3, twice] },
    { name: "is given up at once when it did not say when", times: 1, headers: {}, resends: 2, want: [429, 1, []] },
    { name: "is not asked again by whoever has a backoff", times: 1, headers: LATER, want: [429, 1, []] },
  ])("$name", async ({ times, headers, resends, want }) => {
    const { answer, asked, slept } = await busyFor(times, headers, resends);
    expect([answer, asked, slept]).toEqual(want);
  });
});

describe("the write guard", () => {
  const writes: [string, (client: Client) => Promise<unknown>][] = [
    ["create", (client) => client.create(CONFIGMAPS, configMap("a"))],
    ["apply", (client) => client.apply(CONFIGMAPS, configMap("a"))],
    ["applyStatus", (client) => client.applyStatus(CONFIGMAPS, configMap("a"))],
    ["patch", (client) => client.patch(CONFIGMAPS, "shop", "a", "application/merge-patch+json", {})],
    ["delete", (client) => client.delete(CONFIGMAPS, "shop", "a")],
    ["raw POST", (client) => client.raw("POST", "/api/v1/x", { body: {} })],
    ["raw PUT", (client) => client.raw("PUT", "/api/v1/x", { body: {} })],
  ];
  const guard = (): void => {
    throw new NotLeaderError("the Lease is no longer held");
  };

  test.each(writes)("stops %s before anything is sent", async (_name, write) => {
    const { server, client } = await serving((_request, response) => sendJson(response, {}), { guard });
    await expect(write(client)).rejects.toBeInstanceOf(NotLeaderError);
    expect(server.requests).toEqual([]);
  });

  test("lets reads through", async () => {
    const { client } = await serving((_request, response) => sendJson(response, { kind: "ConfigMapList", items: [] }), {
      guard,
    });
    await expect(client.list(CONFIGMAPS)).resolves.toMatchObject({ items: [] });
    await expect(client.raw("GET", "/version")).resolves.toEqual({ kind: "ConfigMapList", items: [] });
  });
});

describe("a 404", () => {
  test.each([
    { name: "a page of text", answer: undefined, ofPath: true },
    { name: "a Status that names nothing", answer: {}, ofPath: true },
    { name: "a Status without details", answer: null, ofPath: true },
    { name: "a Status that names the object", answer: { name: "a", kind: "configmaps" }, ofPath: false },
    { name: "a Status that names the namespace", answer: { name: "shop", kind: "namespaces" }, ofPath: false },
  ])("that is $name is of the path: $ofPath", async ({ answer, ofPath }) => {
    const { client } = await serving((_request, response) => {
      if (answer !== undefined) return sendStatus(response, 404, "NotFound", "no", {}, answer ?? undefined);
      response.writeHead(404, { "content-type": "text/plain" });
      response.end("404 page not found\n");
    });
    const error = await client.get(CONFIGMAPS, "shop", "a").catch((reason: unknown) => reason);
    expect([isUnserved(error), isNotFound(error), isMissing(error)]).toEqual([ofPath, !ofPath, true]);
  });
});

describe("records of calls", () => {
  test("name the cluster, method, code, verb and resource, and no object", async () => {
    const calls: CallRecord[] = [];
    const { client } = await serving(
      (request, response) =>
        request.method === "GET"
          ? sendStatus(response, 404, "NotFound", "no")
          : sendJson(response, { metadata: { name: "a" } }),
      { observe: (call) => calls.push(call) },
    );
    await client.get(CONFIGMAPS, "shop", "a").catch(() => undefined);
    await client.applyStatus(CONFIGMAPS, configMap("a"));
    await client.raw("POST", "/api/v1/namespaces/shop/serviceaccounts/robot/token", { body: {} });
    await client.raw("GET", "/apis/apps/v1/namespaces/shop/deployments/web").catch(() => undefined);
    await client.raw("GET", "/readyz?verbose").catch(() => undefined);
    expect(calls.map(({ cluster, method, code, verb, resource }) => [cluster, method, code, verb, resource])).toEqual([
      ["shanghai-1", "GET", "404", "get", "configmaps"],
      ["shanghai-1", "PATCH", "200", "apply", "configmaps/status"],
      ["shanghai-1", "POST", "200", "raw", "serviceaccounts/token"],
      ["shanghai-1", "GET", "404", "raw", "deployments"],
      ["shanghai-1", "GET", "404", "raw", "readyz"],
    ]);
  });

  test("a call without an answer is recorded as <error>, one that the caller gave up is not", async () => {
    const calls: CallRecord[] = [];
    const controller = new AbortController();
    const { server, client } = await serving(
      (request) => (request.path.endsWith("/a") ? server.sever() : controller.abort(new Error("never mind"))),
      { observe: (call) => calls.push(call) },
    );
    await expect(client.get(CONFIGMAPS, "shop", "a")).rejects.toMatchObject({ reason: "ConnectionReset" });
    await expect(client.get(CONFIGMAPS, "shop", "b", { signal: controller.signal })).rejects.toThrow("never mind");
    expect(calls.map((call) => call.code)).toEqual(["<error>"]);
  });
});

async function collect(events: AsyncIterable<WatchEvent>): Promise<WatchEvent[]> {
  const all: WatchEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe("watch", () => {
  const added = (name: string): string => `${JSON.stringify({ type: "ADDED", object: { metadata: { name } } })}\n`;

  test("gives typed events, however they are cut, and ends when the server ends it", async () => {
    const text =
      added("größe") +
      `${JSON.stringify({ type: "BOOKMARK", object: { metadata: { resourceVersion: "9" } } })}\n` +
      `${JSON.stringify({ type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired", message: "too old" } })}\n`;
    const bytes = Buffer.from(text);
    const { server, client } = await serving((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const middle = bytes.indexOf(0xb6);
      response.write(bytes.subarray(0, middle), () => response.end(bytes.subarray(middle)));
    });
    const events = await collect(
      client.watch(CONFIGMAPS, { namespace: "shop", resourceVersion: "5", allowWatchBookmarks: true }),
    );
    expect(events).toMatchObject([
      { type: "ADDED", object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "größe" } } },
      { type: "BOOKMARK", object: { metadata: { resourceVersion: "9" } } },
      { type: "ERROR", status: { code: 410, reason: "Expired", message: "too old" } },
    ]);
    expect(server.requests[0]?.path).toBe(
      "/api/v1/namespaces/shop/configmaps?watch=true&resourceVersion=5&allowWatchBookmarks=true",
    );
  });

  describe("with versions that are known already", () => {
    type Sent = { type: string; object: unknown };
    const object = (version: string, more: object = {}) => ({
      metadata: { labels: {}, name: "a", namespace: "shop", resourceVersion: version, ...more },
      data: { note: 'says "resourceVersion":"8"' },
    });

    /** What a reader that knows the versions 7 and 8 makes of that event. */
    async function read(sent: Sent, known = new Set(["7", "8"])): Promise<WatchEvent | undefined> {
      const { client } = await serving((_request, response) => response.end(`${JSON.stringify(sent)}\n`));
      const [event] = await collect(client.watch(CONFIGMAPS, { known }));
      return event;
    }

    test.each(["ADDED", "MODIFIED"])("%s is a bookmark where it brings one of them", async (type) => {
      expect(await read({ type, object: object("7") })).toEqual({
        type: "BOOKMARK",
        object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "", resourceVersion: "7" } },
      });
    });

    test.each<[string, Sent]>([
      ["brings another version", { type: "MODIFIED", object: object("9") }],
      ["brings a version that begins with one", { type: "MODIFIED", object: object("77") }],
      ["deletes the object", { type: "DELETED", object: object("7") }],
      ["has a label of that name", { type: "MODIFIED", object: object("9", { labels: { resourceVersion: "7" } }) }],
      [
        "has a version that another key of that name precedes",
        { type: "MODIFIED", object: object("7", { labels: { resourceVersion: "9" } }) },
      ],
      ["has no version", { type: "MODIFIED", object: { metadata: { name: "a" } } }],
    ])("an event is itself where it %s", async (_, sent) => {
      expect(await read(sent)).toMatchObject({ type: sent.type, object: { metadata: { name: "a" } } });
    });

    test("an event is itself while none is known", async () => {
      expect(await read({ type: "MODIFIED", object: object("7") }, new Set())).toMatchObject({ type: "MODIFIED" });
    });
  });

  test("a refusal is an ApiError", async () => {
    const { client } = await serving((_request, response) => sendStatus(response, 403, "Forbidden", "not you"));
    await expect(collect(client.watch(CONFIGMAPS))).rejects.toMatchObject({ status: 403, message: "not you" });
  });

  test("a connection that breaks off is an error, not an end", async () => {
    const { server, client } = await serving((_request, response) => {
      response.write(added("a"), () => server.sever());
    });
    const events = client.watch(CONFIGMAPS)[Symbol.asyncIterator]();
    await expect(events.next()).resolves.toMatchObject({ value: { type: "ADDED" } });
    await expect(events.next()).rejects.toMatchObject({ name: "TransportError", reason: "ConnectionReset" });
  });

  test("an end in the middle of an event is an error", async () => {
    const { client } = await serving((_request, response) => response.end(added("a") + '{"type":"ADD'));
    await expect(collect(client.watch(CONFIGMAPS))).rejects.toMatchObject({ reason: "ConnectionReset" });
  });

  test("disposing ends a reader that waits, and closes the stream at the server", async () => {
    let closed: (() => void) | undefined;
    const closedAtServer = new Promise<void>((resolve) => (closed = resolve));
    const { client } = await serving((_request, response) => {
      response.on("close", () => closed?.());
      response.write(added("a"));
    });
    const watch = client.watch(CONFIGMAPS);
    const events = watch[Symbol.asyncIterator]();
    await events.next();
    const waiting = events.next();
    await watch[Symbol.asyncDispose]();
    await expect(waiting).resolves.toEqual({ done: true, value: undefined });
    await closedAtServer;
  });

  test("the signal's reason ends it with an error", async () => {
    const { client } = await serving((_request, response) => void response.write(added("a")));
    const controller = new AbortController();
    const reason = new Error("the session is over");
    const events = client.watch(CONFIGMAPS, { signal: controller.signal })[Symbol.asyncIterator]();
    await events.next();
    const waiting = events.next();
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  test("150 watches do not keep a request waiting", async () => {
    const { client } = await serving((request, response) => {
      if (request.path.includes("watch=true")) response.write(added("a"));
      else sendJson(response, { metadata: { name: "a" } });
    });
    const watches = Array.from({ length: 150 }, () => client.watch(CONFIGMAPS));
    await Promise.all(watches.map((watch) => watch[Symbol.asyncIterator]().next()));
    await expect(client.get(CONFIGMAPS, "shop", "a")).resolves.toMatchObject({ metadata: { name: "a" } });
  });
});
