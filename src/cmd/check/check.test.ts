import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { clusterPlacement } from "../../../test/builders/index.ts";
import { CertificateAuthority } from "../../certificates/index.ts";
import {
  CLUSTERPLACEMENTS,
  CLUSTERROLES,
  CRDS,
  DEPLOYMENTS,
  LEASES,
  MEMBERCLUSTERS,
  SECRETS,
  SERVICES,
} from "../../runtime/index.ts";
import { ADMISSION_TYPES } from "../../webhooks/index.ts";
import type { SandboxCluster } from "../../sandbox/index.ts";
import { connectMember } from "../shared/connection.ts";
import { condition, SandboxHub } from "../testing/sandboxHub.ts";
import type { CheckReport } from "./text.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** `meridian check` on a hub of the sandbox with one member; what a manager would write is written by the test. */

const SYSTEM = "meridian-system";
const READY = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
let fleet: SandboxHub;
let member: SandboxCluster;
let authority: CertificateAuthority;

beforeAll(async () => {
  fleet = await SandboxHub.start();
  authority = await CertificateAuthority.create({ name: "webhooks", now: Date.now() - 3 * 86_400_000, days: 730 });
  member = await fleet.join("eu-1");
  const labels = { "app.kubernetes.io/part-of": "meridian" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "manager", image: "meridian:1" }] } };
  await fleet.make({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "meridian-manager", namespace: SYSTEM, labels },
    spec: { replicas: 1, selector: { matchLabels: labels }, template },
  });
  await fleet.report(DEPLOYMENTS, SYSTEM, "meridian-manager", READY);
  await fleet.make({
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: "meridian", namespace: SYSTEM },
    spec: {},
  });
  await renew(0);
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

/** A long Lease: the test is no manager that renews it. */
async function renew(agoMs: number): Promise<void> {
  const renewTime = new Date(Date.now() - agoMs).toISOString().replace("Z", "000Z");
  await fleet.patch(LEASES, SYSTEM, "meridian", {
    spec: { holderIdentity: "pod-1", leaseDurationSeconds: 3_600, renewTime },
  });
}

async function reported(kubeconfig?: string): Promise<CheckReport & { code: number }> {
  const { code, out, err } = await fleet.run("check -o json", kubeconfig);
  expect(err).toBe("");
  return { code, ...(JSON.parse(out) as CheckReport) };
}
const codesOf = ({ findings }: CheckReport): string[] => findings.map(({ where, code }) => `${where} ${code}`);

test("a fleet that is well has a line for each check and exits with 0", async () => {
  const { code, out, err } = await fleet.run("check");
  expect({ code, err, out }).toMatchObject({ code: 0, err: "" });
  const lines = out.trimEnd().split("\n");
  const words = lines.slice(0, -2).map((line) =>
    line
      .split(/\s{2,}/)
      .slice(0, 3)
      .join("|"),
  );
  expect(words).toEqual([
    "ok|hub|Version",
    "ok|hub|Clock",
    "ok|hub|Definitions",
    "ok|hub|Manager",
    "ok|hub|Lease",
    "ok|hub|Webhooks",
    "ok|hub|Queries",
    "ok|hub|Policies",
    "ok|cluster eu-1|Member",
    "ok|hub|Rights",
  ]);
  expect(out).toContain("reached from here");
  expect(lines.at(-1)).toBe("10 checks: nothing found");
});

describe("a trouble is found with its place, and is gone with its cause", () => {
  const stale = (status: string) => ({
    conditions: [condition("Ready", status, status === "True" ? "Connected" : "ClusterUnreachable")],
  });
  const roleOn = async (verbs: string[] | undefined): Promise<void> => {
    await using admin = connectMember("eu-1", fleet.file("eu-1"), undefined);
    const items = (await admin.client.list(CLUSTERROLES, { labelSelector: "federation.paas.cmft.com/joined-to" }))
      .items;
    const [role] = items;
    if (role === undefined) throw new Error("join made no role");
    kept ??= (role as { rules?: unknown }).rules;
    const rules = verbs === undefined ? kept : [{ apiGroups: [""], resources: ["namespaces"], verbs }];
    await admin.client.patch(CLUSTERROLES, undefined, role.metadata.name, "application/merge-patch+json", { rules });
  };
  let kept: unknown;
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  // Without a rule, nobody calls the webhook.
  const validating = () => ({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "meridian" },
    webhooks: [
      {
        name: "applications.paas.cmft.com",
        clientConfig: {
          service: { namespace: SYSTEM, name: "webhook", path: "/validate", port: 443 },
          caBundle: base64(authority.toPem().certPem),
        },
        rules: [],
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
      },
    ],
  });
  const unhook = async (): Promise<void> => {
    for (const type of ADMISSION_TYPES)
      for (const { metadata } of (await fleet.admin.client.list(type)).items)
        await fleet.admin.client.delete(type, undefined, metadata.name);
  };

  test.each<{ name: string; spoil: () => Promise<unknown>; mend: () => Promise<unknown>; want: string[] }>([
    {
      name: "a manager that is not ready",
      spoil: () => fleet.report(DEPLOYMENTS, SYSTEM, "meridian-manager", { ...READY, availableReplicas: 0 }),
      mend: () => fleet.report(DEPLOYMENTS, SYSTEM, "meridian-manager", READY),
      want: ["hub ManagerNotReady"],
    },
    {
      name: "a Lease that nobody renews",
      spoil: () => renew(7_200_000),
      mend: () => renew(0),
      want: ["hub LeaseStale"],
    },
    {
      name: "a member out of contact",
      spoil: () => fleet.report(MEMBERCLUSTERS, undefined, "eu-1", stale("False")),
      mend: () => fleet.report(MEMBERCLUSTERS, undefined, "eu-1", stale("True")),
      want: ["cluster eu-1 ClusterUnreachable"],
    },
    {
      name: "an account on a member that lost its rights",
      spoil: () => roleOn(["get", "list"]),
      mend: () => roleOn(undefined),
      want: ["cluster eu-1 RightsMissing"],
    },
    {
      name: "a policy with an error",
      spoil: async () => {
        await fleet.make(clusterPlacement("everywhere").object());
        await fleet.report(CLUSTERPLACEMENTS, undefined, "everywhere", {
          observedGeneration: 1,
          conditions: [condition("Ready", "False", "UnknownCluster", "the cluster eu-9 does not exist")],
          lastError: "the cluster eu-9 does not exist",
        });
      },
      mend: () => fleet.admin.client.delete(CLUSTERPLACEMENTS, undefined, "everywhere"),
      want: ["hub UnknownCluster"],
    },
    {
      name: "a webhook whose Service is gone",
      spoil: () => fleet.make(validating()),
      mend: unhook,
      want: ["hub ServiceMissing"],
    },
    {
      name: "a webhook that no manager answers, with a certificate that has ended",
      spoil: async () => {
        await fleet.make(validating());
        await fleet.make({
          apiVersion: "v1",
          kind: "Service",
          metadata: { name: "webhook", namespace: SYSTEM },
          spec: { ports: [{ port: 443 }] },
        });
        const day = 86_400_000;
        const { certPem, keyPem } = await authority.issue({
          name: "webhook",
          hosts: ["webhook"],
          now: Date.now() - 2 * day,
          days: 1,
        });
        const data = { "tls.crt": base64(certPem), "tls.key": base64(keyPem) };
        await fleet.make({
          apiVersion: "v1",
          kind: "Secret",
          metadata: { name: "meridian-webhooks", namespace: SYSTEM },
          data,
        });
      },
      mend: async () => {
        await unhook();
        await fleet.admin.client.delete(SERVICES, SYSTEM, "webhook");
        await fleet.admin.client.delete(SECRETS, SYSTEM, "meridian-webhooks");
      },
      want: ["hub NoEndpoints", "hub CertificateExpired"],
    },
    {
      name: "a kind of an older installation",
      spoil: () =>
        fleet.report(CRDS, undefined, "demoapplications.paas.cmft.com", { storedVersions: ["v1beta1", "v1"] }),
      mend: () => fleet.report(CRDS, undefined, "demoapplications.paas.cmft.com", { storedVersions: ["v1"] }),
      want: ["hub StoredVersions"],
    },
  ])("$name", async ({ spoil, mend, want }) => {
    await spoil();
    const found = await reported();
    expect({ code: found.code, codes: codesOf(found) }).toEqual({ code: 1, codes: want });
    await mend();
    expect(await reported()).toMatchObject({ code: 0, findings: [] });
  });
});

test("findings stand below their check, with a remedy", async () => {
  await renew(7_200_000);
  const { out } = await fleet.run("check --hub-only");
  expect(out).toMatch(/^found +hub +Lease .*\n {4}Error LeaseStale: pod-1 has not renewed .*\n {6}remedy: see why/m);
  expect(out).toContain("9 checks: 1 error");
  await renew(0);
});

test("a person without rights gets findings that name the missing rights, and no error", async () => {
  await fleet.makeNamespaces("team");
  const found = await reported(await fleet.account("ann", "team", []));
  expect(found.code).toBe(1);
  expect(new Set(found.findings.map(({ code }) => code))).toEqual(new Set(["RightMissing"]));
  const texts = found.findings.map(({ what }) => what).join("\n");
  for (const right of [
    "get customresourcedefinitions.apiextensions.k8s.io",
    `list deployments.apps in namespace ${SYSTEM}`,
    `get leases.coordination.k8s.io in namespace ${SYSTEM}`,
    "list memberclusters.federation.paas.cmft.com",
    "list clusterplacements.federation.paas.cmft.com",
  ])
    expect(texts).toContain(`you may not ${right} on the hub`);
  expect(found.checks.filter(({ result }) => result === "NotChecked").map(({ check }) => check)).toContain("Lease");
});

test("no value of a Secret is shown", async () => {
  const secrets = (await fleet.admin.client.list(SECRETS, { namespace: SYSTEM })).items;
  const values = secrets.flatMap(({ data }) => Object.values((data ?? {}) as Record<string, string>));
  const tokens = values.flatMap((one) => /token: "?([^"\s]+)/.exec(Buffer.from(one, "base64").toString())?.[1] ?? []);
  expect(tokens).toHaveLength(1);
  for (const line of ["check --log-level trace", "check -o yaml"]) {
    const { out, err } = await fleet.run(line);
    for (const token of [...tokens, ...values]) expect(out + err).not.toContain(token);
  }
});

test("a member that is down hides nothing else", async () => {
  await member.stop();
  const found = await reported();
  expect(codesOf(found)).toEqual(["cluster eu-1 NotReachedFromHere"]);
  expect(found.code).toBe(0);
});

test("a hub that is not reached is an error, not a finding", async () => {
  const kubeconfig = fleet.hub.kubeconfig().replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:1");
  const path = fleet.file("nowhere");
  await writeFile(path, kubeconfig);
  const { code, out, err } = await fleet.run("check", path);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain("was not reached");
});

test("a hub without Meridian is told so, and how to install it", async () => {
  for (const { metadata } of (await fleet.admin.client.list(CRDS)).items)
    await fleet.admin.client.delete(CRDS, undefined, metadata.name);
  const found = await reported();
  expect({ code: found.code, codes: codesOf(found) }).toEqual({ code: 1, codes: ["hub NotInstalled"] });
});
