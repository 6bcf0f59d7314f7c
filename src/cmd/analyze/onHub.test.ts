import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { demoApplication, placement } from "../../../test/builders/index.ts";
import { DEMOAPPLICATIONS, PLACEMENTS } from "../../runtime/index.ts";
import { SandboxHub } from "../testing/sandboxHub.ts";
import type { AnalysisReport } from "./text.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** `meridian analyze` on a hub of the sandbox, where a policy and an object stand already. */

let fleet: SandboxHub;
const shop = demoApplication("shop").namespace("shop");
const everywhere = placement("everywhere").namespace("shop");

beforeAll(async () => {
  fleet = await SandboxHub.start({ namespace: "shop" });
  await fleet.join("eu-1");
  await fleet.makeNamespaces("shop");
  await fleet.make(everywhere.object());
  await fleet.make(shop.object());
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

async function analyzed(items: unknown[], kubeconfig?: string): Promise<AnalysisReport & { code: number }> {
  const { code, out, err } = await fleet.run(`analyze -f ${await fleet.fileOf(...items)} -o json`, kubeconfig);
  if (out === "") throw new Error(err);
  return { code, ...(JSON.parse(out) as AnalysisReport) };
}
const codesOf = ({ findings }: AnalysisReport): string[] => findings.map(({ severity, code }) => `${severity} ${code}`);

const certificate = (apiVersion: string) => ({ apiVersion, kind: "Deployment", metadata: { name: "web" }, spec: {} });

describe("analyze on a hub", () => {
  test.each<{ name: string; items: unknown[]; found: string[]; says?: string }>([
    { name: "finds nothing in what is applied already", items: [shop.object(), everywhere.object()], found: [] },
    { name: "puts objects of the files beside those of the hub", items: [everywhere.of("shop").object()], found: [] },
    {
      name: "puts a policy of the files in place of the one of the hub",
      items: [everywhere.onClusters("eu-9").object()],
      found: ["Error UnknownCluster"],
    },
    {
      name: "sees policies of the hub that shadow one of the files",
      items: [placement("also").namespace("shop").priority(-1).object()],
      found: ["Warning LostToOther"],
      says: "Placement everywhere",
    },
    {
      name: "names the group in which the hub serves the kind of a selector",
      items: [placement("old").namespace("shop").selects({ apiVersion: "extensions/v1", kind: "Deployment" }).object()],
      found: ["Error KindNotServed"],
      says: "did you mean apps/v1?",
    },
    {
      name: "names the group in which the hub serves the kind of an object",
      items: [certificate("extensions/v1")],
      found: ["Error KindNotServed"],
      says: "write apiVersion: apps/v1",
    },
    { name: "names a binding, which only managers write", items: [binding()], found: ["Error WrittenByMeridian"] },
  ])("$name", async ({ items, found, says = "" }) => {
    const report = await analyzed(items);
    expect(codesOf(report)).toEqual(found);
    expect(report.code).toBe(found.length === 0 ? 0 : 1);
    expect(report.findings.map(({ what, remedy }) => `${what} | ${remedy}`).join()).toContain(says);
  });

  test("writes nothing, and needs no right to write", async () => {
    const read = ["get", "list", "watch"];
    const kubeconfig = await fleet.account("reader", "shop", [
      { apiGroups: ["paas.cmft.com", "federation.paas.cmft.com", ""], resources: ["*"], verbs: read },
    ]);
    const before = fleet.hub.resourceVersion();
    const report = await analyzed([demoApplication("new").namespace("shop").image("nginx").object()], kubeconfig);
    expect(codesOf(report)).toContain("Warning ImageWithoutTag");
    expect(report.notes.join("\n")).toContain(
      "Hidden from you: clusteroverridepolicies, clusterplacements, memberclusters",
    );
    expect(fleet.hub.resourceVersion()).toBe(before);
  });

  test("guesses nothing about clusters that the rights do not show", async () => {
    const kubeconfig = fleet.file("reader");
    const report = await analyzed([everywhere.onClusters("eu-9").object()], kubeconfig);
    expect(codesOf(report)).not.toContain("Error UnknownCluster");
  });

  test("says which rights are missing to a person who may not read policies", async () => {
    const kubeconfig = await fleet.account("nobody", "shop", []);
    const { code, err } = await fleet.run(`analyze -f ${await fleet.fileOf(shop.object())}`, kubeconfig);
    expect({ code, says: err.includes("the right to list placements and overridepolicies") }).toEqual({
      code: 2,
      says: true,
    });
    expect(err).toContain("meridian analyze --without-hub --from FILES -f FILES");
  });

  test("leaves the hub as it was", async () => {
    const { client } = fleet.admin;
    expect((await client.list(PLACEMENTS)).items.map(({ metadata }) => metadata.name)).toEqual(["everywhere"]);
    expect((await client.list(DEMOAPPLICATIONS)).items.map(({ metadata }) => metadata.name)).toEqual(["shop"]);
  });
});

function binding() {
  const resource = { apiVersion: "v1", kind: "ConfigMap", namespace: "shop", name: "a", uid: "1" };
  return {
    apiVersion: "federation.paas.cmft.com/v1alpha1",
    kind: "ResourceBinding",
    metadata: { name: "a", namespace: "shop" },
    spec: { resource },
  };
}
