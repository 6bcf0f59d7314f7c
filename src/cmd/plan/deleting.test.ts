import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { crdNameOf, type KubeObject } from "../../apis/index.ts";
import { CRDS, DEMOAPPLICATIONS, MEMBERCLUSTERS, type ResourceType } from "../../runtime/index.ts";
import type { Ran } from "../testing/commandLine.ts";
import { condition, SandboxHub } from "../testing/sandboxHub.ts";
import { departingNotes } from "./departing.ts";
import type { PlanReport } from "./report.ts";
import { PlannerHubState } from "./state/hubState.ts";
import { application, FEDERATION, placement, secret } from "./testing/objects.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** `plan`, `explain` and `status` while objects are being deleted, and with them their kind. */

let fleet: SandboxHub;

beforeAll(async () => {
  fleet = await SandboxHub.start({ namespace: "shop" });
  await fleet.makeNamespaces("shop");
  for (const name of ["m1", "m2"]) await join(name);
  const { metadata, ...web } = application();
  const held = { ...web, metadata: { ...metadata, finalizers: ["paas.cmft.com/held"] } };
  for (const object of [secret, placement(["m1"]), held]) await fleet.make(object);
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

const run = (line: string): Promise<Ran> => fleet.run(line);

const member = (name: string): KubeObject => ({
  apiVersion: FEDERATION,
  kind: "MemberCluster",
  metadata: { name },
  spec: { connection: { pull: {} } },
});

async function join(name: string): Promise<void> {
  await fleet.make(member(name));
  await fleet.report(MEMBERCLUSTERS, undefined, name, { conditions: [condition("Ready", "True", "Connected")] });
}

/** As the manager reports copies that it holds. */
async function isHeld(message: string): Promise<void> {
  const replicas = { desired: 2, updated: 2, ready: 2, available: 2 };
  const status = {
    observedGeneration: 1,
    placement: { kind: "Placement", namespace: "shop", name: "some" },
    clusters: [{ name: "m1", state: "Held", reason: "KindBeingDeleted", message, replicas }],
    conditions: [condition("Progressing", "True", "Deleting", "1 cluster remains")],
  };
  await fleet.report(DEMOAPPLICATIONS, "shop", "web", status);
}

/** Deletes the CRD, and waits until the server has begun to delete this object of the kind. */
async function deleteCrd(type: ResourceType, namespace: string | undefined, name: string): Promise<KubeObject> {
  await fleet.admin.client.delete(CRDS, undefined, crdNameOf(type));
  await vi.waitFor(async () =>
    expect((await fleet.admin.client.get(type, namespace, name)).metadata.deletionTimestamp).toBeDefined(),
  );
  return await fleet.admin.client.get(CRDS, undefined, crdNameOf(type));
}

async function strip(type: ResourceType): Promise<void> {
  await fleet.patch(CRDS, undefined, crdNameOf(type), { metadata: { finalizers: null } });
}

/** A CRD of that name again. */
async function install(before: KubeObject, type: ResourceType): Promise<void> {
  const { apiVersion, kind, spec } = before as KubeObject & { spec: unknown };
  await fleet.admin.client.create(CRDS, {
    apiVersion,
    kind,
    metadata: { name: before.metadata.name },
    spec,
  } as KubeObject);
  await vi.waitFor(async () => void (await fleet.admin.client.list(type)));
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
    changed = await fleet.fileOf(application({ image: "nginx:1.28", replica: 3 }));
    fresh = await fleet.fileOf(application({}, "fresh"));
    moved = await fleet.fileOf(placement(["m2"]));
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
    expect(out).toMatch(/Deleted +since .* waits for m1: the kind goes; agree/);
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
    return { ...one, metadata: { ...one.metadata, deletionTimestamp: "2026-11-21T08:25:00Z" } };
  };
  const [note = "", ...more] = departingNotes(state, [0, 1, 2, 3, 4, 5, 6].map(web));
  expect(more).toEqual([]);
  expect(note).toMatch(
    /^7 objects are being deleted.*demoapplication\/web-4 and 2 more\. demoapplication\/web-0 waits/,
  );
  expect(departingNotes(state, [])).toEqual([]);
});
