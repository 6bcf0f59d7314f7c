import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join as pathOf } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ALLOW_DELETION_ANNOTATION, crdNameOf, type KubeObject } from "../../apis/index.ts";
import {
  CRDS,
  DEMOAPPLICATIONS,
  MEMBERCLUSTERS,
  NAMESPACES,
  PLACEMENTS,
  type ResourceType,
  SECRETS,
} from "../../runtime/index.ts";
import { type SandboxCluster, startSandboxCluster } from "../../sandbox/index.ts";
import { connectMember, type Connection } from "../shared/connection.ts";
import { type Ran, runMeridian } from "../testing/commandLine.ts";
import { departingNotes } from "./departing.ts";
import type { PlanReport } from "./report.ts";
import { application, FEDERATION, placement } from "./testing/objects.ts";
import { PlannerHubState } from "./state/hubState.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** `plan`, `explain` and `status` while objects are being deleted, and with them their kind. */

const MERGE = "application/merge-patch+json";
let folder: string;
let hub: SandboxCluster;
let admin: Connection;

beforeAll(async () => {
  folder = await mkdtemp(pathOf(tmpdir(), "meridian-deleting-"));
  hub = await startSandboxCluster({ name: "hub", controllers: false });
  await writeFile(pathOf(folder, "hub"), hub.kubeconfig({ namespace: "shop" }));
  admin = connectMember("hub", pathOf(folder, "hub"), undefined);
  expect((await run("install")).code).toBe(0);
  const { client } = admin;
  await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
  await client.create(SECRETS, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "password", namespace: "shop" },
    data: { password: "b2xk" },
  });
  for (const name of ["m1", "m2"]) await join(name);
  await client.create(PLACEMENTS, placement(["m1"]));
  const one = application();
  await client.create(DEMOAPPLICATIONS, { ...one, metadata: { ...one.metadata, finalizers: ["paas.cmft.com/held"] } });
});

afterAll(async () => {
  await admin?.[Symbol.asyncDispose]();
  await hub?.stop();
  await rm(folder, { recursive: true, force: true });
});

const STATUS = { subresource: "status" } as const;
const at = (second: number): string => `2026-11-21T08:25:0${second}Z`;

const run = (line: string): Promise<Ran> => runMeridian([...line.split(" "), "--kubeconfig", pathOf(folder, "hub")]);

const member = (name: string): KubeObject => ({
  apiVersion: FEDERATION,
  kind: "MemberCluster",
  metadata: { name },
  spec: { connection: { pull: {} } },
});

async function join(name: string): Promise<void> {
  const { client } = admin;
  await client.create(MEMBERCLUSTERS, member(name));
  const ready = { type: "Ready", status: "True", reason: "Connected", message: "", lastTransitionTime: at(0) };
  await client.patch(MEMBERCLUSTERS, undefined, name, MERGE, { status: { conditions: [ready] } }, STATUS);
}

async function fileOf(name: string, ...objects: unknown[]): Promise<string> {
  const path = pathOf(folder, name);
  await writeFile(path, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
  return path;
}

/** As the manager reports copies that it holds. */
async function isHeld(message: string): Promise<void> {
  const replicas = { desired: 2, updated: 2, ready: 2, available: 2 };
  const status = {
    observedGeneration: 1,
    placement: { kind: "Placement", namespace: "shop", name: "some" },
    clusters: [{ name: "m1", state: "Held", reason: "KindBeingDeleted", message, replicas }],
    conditions: [
      {
        type: "Progressing",
        status: "True",
        reason: "Deleting",
        message: "1 cluster remains",
        lastTransitionTime: at(0),
      },
    ],
  };
  await admin.client.patch(DEMOAPPLICATIONS, "shop", "web", MERGE, { status }, STATUS);
}

/** Deletes the CRD, and waits until the server has begun to delete this object of the kind. */
async function deleteCrd(type: ResourceType, namespace: string | undefined, name: string): Promise<KubeObject> {
  await admin.client.delete(CRDS, undefined, crdNameOf(type));
  await vi.waitFor(async () =>
    expect((await admin.client.get(type, namespace, name)).metadata.deletionTimestamp).toBeDefined(),
  );
  return await admin.client.get(CRDS, undefined, crdNameOf(type));
}

async function strip(type: ResourceType): Promise<void> {
  await admin.client.patch(CRDS, undefined, crdNameOf(type), MERGE, { metadata: { finalizers: null } });
}

/** A CRD of that name again. */
async function install(before: KubeObject, type: ResourceType): Promise<void> {
  const { apiVersion, kind, spec } = before as KubeObject & { spec: unknown };
  await admin.client.create(CRDS, { apiVersion, kind, metadata: { name: before.metadata.name }, spec } as KubeObject);
  await vi.waitFor(async () => void (await admin.client.list(type)));
}

async function isNoted(line: string, ...texts: string[]): Promise<void> {
  const { code, out, err } = await run(`${line} --hub-only -o json`);
  const report = JSON.parse(out) as PlanReport;
  expect({ code, err, objects: report.objects }).toEqual({ code: 0, err: "", objects: [] });
  expect(report.notes).toHaveLength(1);
  for (const text of texts) expect(report.notes[0]).toContain(text);
}

describe("while objects are being deleted with their CRD", () => {
  let crd: KubeObject;
  let changed: string;
  let fresh: string;
  let moved: string;

  beforeAll(async () => {
    changed = await fileOf("changed", application({ image: "nginx:1.28", replica: 3 }));
    fresh = await fileOf("fresh", application({}, "fresh"));
    moved = await fileOf("moved", placement(["m2"]));
  });

  const changes = (): string[] => [`-f ${changed}`, `-f ${moved}`, "--without m1", "--drain m1"];

  test("nothing else becomes of them, and plan says what they wait for", async () => {
    crd = await deleteCrd(DEMOAPPLICATIONS, "shop", "web");
    await isHeld("the kind goes; agree");
    for (const change of changes())
      await isNoted(`plan ${change}`, "demoapplication/web is being deleted since", "m1", "the kind goes; agree");
    expect(await run(`plan -f ${fresh} --hub-only`)).toMatchObject({
      code: 2,
      err: expect.stringContaining("terminating"),
    });
  });

  test("explain and status say so too, and give no advice on where they could run", async () => {
    const { out } = await run("explain web");
    expect(out).toMatch(/Deleted +since .* waits for m1 .*the kind goes; agree/);
    expect(out).not.toContain("For it to run elsewhere");
    expect((await run("explain web --cluster m2")).out).not.toContain("To run there");
    const { code, out: table } = await run("status -o json");
    expect(code).toBe(1);
    const { objects } = JSON.parse(table) as { objects: { name: string; reason: string; message: string }[] };
    expect(objects).toMatchObject([
      { name: "web", reason: "Deleting", message: expect.stringContaining("the kind goes; agree") },
    ]);
  });

  test("and the CRD is gone, every command says that the kind is not there", async () => {
    await strip(DEMOAPPLICATIONS);
    for (const line of [`plan -f ${moved} --hub-only`, "plan --without m1 --hub-only", "explain web", "status"])
      expect(await run(line)).toMatchObject({
        code: 2,
        out: "",
        err: expect.stringContaining("does not know demoapplications"),
      });
  });

  test("and the CRD is back, they are as before, and new ones are planned", async () => {
    await install(crd, DEMOAPPLICATIONS);
    await isHeld("an earlier CRD; agree");
    for (const change of changes()) await isNoted(`plan ${change}`, "demoapplication/web", "an earlier CRD; agree");
    expect((await run("explain web")).out).toMatch(/Deleted +since .*an earlier CRD; agree/);
    const { code, out } = await run(`plan -f ${fresh} --hub-only -o json`);
    const { objects } = JSON.parse(out) as PlanReport;
    expect([code, objects.map(({ name }) => name)]).toEqual([1, ["fresh"]]);
  });
});

test("several that are being deleted are named together", () => {
  const state = new PlannerHubState();
  const web = (index: number): KubeObject => {
    const one = application({}, `web-${index}`);
    return { ...one, metadata: { ...one.metadata, deletionTimestamp: at(0) } };
  };
  const [note = "", ...more] = departingNotes(state, [0, 1, 2, 3, 4, 5, 6].map(web));
  expect(more).toEqual([]);
  expect(note).toMatch(
    /^7 objects are being deleted.*demoapplication\/web-4 and 2 more\. demoapplication\/web-0 waits/,
  );
  expect(departingNotes(state, [])).toEqual([]);
});

test("what would be drained from a cluster that was deleted with its CRD is shown as held until somebody agrees", async () => {
  const { client } = admin;
  await client.create(DEMOAPPLICATIONS, application({}, "other"));
  const replicas = { desired: 2, updated: 2, ready: 2, available: 2 };
  const clusters = [{ name: "m1", state: "Available", replicas, desiredHash: "h", observedHash: "h" }];
  const status = { observedGeneration: 1, placement: { kind: "Placement", namespace: "shop", name: "some" }, clusters };
  await client.patch(DEMOAPPLICATIONS, "shop", "other", MERGE, { status }, STATUS);
  const metadata = { finalizers: ["federation.paas.cmft.com/members"] };
  await client.patch(MEMBERCLUSTERS, undefined, "m1", MERGE, { metadata });
  const crd = await deleteCrd(MEMBERCLUSTERS, undefined, "m1");
  await strip(MEMBERCLUSTERS);
  await install(crd, MEMBERCLUSTERS);
  await join("m3");
  await client.patch(PLACEMENTS, "shop", "some", MERGE, placement(["m1", "m3"]));
  const drained = await fileOf("drained", {
    ...member("m1"),
    spec: { connection: { pull: {} }, deletionPolicy: "Drain" },
  });
  const changes = async () => {
    const { out } = await run(`plan -f ${drained} --hub-only -o json`);
    const { objects } = JSON.parse(out) as PlanReport;
    const found = objects.find(({ name }) => name === "other");
    return found?.clusters.map(({ name, change, reason }) => [name, change, reason]);
  };
  expect(await changes()).toContainEqual(["m1", "Held", "KindBeingDeleted"]);
  await client.patch(MEMBERCLUSTERS, undefined, "m1", MERGE, {
    metadata: { annotations: { [ALLOW_DELETION_ANNOTATION]: "true" } },
  });
  expect(await changes()).not.toContainEqual(["m1", "Held", "KindBeingDeleted"]);
});
