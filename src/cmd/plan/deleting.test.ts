import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { CRDS, DEMOAPPLICATIONS, MEMBERCLUSTERS, NAMESPACES, PLACEMENTS, SECRETS } from "../../runtime/index.ts";
import { type SandboxCluster, startSandboxCluster } from "../../sandbox/index.ts";
import { connectMember, type Connection } from "../connection.ts";
import { type Ran, runMeridian } from "../testing/commandLine.ts";
import type { PlanReport } from "./report.ts";
import { application, FEDERATION, placement } from "./testing/objects.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** `plan`, `explain` and `status` while objects are being deleted, and with them their kind. */

const APPLICATIONS = "demoapplications.paas.cmft.com";
const MERGE = "application/merge-patch+json";
let folder: string;
let hub: SandboxCluster;
let admin: Connection;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "meridian-deleting-"));
  hub = await startSandboxCluster({ name: "hub", controllers: false });
  await writeFile(join(folder, "hub"), hub.kubeconfig({ namespace: "shop" }));
  admin = connectMember("hub", join(folder, "hub"), undefined);
  expect((await run("install")).code).toBe(0);
  const { client } = admin;
  await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
  await client.create(SECRETS, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "password", namespace: "shop" },
    data: { password: "b2xk" },
  });
  for (const name of ["m1", "m2"]) {
    await client.create(MEMBERCLUSTERS, {
      apiVersion: FEDERATION,
      kind: "MemberCluster",
      metadata: { name },
      spec: { connection: { pull: {} } },
    });
    const ready = { type: "Ready", status: "True", reason: "Connected", message: "", lastTransitionTime: at(0) };
    await client.patch(MEMBERCLUSTERS, undefined, name, MERGE, { status: { conditions: [ready] } }, STATUS);
  }
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

const run = (line: string): Promise<Ran> => runMeridian([...line.split(" "), "--kubeconfig", join(folder, "hub")]);

async function fileOf(name: string, ...objects: unknown[]): Promise<string> {
  const path = join(folder, name);
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

test("explore", async () => {
  await isHeld("CRD x is being deleted; if meant, annotate it");
  const changed = await fileOf("changed", application({ image: "nginx:1.28", replica: 3 }));
  const fresh = await fileOf("fresh", application({}, "fresh"));
  const moved = await fileOf("moved", placement(["m2"]));
  const show = async (what: string) => {
    for (const line of [
      `plan -f ${changed} --hub-only`,
      `plan -f ${fresh} --hub-only`,
      `plan -f ${moved} --hub-only`,
      `plan --without m1 --hub-only`,
      `plan --drain m1 --hub-only`,
      `explain web`,
      `explain fresh -f ${fresh}`,
      `status`,
      `status web`,
    ])
      console.log(what, line, JSON.stringify(await run(line), undefined, 1).replaceAll("\\n", "\n"));
  };
  await admin.client.delete(CRDS, undefined, APPLICATIONS);
  await new Promise((r) => setTimeout(r, 200));
  await show("TERMINATING");
  const crd = await admin.client.get(CRDS, undefined, APPLICATIONS);
  await admin.client.patch(CRDS, undefined, APPLICATIONS, MERGE, { metadata: { finalizers: null } });
  await new Promise((r) => setTimeout(r, 200));
  await show("GONE");
  await admin.client.create(CRDS, {
    apiVersion: crd.apiVersion,
    kind: crd.kind,
    metadata: { name: APPLICATIONS },
    spec: crd["spec"],
  } as KubeObject);
  await new Promise((r) => setTimeout(r, 200));
  await show("BACK");
});
