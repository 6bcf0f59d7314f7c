import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { LEASES, MEMBERCLUSTERS, SECRETS } from "../../runtime/index.ts";
import { startSandboxCluster } from "../../sandbox/index.ts";
import type { Ran } from "../testing/commandLine.ts";
import { condition, SandboxHub } from "../testing/sandboxHub.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** On a hub of the sandbox whose manager holds its Lease and drains for ever. */

const HELD = "Drain since 2026-11-21T08:00:00Z: Deployment shop has finalizer example.com/hold";

let fleet: SandboxHub;
const onHub = (line: string): Promise<Ran> => fleet.run(line);
const joining = (flags: string): Promise<Ran> => onHub(`join m1 --member-kubeconfig ${fleet.file("m1")} ${flags}`);
const patch = (body: object): Promise<void> => fleet.patch(MEMBERCLUSTERS, undefined, "m1", body);
const report = (status: object): Promise<void> => fleet.report(MEMBERCLUSTERS, undefined, "m1", status);

beforeAll(async () => {
  fleet = await SandboxHub.start();
  await fleet.join("m1");
  await patch({ metadata: { finalizers: ["federation.paas.cmft.com/member-cluster"] } });
  const spec = { holderIdentity: "a", renewTime: "2999-01-01T00:00:00.000000Z", leaseDurationSeconds: 15 };
  const metadata = { name: "meridian", namespace: "meridian-system" };
  await fleet.admin.client.create(LEASES, { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec });
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

const policy = async (): Promise<unknown> => {
  const { spec } = (await fleet.admin.client.get(MEMBERCLUSTERS, undefined, "m1")) as {
    spec?: { deletionPolicy?: string };
  };
  return spec?.deletionPolicy;
};

test("a draining that takes too long is told with what it waits for, and with the command that goes on with it", async () => {
  const again = `run \`meridian unjoin m1 --drain --kubeconfig ${fleet.file("hub")}\` again`;
  const early = await onHub("unjoin m1 --drain --timeout 500ms");
  expect(early.code).toBe(3);
  expect(early.err).toContain("m1 is not gone in time (no manager has reported on the removal yet)");
  await report({
    conditions: [condition("Ready", "True", "Connected"), condition("Removed", "False", "DeletionWaits", HELD)],
  });
  const late = await onHub("unjoin m1 --drain --timeout 500ms");
  expect(late.err).toContain(`meridian: m1 is not gone in time (${HELD}); its credentials stay until then: ${again}\n`);
});

test("unjoin without a word on a cluster that is being drained asks for one, and abandons nothing", async () => {
  for (const line of ["unjoin m1", "unjoin m1 --force", "unjoin m1 --dry-run"]) {
    const { code, out, err } = await onHub(line);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toBe(
      `meridian: m1 is being drained already (${HELD}): give --drain to continue, or --orphan to leave the remaining copies running\n`,
    );
  }
  expect(await policy()).toBe("Drain");
});

test("a cluster that is being drained gets new credentials and rights, and is not joined anew", async () => {
  const { code, err } = await joining("--region eu");
  expect(code).toBe(2);
  expect(err).toMatch(/m1 is being removed; wait until it is gone .*, or give --renew/);
  expect(await joining("--renew")).toMatchObject({
    code: 0,
    out: "membercluster/m1 renewed\nmembercluster/m1 ready\n",
  });
  expect((await onHub("status membercluster/m1")).out).toContain(`Deleting: ${HELD}\n`);
});

test("--orphan lets go of what the draining has left", async () => {
  expect((await onHub("unjoin m1 --orphan --timeout 100ms")).err).toContain("run `meridian unjoin m1 --orphan ");
  expect(await policy()).toBe("Orphan");
});

test("a member that is away is remembered until somebody forces it, and renewing its credentials is no advice any more", async () => {
  const again = fleet.file("m2");
  const away = await startSandboxCluster({ name: "m2", controllers: false });
  await writeFile(again, away.kubeconfig());
  expect((await onHub(`join m2 --region eu --member-kubeconfig ${again} --timeout 100ms`)).code).toBe(3);
  await away.stop();
  const { code, out, err } = await onHub("unjoin m2");
  expect({ code, out }).toEqual({ code: 1, out: "membercluster/m2 removed\n" });
  expect(err).toMatch(/^m2 could not be cleaned: connection refused by 127\.0\.0\.1:\d+$/m);
  expect(err).not.toContain("--renew");
  expect(err).toContain("secret/m2 stays in namespace meridian-system of the hub");
  expect(await onHub("unjoin m2")).toMatchObject({ code: 1, out: "" });
  const forced = await onHub("unjoin m2 --orphan --force");
  expect(forced).toMatchObject({ code: 1, out: "secret/m2 removed from namespace meridian-system\n" });
  expect(forced.err).toContain("kubectl delete clusterrole,clusterrolebinding meridian-");
  expect((await onHub("unjoin m2")).code).toBe(2);
});

test("a cluster that is gone while it waits for new credentials is removed, not lost", async () => {
  await report({ conditions: [condition("Ready", "False", "CredentialsExpired")] });
  const secret = async (): Promise<unknown> =>
    (await fleet.admin.client.get(SECRETS, "meridian-system", "m1")).metadata.resourceVersion;
  const before = await secret();
  const renewing = joining("--renew");
  await vi.waitFor(async () => expect(await secret()).not.toBe(before), { timeout: 30_000 });
  await patch({ metadata: { finalizers: null } });
  expect(await renewing).toMatchObject({ code: 0, out: "membercluster/m1 renewed\nmembercluster/m1 removed\n" });
});
