import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubeObject } from "../../src/apis/index.ts";
import { CertificateAuthority } from "../../src/certificates/index.ts";
import { freePort, isFree, temporaryFolder } from "../../src/cmd/realClusters/index.ts";
import { clusterRole, definition, operator, widget } from "../builders/index.ts";
import { collectionPath, objectPath } from "../e2e/objects.ts";
import {
  buildMeridian,
  eventually,
  type Manager,
  MERIDIAN,
  meridianOk,
  run,
  SandboxPlane,
  startManager,
} from "../envtest/index.ts";
import { KUBECTL_MISTAKES } from "../mistakes/admission.ts";
import { COMMAND_MISTAKES } from "../mistakes/commandLine.ts";
import type { Mistake } from "../mistakes/types.ts";

/**
 * What a person is told after a mistake, judged by one rule: the answer says what is wrong, where, and what to do next. The full texts stand
 * in answers.txt beside the mistakes; `vitest -u` writes them anew.
 */

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let hub: SandboxPlane;
let member: SandboxPlane;
let second: SandboxPlane;
let manager: Manager;
let busy: Server;
/** Servers that are no API servers. */
let empty: Server;
let site: Server;
/** By the names that stand in braces in the lines. */
let world: Record<string, string>;
const answers = new Map<string, string>();

beforeAll(async () => {
  await buildMeridian();
  folder = await temporaryFolder("meridian-mistakes-");
  [hub, member, second] = (await Promise.all(
    ["hub", "m1", "m2"].map((name) =>
      SandboxPlane.launch({ name, folder: join(folder.path, name), controllers: false }),
    ),
  )) as [SandboxPlane, SandboxPlane, SandboxPlane];
  await meridianOk(hub, ["install"]);
  await mkdir(join(folder.path, "home"));
  await makeNamespaces();
  const webhooks = await freePort();
  const url = `https://127.0.0.1:${webhooks}`;
  const flags = ["--webhooks", "--webhook-port", `${webhooks}`, "--webhook-url", url];
  manager = await startManager({ hub, folder: folder.path, args: flags });
  busy = await takeOnePort();
  empty = await answering("application/json", "{}");
  site = await answering("text/html", "<!doctype html>");
  const first = `${(busy.address() as AddressInfo).port}`;
  world = {
    busy: first,
    dir: folder.path,
    webhooks: `${webhooks}`,
    metrics: new URL(manager.url).port,
    ...(await writeFiles()),
  };
  await meridianOk(hub, ["join", "m1", "--region", "eu", "--member-kubeconfig", member.kubeconfigFile]);
  await placeFirst();
  await placeClashing();
}, 120_000);

afterAll(async () => {
  for (const server of [busy, empty, site]) server?.close();
  await manager?.[Symbol.asyncDispose]();
  await Promise.all([hub, member, second].map((plane) => plane?.[Symbol.asyncDispose]()));
  await folder?.[Symbol.asyncDispose]();
});

/** One that is taken, before others that are free; not among those that the system gives out. */
async function takeOnePort(): Promise<Server> {
  for (let port = 21_000; port < 30_000; port += 50) {
    const free = await Promise.all(Array.from({ length: 10 }, (_, index) => isFree(port + index)));
    if (!free.every(Boolean)) continue;
    const server = createServer().listen(port, "127.0.0.1");
    await once(server, "listening");
    return server;
  }
  throw new Error("no row of ports is free");
}

/** Says the same whatever it is asked. */
async function answering(type: string, body: string): Promise<Server> {
  const server = createHttpServer((_request, response) => {
    response.setHeader("content-type", type).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function makeNamespaces(): Promise<void> {
  for (const name of ["shop", "blog", "clash"])
    await hub.api.create(collectionPath("Namespace"), { apiVersion: "v1", kind: "Namespace", metadata: { name } });
}

/** Kubeconfigs that lead to the hub, and those that lead astray; each is named as it is called in the lines. */
async function writeFiles(): Promise<Record<string, string>> {
  await hub.api.create("/api/v1/namespaces/shop/serviceaccounts", {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "tenant" },
  });
  const authority = await CertificateAuthority.create({ name: "another", now: Date.now() });
  const token = hub.adminToken;
  const texts: Record<string, string> = {
    hub: hub.kubeconfig,
    member: member.kubeconfig,
    member2: second.kubeconfig,
    undecided: hub.kubeconfig.replace(/^current-context: .*$/m, ""),
    tabbed: hub.kubeconfig.replace(/^ {4}/m, "\t"),
    away: hub.kubeconfigFor({ token, server: `https://127.0.0.1:${await freePort()}` }),
    plain: hub.kubeconfigFor({ token, server: manager.url.replace("http:", "https:") }),
    untrusted: hub.kubeconfigFor({ token, caData: authority.caPem }),
    stranger: hub.kubeconfigFor({ token: "nobody-issued-this" }),
    tenant: hub.kubeconfigFor({ token: await hub.serviceAccountToken("shop", "tenant", 3_600) }),
    userless: hub.kubeconfig.replace(/^(\s+)user: .*$/m, "$1user: bob"),
    pluginless: hub.kubeconfig.replace(
      /^(\s+)token: .*$/m,
      "$1exec: {apiVersion: client.authentication.k8s.io/v1, command: nosuchprog}",
    ),
    silentPlugin: hub.kubeconfig.replace(
      /^(\s+)token: .*$/m,
      "$1exec: {apiVersion: client.authentication.k8s.io/v1, command: 'true'}",
    ),
    proxied: hub.kubeconfig.replace(/^(\s+)server: .*$/m, "$&\n$1proxy-url: http://proxy.example:3128"),
    anonymous: hub.kubeconfig.replace(/^(\s+)token: .*$/m, "$1{}"),
    password: hub.kubeconfig.replace(/^(\s+)token: .*$/m, "$1username: ann\n$1password: secret"),
    tokenless: hub.kubeconfig.replace(/^(\s+)token: .*$/m, "$1tokenFile: nowhere"),
    metricsOnly: hub.kubeconfigFor({ token, server: manager.url }),
    empty: hub.kubeconfigFor({ token, server: addressOf(empty) }),
    site: hub.kubeconfigFor({ token, server: addressOf(site) }),
    "badName.yaml":
      "apiVersion: paas.cmft.com/v1\nkind: DemoApplication\nmetadata: {name: Bad_Name}\nspec: {image: nginx}\n",
    "unplaced.yaml":
      "apiVersion: paas.cmft.com/v1\nkind: DemoApplication\nmetadata: {name: lonely}\nspec: {image: nginx}\n",
    "operator.yaml": JSON.stringify({
      apiVersion: "v1",
      kind: "List",
      items: [clusterRole("op"), operatorOf("elsewhere")],
    }),
    "custom.yaml": JSON.stringify(widget("w")),
    "definition.yaml": JSON.stringify(definition()),
    "application.yaml": "apiVersion: paas.cmft.com/v1\nkind: DemoApplication\nmetadata: {name: nginx-demo}\n",
  };
  const files = join(folder.path, "files");
  await mkdir(files);
  for (const [name, text] of Object.entries(texts)) await writeFile(join(files, name), text, { mode: 0o600 });
  return Object.fromEntries(Object.keys(texts).map((name) => [name.replace(/\..*$/, ""), join(files, name)]));
}

/** A Deployment whose pods run under an account that members have. */
function operatorOf(account: string): KubeObject {
  const workload = operator("op");
  const { template } = workload["spec"] as { template: { spec: Record<string, unknown> } };
  template.spec["serviceAccountName"] = account;
  return workload;
}

/** An application whose Deployment is there already, and another's. */
async function placeClashing(): Promise<void> {
  const foreign = { ...operator("clash"), metadata: { name: "clash", namespace: "clash" } };
  await member.api.create(collectionPath("Namespace"), {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "clash" },
  });
  await member.api.create(collectionPath("Deployment", "clash"), foreign);
  const app = objectOf("paas.cmft.com/v1", "DemoApplication", "clash", { image: "nginx:1.27" });
  const selectors = [{ apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" }];
  const policy = objectOf("federation.paas.cmft.com/v1alpha1", "Placement", "all", { resourceSelectors: selectors });
  for (const object of [policy, app]) await create({ ...object, metadata: { ...object.metadata, namespace: "clash" } });
  await eventually(async () => {
    const { status } = await hub.api.get<KubeObject & { status?: { clusters?: { reason?: string }[] } }>(
      objectPath("DemoApplication", "clash", "clash"),
    );
    expect(status?.clusters?.map(({ reason }) => reason)).toEqual(["AlreadyExists"]);
  });
}

/** An application with a node port, on m1. */
async function placeFirst(): Promise<void> {
  const selectors = [{ apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" }];
  await create(objectOf("federation.paas.cmft.com/v1alpha1", "Placement", "all", { resourceSelectors: selectors }));
  const spec = { image: "nginx:1.27", ports: [{ port: 80, nodePort: 30_777 }] };
  await create(objectOf("paas.cmft.com/v1", "DemoApplication", "first", spec));
  await eventually(async () => {
    const { status } = await hub.api.get<KubeObject & { status?: { clusters?: { name: string }[] } }>(
      objectPath("DemoApplication", "shop", "first"),
    );
    expect(status?.clusters?.map(({ name }) => name)).toEqual(["m1"]);
  });
}

function objectOf(apiVersion: string, kind: string, name: string, spec: object): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace: "shop" }, spec };
}

const create = (object: KubeObject, query = "") =>
  hub.api.request<Status>("POST", collectionPath(object.kind, object.metadata.namespace) + query, object);

/** Of what a command prints, times and the widths of columns differ as well. */
function withoutTimes(text: string): string {
  return text
    .replaceAll(/\b\d\d:\d\d UTC\b/g, "<time>")
    .replaceAll(/\b\d+(?:\.\d+)?[smh](?: ago)?\b/g, "<time>")
    .replaceAll(/ {3,}(?=\S)/g, "   ");
}

/** Without what differs from run to run. */
function settled(text: string): string {
  const ports = new Map([hub, member, second].map((plane) => [plane.server, `https://127.0.0.1:<${plane.name}>`]));
  let result = text.replaceAll(folder.path, "<dir>");
  for (const [server, name] of ports) result = result.replaceAll(server, name);
  return result
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<uid>")
    .replaceAll(/\b(127\.0\.0\.1:|port )\d{4,5}\b/g, "$1<port>");
}

interface Status {
  message?: string;
  reason?: string;
  details?: { causes?: { field: string; message: string }[] };
}

/** What kubectl prints of a refusal: of what is invalid the causes, of everything else the message. */
function printed({ message = "", reason = "", details }: Status): string {
  const causes = (details?.causes ?? []).map((cause) => `${cause.field}: ${cause.message}`);
  if (reason !== "Invalid" || causes.length === 0) return `Error from server (${reason}): ${message}`;
  return `The request is invalid: ${causes.length === 1 ? causes[0] : causes.map((cause) => `\n* ${cause}`).join("")}`;
}

function judge(answer: string, { what, where, next }: Mistake): void {
  expect(answer, "says what is wrong").toMatch(what);
  expect(answer, "says where").toMatch(where);
  expect(answer, "says what to do next").toMatch(next);
}

const filledIn = (text: string): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => world[name] ?? `{${name}}`);

describe.concurrent("on the command line", () => {
  test.each([...COMMAND_MISTAKES])("$mistake", async (row) => {
    const env = Object.fromEntries(Object.entries(row.env ?? {}).map(([name, value]) => [name, filledIn(value)]));
    const { code, stdout, stderr } = await run(process.execPath, [...MERIDIAN, ...filledIn(row.line).split(" ")], {
      env: { PATH: process.env["PATH"], HOME: join(folder.path, "home"), ...env },
    });
    const shown = Object.entries(row.env ?? {}).map(([name, value]) => `${name}=${value} `);
    const answer = row.prints === true ? withoutTimes(stdout + stderr) : stderr;
    answers.set(row.mistake, `$ ${shown.join("")}meridian ${row.line}\n${settled(answer)}(exit code ${code})\n`);
    judge(answer, row);
    expect({ code, stdout }).toEqual({ code: row.code ?? 2, stdout: row.prints === true ? stdout : "" });
  });
});

describe("with kubectl", () => {
  beforeAll(() =>
    // The hub hears of the webhooks, and they hear of what is placed, each in their own time.
    eventually(async () => {
      const spec = { image: "nginx", ports: [{ port: 80, nodePort: 30_777 }] };
      const probe = objectOf("paas.cmft.com/v1", "DemoApplication", "probe", spec);
      expect((await create(probe, "?dryRun=All")).body.message).toMatch(/is taken on cluster m1/);
    }),
  );

  test.each([...KUBECTL_MISTAKES])("$mistake", async (row) => {
    const { object, verb = "create" } = row;
    const { name, namespace } = object.metadata;
    if (verb === "delete" && name !== "m1") expect((await create(object)).status).toBe(201);
    const { status, body } =
      verb === "create"
        ? await create(object, "?fieldValidation=Strict")
        : await hub.api.request<Status>("DELETE", objectPath(object.kind, namespace, name));
    const message = printed(body);
    const shown =
      verb === "create"
        ? `$ kubectl create -f - <<< '${JSON.stringify(object)}'`
        : `$ kubectl delete ${object.kind.toLowerCase()} ${name}`;
    answers.set(row.mistake, `${shown}\n${settled(message)}\n`);
    judge(message, row);
    expect(status).toBeGreaterThanOrEqual(400);
  });
});

test("there are 100 mistakes and more, and the full text of each answer is on record", async () => {
  expect(answers.size).toBeGreaterThanOrEqual(100);
  expect(answers.size).toBe(COMMAND_MISTAKES.length + KUBECTL_MISTAKES.length);
  const inOrder = [...COMMAND_MISTAKES, ...KUBECTL_MISTAKES].map(({ mistake }) => mistake);
  const text = inOrder.map((mistake) => `## ${mistake}\n${answers.get(mistake)}`).join("\n");
  await expect(text).toMatchFileSnapshot("../mistakes/answers.txt");
});
