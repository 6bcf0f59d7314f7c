import { expect, test } from "vitest";
import { serving } from "../testing/serving.ts";
import { sendJson, sendStatus } from "../testing/testServer.ts";

/** Long answers that are read as they come. */

const LOG = "/api/v1/namespaces/shop/pods/a/log?follow=true";

test("a stream gives bytes as they come, and ends with the answer", async () => {
  const { client } = await serving((_request, response) => {
    response.setHeader("content-type", "text/plain");
    response.write("one\n");
    response.write("two\n");
    response.end("three");
  });
  const pieces: Uint8Array[] = [];
  for await (const piece of client.stream(LOG)) pieces.push(piece);
  expect(Buffer.concat(pieces).toString()).toBe("one\ntwo\nthree");
});

test("a reader who leaves closes the stream at the server", async () => {
  const { promise: closedAtServer, resolve } = Promise.withResolvers<void>();
  const { client } = await serving((_request, response) => {
    response.on("close", () => resolve());
    response.write("one\n");
  });
  const bytes = client.stream(LOG);
  await bytes.next();
  await bytes.return();
  await closedAtServer;
});

test("a reader who pauses makes the server wait, and delays no other request", async () => {
  const most = 256 << 20;
  const piece = Buffer.alloc(1 << 20, "x");
  let sent = 0;
  const { promise: isFull, resolve } = Promise.withResolvers<void>();
  const { client } = await serving((request, response) => {
    if (!request.path.includes("/log")) return sendJson(response, { isHere: true });
    const send = (): void => {
      while (sent < most) {
        sent += piece.length;
        if (response.write(piece)) continue;
        response.once("drain", send);
        if (sent > 1 << 20) resolve();
        return;
      }
      response.end();
    };
    send();
  });
  const bytes = client.stream(LOG);
  await bytes.next();
  await isFull;
  for (let i = 0; i < 20; i += 1) await expect(client.raw("GET", "/version")).resolves.toEqual({ isHere: true });
  expect(sent).toBeLessThan(most / 4);
  await bytes.return();
});

test("a refusal is an ApiError", async () => {
  const { client } = await serving((_request, response) => sendStatus(response, 403, "Forbidden", "no"));
  await expect(client.stream(LOG).next()).rejects.toMatchObject({ name: "ApiError", status: 403 });
});

test("the signal's reason ends a reader who waits", async () => {
  const { client } = await serving((_request, response) => void response.write("one\n"));
  const end = new AbortController();
  const bytes = client.stream(LOG, { signal: end.signal });
  await bytes.next();
  const waiting = bytes.next();
  const reason = new Error("over");
  end.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});
