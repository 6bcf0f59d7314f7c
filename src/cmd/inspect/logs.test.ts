import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { DEMOAPPLICATIONS, LEASES } from "../../runtime/index.ts";
import { LOCAL_ADDRESS } from "../asking/index.ts";
import { startMeridian } from "../testing/commandLine.ts";
import { condition, SandboxHub } from "../testing/sandboxHub.ts";
import { printable } from "./logs.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** Logs over a stand-in for the manager's query API, on a hub of the sandbox. */

const API = "/apis/query.federation.paas.cmft.com/v1alpha1";
const NAMED = `${API}/namespaces/shop/placedobjects/DemoApplication.paas.cmft.com%3Aweb%3A`;
let fleet: SandboxHub;
const stack = new AsyncDisposableStack();
const asked: string[] = [];
interface Answer {
  code: number;
  text: string;
  isOpen?: boolean;
  isBroken?: boolean;
}
let answer: Answer = { code: 200, text: "" };
/** Answers that come before `answer`, each once. */
const next: Answer[] = [];

beforeAll(async () => {
  fleet = stack.use(await SandboxHub.start());
  const http = createServer(({ url = "" }, response) => {
    if (url === API) return void response.end(JSON.stringify({ resources: [] }));
    asked.push(url);
    const { code, text, isOpen, isBroken } = next.shift() ?? answer;
    response.writeHead(code, { "content-type": "text/plain" });
    if (isBroken === true) response.write(text, () => response.destroy());
    else if (isOpen === true) response.write(text);
    else response.end(text);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  http.listen(0, "127.0.0.1", resolve);
  await promise;
  stack.defer(() => {
    http.closeAllConnections();
    http.close();
  });
  for (const name of ["m1", "m2"]) await fleet.join(name);
  await fleet.makeNamespaces("shop");
  await fleet.admin.client.create(LEASES, {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      name: "meridian",
      namespace: "meridian-system",
      annotations: { [LOCAL_ADDRESS]: `http://127.0.0.1:${(http.address() as AddressInfo).port}` },
    },
    spec: {
      holderIdentity: "a",
      leaseDurationSeconds: 3_600,
      renewTime: new Date().toISOString().replace("Z", "000Z"),
    },
  });
  for (const [name, clusters] of [
    ["web", ["m1", "m2"]],
    ["api", ["m1"]],
    ["lost", []],
  ] as const) {
    const metadata = { name, namespace: "shop" };
    await fleet.make({ apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", metadata, spec: { image: "nginx" } });
    await fleet.report(DEMOAPPLICATIONS, "shop", name, {
      observedGeneration: 1,
      conditions: [condition("Scheduled", "True")],
      clusters: clusters.map((cluster) => ({
        name: cluster,
        state: "Available",
        replicas: { desired: 1, updated: 1, ready: 1, available: 1 },
      })),
    });
  }
});
afterAll(() => stack.disposeAsync());

describe("logs", () => {
  test.each([
    { args: "web --cluster m2", path: `${NAMED}m2/log` },
    { args: "api", path: `${NAMED.replace("web", "api")}m1/log` },
    {
      args: "web --cluster m1 -c main --pod web-1 --tail 20 --since 90s -p",
      path: `${NAMED}m1/log?pod=web-1&container=main&tailLines=20&sinceSeconds=90&previous=true`,
    },
  ])("$args asks for what it says, and prints the text", async ({ args, path }) => {
    answer = { code: 200, text: "one\ntwo\n" };
    expect(await fleet.run(`logs ${args}`)).toEqual({ code: 0, out: "one\ntwo\n", err: "" });
    expect(asked.at(-1)).toBe(path);
  });

  test("-f prints lines as they come, until it is stopped", async () => {
    answer = { code: 200, text: "2026-01-31T14:02:01Z one\n", isOpen: true };
    const running = startMeridian(["logs", "api", "-f", "--kubeconfig", fleet.file("hub")]);
    await running.until(/one\n/);
    running.stop();
    expect(await running.ended).toMatchObject({ code: 0, out: "one\n" });
    expect(asked.at(-1)).toMatch(/\/log\?follow=true&timestamps=true$/);
  });

  test("-f goes on where the manager ends an answer or the way breaks, until the container ends", async () => {
    const at = "2026-01-31T14:02:0";
    next.push(
      {
        code: 200,
        text: `${at}1.5Z one\n${at}2.5Z two\n\n[the log ends here, after 900 s; ask again with sinceTime]\n`,
      },
      { code: 200, text: `${at}2.1Z known\n${at}2.5Z two\n${at}3.5Z thr`, isBroken: true },
      { code: 200, text: `${at}3.5Z three\n${at}4Z four\n` },
    );
    const { code, out, err } = await fleet.run("logs api -f --tail 5");
    expect({ code, out }).toEqual({ code: 0, out: "one\ntwo\nthree\nfour\n" });
    expect(asked.slice(-3).map((url) => url.split("?")[1])).toEqual([
      "tailLines=5&follow=true&timestamps=true",
      "follow=true&timestamps=true&sinceTime=2026-01-31T14%3A02%3A02Z",
      "follow=true&timestamps=true&sinceTime=2026-01-31T14%3A02%3A02Z",
    ]);
    expect(err).toContain("after 900 s; ask again with sinceTime; going on from 2026-01-31T14:02:02Z");
  });

  test("-f ends with the manager's words, once the right is gone", async () => {
    next.push(
      { code: 200, text: "2026-01-31T14:02:01Z one\n\n[the log ends here: the right has ended]\n" },
      { code: 403, text: JSON.stringify({ kind: "Status", code: 403, reason: "x", message: "no" }) },
    );
    const { code, out, err } = await fleet.run("logs api -f");
    expect({ code, out }).toEqual({ code: 2, out: "one\n" });
    expect(err).toContain("ask an administrator of the hub for the right");
  });

  test.each([
    { args: "web", says: "shop/web is on 2 clusters: give one with --cluster (m1, m2)" },
    { args: "web --cluster m9", says: "shop/web is not on m9; name one of these: m1, m2" },
    { args: "lost", says: "shop/lost is on no cluster: `meridian why lost` says why" },
    { args: "mc/m1", says: "mc/m1 is a cluster, and logs are of objects" },
    { args: "nope", says: 'the hub has no demoapplication "nope"' },
  ])("refuses $args", async ({ args, says }) => {
    const { code, err } = await fleet.run(`logs ${args}`);
    expect(code).toBe(2);
    expect(err).toContain(says);
  });

  test.each([
    { code: 403, message: "no", says: "; ask an administrator of the hub for the right to get placedobjects/log" },
    {
      code: 404,
      message: "members are not read for users",
      says: "; logs need the chart value queries.members.enabled",
    },
    { code: 404, message: "there is no such path", says: "; logs need the chart value queries.members.enabled" },
    { code: 404, message: "no pod of that name", says: "no pod of that name\n" },
    { code: 400, message: "it has 2 pods; name one: a, b", says: "a, b (with --pod NAME" },
  ])("after $code and $message, says what has to change", async ({ code, message, says }) => {
    answer = { code, text: JSON.stringify({ kind: "Status", code, reason: "x", message }) };
    const run = await fleet.run("logs api");
    expect(run).toMatchObject({ code: 2, out: "" });
    expect(run.err).toContain(`meridian: the manager does not give the log: ${message}`);
    expect(run.err).toContain(says);
  });
});

test.each([
  { name: "colours stay", text: "\u001b[31mred\u001b[0m\tx", want: "\u001b[31mred\u001b[0m\tx" },
  { name: "the cursor is not moved", text: "a\u001b[2Jb\rc\u0008", want: "a[2Jbc" },
  { name: "the title is not set", text: "\u001b]0;title\u0007x", want: "]0;titlex" },
])("on a terminal, $name", ({ text, want }) => {
  expect(printable(text)).toBe(want);
});
