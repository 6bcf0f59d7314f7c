import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import type { CallRecord } from "./client.ts";
import { type ApiError, NotLeaderError, TransportError } from "../core/errors.ts";
import { CONFIGMAPS, SECRETS } from "./resources.ts";
import { serving } from "../testing/serving.ts";
import { type Handler, sendJson, sendStatus } from "../testing/testServer.ts";

/** What a server may not do to the process, whatever it sends. */

const named = (name: string) => ({ name, namespace: "shop", uid: `u-${name}`, resourceVersion: "7" });
const configMap = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "shop" },
});
const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/** Sends the same for as long as somebody takes it. */
function pour(response: Parameters<Handler>[1], text: string, onSent: () => void = () => undefined): void {
  let isOpen = true;
  response.on("close", () => (isOpen = false));
  const more = (error?: Error | null): void => {
    if (!isOpen || (error !== undefined && error !== null)) return;
    onSent();
    setImmediate(() => isOpen && response.write(text, more));
  };
  more();
}

describe("the write guard", () => {
  test("is asked once more when a write that had to wait for a connection is about to be sent", async () => {
    let answer = (): void => undefined;
    let isHeld = true;
    const calls: CallRecord[] = [];
    const reached = Promise.withResolvers<void>();
    const { server, client } = await serving(
      (request, response) => {
        answer = () => sendJson(response, { metadata: named("a") });
        if (request.method === "GET") reached.resolve();
        else answer();
      },
      {
        maxSockets: 1,
        observe: (call) => calls.push(call),
        guard: () => {
          if (!isHeld) throw new NotLeaderError("the Lease is no longer held");
        },
      },
    );
    const read = client.get(CONFIGMAPS, "shop", "a");
    await reached.promise;
    const write = failureOf(client.apply(CONFIGMAPS, configMap("a")));
    isHeld = false;
    answer();
    await read;
    expect(await write).toBeInstanceOf(NotLeaderError);
    isHeld = true;
    await client.apply(CONFIGMAPS, configMap("a"));
    expect(server.requests.map(({ method }) => method)).toEqual(["GET", "PATCH"]);
    expect(calls.map(({ code }) => code)).toEqual(["200", "200"]);
  });
});

describe("an answer", () => {
  test.each([
    ["an item without metadata", { metadata: {}, items: [{}] }],
    ["items that are no list", { metadata: {}, items: 5 }],
  ])("that is a list with %s is a failure of the server", async (_name, body) => {
    const { client } = await serving((_request, response) => sendJson(response, body));
    await expect(client.list(CONFIGMAPS)).rejects.toMatchObject({ name: "TransportError", reason: "Protocol" });
  });

  test("about another object than the one that was written is a failure of the server", async () => {
    const { client } = await serving((_request, response) => sendJson(response, { metadata: named("b") }));
    await expect(client.apply(CONFIGMAPS, configMap("a"))).rejects.toMatchObject({ reason: "Protocol" });
    await expect(client.get(CONFIGMAPS, "shop", "a")).rejects.toMatchObject({ reason: "Protocol" });
  });

  test("without an end is not read for ever", async () => {
    const closed = Promise.withResolvers<void>();
    const { client } = await serving((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.on("close", () => closed.resolve());
      pour(response, " ".repeat(1 << 20));
    });
    await expect(client.list(CONFIGMAPS)).rejects.toMatchObject({ name: "TransportError", reason: "TooLarge" });
    await closed.promise;
  });

  test("that is a refusal without an end is known by its code", async () => {
    const { client } = await serving((_request, response) => {
      response.writeHead(500, { "content-type": "application/json" });
      pour(response, " ".repeat(1 << 18));
    });
    await expect(client.list(CONFIGMAPS)).rejects.toMatchObject({ name: "ApiError", status: 500 });
  });
});

describe("many answers at once", () => {
  test("are kept up to a bound, and the short ones beside the long ones are read all the same", async () => {
    const { client } = await serving((request, response) => {
      if (request.path.includes("/configmaps/a")) return sendJson(response, { metadata: named("a") });
      response.writeHead(200, { "content-type": "application/json" });
      // Without an end: the connection stays open.
      response.write(" ".repeat(15 << 20));
      return undefined;
    });
    const stop = new AbortController();
    const { signal } = stop;
    const long = Array.from({ length: 8 }, () => failureOf(client.list(CONFIGMAPS, { signal })));
    const [first] = await Promise.all([Promise.race(long), client.get(CONFIGMAPS, "shop", "a")]);
    expect(first).toMatchObject({ reason: "TooLarge", endpoint: "GET /api/v1/configmaps" });
    await expect(client.get(CONFIGMAPS, "shop", "a")).resolves.toMatchObject({ metadata: { name: "a" } });
    stop.abort(new Error("enough"));
    await Promise.all(long);
    // What was given up does not count any more.
    await expect(client.get(CONFIGMAPS, "shop", "a")).resolves.toMatchObject({ metadata: { name: "a" } });
  });

  test("are counted until they were read, and not longer", async () => {
    const items = Array.from({ length: 20 }, (_, n) => ({
      metadata: named(`c${n}`),
      data: { x: "x".repeat(600 << 10) },
    }));
    const body = { kind: "ConfigMapList", metadata: { resourceVersion: "1" }, items };
    const { client } = await serving((_request, response) => sendJson(response, body));
    // A hundred MiB in all.
    for (let n = 0; n < 9; n += 1) expect((await client.list(CONFIGMAPS)).items).toHaveLength(20);
  });
});

describe("an event of a watch", () => {
  test.each([
    ["without metadata", { type: "ADDED", object: {} }],
    ["without an object", { type: "MODIFIED" }],
    ["that is no object", 5],
    ["of an unknown type", { type: "EXPLODED", object: { metadata: named("a") } }],
    ["that is a bookmark without a version", { type: "BOOKMARK", object: { metadata: {} } }],
  ])("%s ends the watch with a failure of the server, after those before it", async (_name, event) => {
    const { client } = await serving((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        `${JSON.stringify({ type: "ADDED", object: { metadata: named("a") } })}\n${JSON.stringify(event)}\n`,
      );
    });
    const events = client.watch(CONFIGMAPS)[Symbol.asyncIterator]();
    await expect(events.next()).resolves.toMatchObject({ value: { object: { metadata: { name: "a" } } } });
    const failure = await failureOf(events.next());
    expect(failure).toBeInstanceOf(TransportError);
    expect(failure).toMatchObject({ reason: "Protocol" });
  });

  test("of a server that sends faster than anybody reads waits in the server", async () => {
    let sent = 0;
    const line = `${JSON.stringify({ type: "ADDED", object: { metadata: named("a"), data: { x: "x".repeat(1 << 16) } } })}\n`;
    const { client } = await serving((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      pour(response, line, () => (sent += line.length));
    });
    const events = client.watch(CONFIGMAPS)[Symbol.asyncIterator]();
    await events.next();
    let before = -1;
    // Until nothing more is taken from the server.
    while (sent !== before) {
      before = sent;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(sent).toBeLessThan(64 << 20);
  });
});

describe("a refusal", () => {
  test.each([
    ["seconds", "86400"],
    ["seconds without an end", "1e300"],
    ["a date", "Thu, 22 Oct 2026 07:28:00 GMT"],
  ])("that asks us to stay away for %s is obeyed for a minute", async (_name, wait) => {
    const { client } = await serving((_request, response) =>
      sendStatus(response, 429, "TooManyRequests", "slow down", {
        "retry-after": wait,
        date: "Wed, 21 Oct 2026 07:28:00 GMT",
      }),
    );
    const error = (await failureOf(client.list(CONFIGMAPS))) as ApiError;
    expect(error.retryAfterMs).toBe(60_000);
  });

  const secret: KubeObject = { apiVersion: "v1", kind: "Secret", metadata: { name: "s", namespace: "shop" } };

  test.each([
    ["quotes without an end", '"'.repeat(156 << 10)],
    ["escaped quotes", '"\\'.repeat(78 << 10)],
    ["short quotations", '"abc'.repeat(39 << 10)],
    ["invalid values", "Invalid value: map[".repeat(8 << 10)],
  ])("of a Secret that holds 156 KiB of %s costs no time", async (_name, message) => {
    const { client } = await serving((_request, response) =>
      sendStatus(response, 422, "Invalid", message, {}, { causes: [{ message }] }),
    );
    const before = process.threadCpuUsage();
    const error = (await failureOf(client.apply(SECRETS, secret))) as ApiError;
    expect(process.threadCpuUsage(before).user).toBeLessThan(1_000_000);
    expect(error.apiMessage.length).toBeLessThanOrEqual(5_000);
  });

  test("of a Secret shows nothing of a value that the cut goes through", async () => {
    const message = `Secret "s" is invalid: data[token]: Invalid value: "${"hunter2 ".repeat(10_000)}": must not be so`;
    const { client } = await serving((_request, response) =>
      sendStatus(response, 422, "Invalid", message, {}, { causes: [{ message }] }),
    );
    const error = (await failureOf(client.apply(SECRETS, secret))) as ApiError;
    expect(error.apiMessage).toContain("Invalid value: (not shown)");
    expect(JSON.stringify([error.apiMessage, error.details])).not.toContain("hunter2");
  });
});
