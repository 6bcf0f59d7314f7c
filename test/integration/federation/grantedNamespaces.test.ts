import { expect, test } from "vitest";
import { type KubeObject, MANAGED_BY_LABEL } from "../../../src/apis/index.ts";
import {
  DEMOAPPLICATIONS,
  DEPLOYMENTS,
  MEMBERCLUSTERS,
  NAMESPACES,
  NODES,
  PLACEMENTS,
  type ResourceType,
} from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";

const BANK = "bank";

/** `shanghai` is joined for `default` alone, `singapore` for everything; the placement takes both. */
async function bounded(namespaces = ["default"]): Promise<TestFederation> {
  const federation = await TestFederation.prepare();
  const shanghai = await federation.join("shanghai", { namespaces });
  await federation.join("singapore");
  await federation.namespace(BANK);
  await federation.namespace(BANK, shanghai.server);
  await federation.apply(PLACEMENTS, placement("all"));
  await federation.apply(PLACEMENTS, { ...placement("all").object(), metadata: { name: "all", namespace: BANK } });
  await federation.startManager();
  return federation;
}

const statusOf = (federation: TestFederation, namespace: string) =>
  (federation.hub.find(DEMOAPPLICATIONS, namespace, "shop") as (KubeObject & { status?: Status }) | undefined)?.status;
interface Status {
  clusters?: { name: string; state: string; reason?: string; message?: string }[];
  conditions?: { type: string; status: string; reason: string; message: string }[];
}
const statesOf = (federation: TestFederation, namespace: string) =>
  Object.fromEntries((statusOf(federation, namespace)?.clusters ?? []).map(({ name, state }) => [name, state]));
const runsOn = (federation: TestFederation, member: string, namespace: string) =>
  federation.member(member).server.has(DEPLOYMENTS, namespace, "shop");
const inNamespace = (namespace: string) => ({
  ...demoApplication("shop").replica(2).object(),
  metadata: { name: "shop", namespace },
});
const grant = (federation: TestFederation, namespaces: string[] | null) =>
  federation.hub.merge(MEMBERCLUSTERS, undefined, "shanghai", { spec: { namespaces } });

test("nothing of the member is asked for beyond its namespaces", async () => {
  await using federation = await bounded();
  const asked: string[] = [];
  federation.member("shanghai").refuse = (verb, type?: ResourceType) => {
    if (type !== undefined && [NAMESPACES, NODES].includes(type)) asked.push(`${verb} ${type.plural}`);
    return undefined;
  };
  await federation.apply(DEMOAPPLICATIONS, inNamespace("default"));
  await federation.until(() => statesOf(federation, "default")["shanghai"] === "Available");
  // The probe asks which cluster it is, by a list of kube-system alone.
  expect([...new Set(asked)]).toEqual(["list namespaces"]);
  const watches = federation
    .member("shanghai")
    .clients.flatMap(({ calls }) => calls)
    .filter((call) => call.startsWith("watch "));
  expect(new Set(watches)).not.toContain("watch namespaces");
});

test("what runs in a namespace that is granted no more runs elsewhere, and what is left is named until it is granted again", async () => {
  await using federation = await bounded(["default", BANK]);
  await federation.apply(DEMOAPPLICATIONS, inNamespace(BANK));
  await federation.until(() => Object.values(statesOf(federation, BANK)).join() === "Available,Available");
  await grant(federation, ["default"]);
  await federation.until(() => statesOf(federation, BANK)["shanghai"] === "Held");
  const left = statusOf(federation, BANK)?.clusters?.find(({ name }) => name === "shanghai");
  expect(left).toMatchObject({
    reason: "NamespaceNotGranted",
    message:
      "namespace bank is not granted; `meridian join shanghai --renew --namespaces default,bank --member-kubeconfig FILE`",
  });
  expect(statesOf(federation, BANK)["singapore"]).toBe("Available");
  expect(runsOn(federation, "shanghai", BANK)).toBe(true);

  // A manager that has seen none of it says the same.
  await federation.stopManager();
  const writes = federation.hubWrites.length;
  await federation.startManager();
  await federation.pass(60_000);
  expect(federation.hubWrites.slice(writes)).toEqual([]);

  // Granted again, it is wanted there again.
  await grant(federation, ["default", BANK]);
  await federation.until(() => statesOf(federation, BANK)["shanghai"] === "Available");
  const { uid } = federation.member("shanghai").server.get(DEPLOYMENTS, BANK, "shop").metadata;
  expect(uid).toBeDefined();
});

test("the deletion of an object waits for what is out of reach, and says what frees it", async () => {
  await using federation = await bounded(["default", BANK]);
  await federation.apply(DEMOAPPLICATIONS, inNamespace(BANK));
  await federation.until(() => Object.values(statesOf(federation, BANK)).join() === "Available,Available");
  await grant(federation, ["default"]);
  await federation.until(() => statesOf(federation, BANK)["shanghai"] === "Held");
  await federation.delete(DEMOAPPLICATIONS, "shop", BANK);
  await federation.until(() => !runsOn(federation, "singapore", BANK));
  const progressing = () => statusOf(federation, BANK)?.conditions?.find(({ type }) => type === "Progressing");
  await federation.until(() => progressing()?.message.includes("namespace bank is not granted") === true);
  await grant(federation, ["default", BANK]);
  await federation.until(() => statusOf(federation, BANK) === undefined);
  expect(runsOn(federation, "shanghai", BANK)).toBe(false);
});

test("a member that is joined for everything again makes its namespaces again", async () => {
  await using federation = await bounded();
  await federation.namespace("new");
  await federation.apply(PLACEMENTS, { ...placement("all").object(), metadata: { name: "all", namespace: "new" } });
  await federation.apply(DEMOAPPLICATIONS, inNamespace("new"));
  await federation.until(() => statesOf(federation, "new")["singapore"] === "Available");
  await grant(federation, null);
  await federation.until(() => statesOf(federation, "new")["shanghai"] === "Available");
  const { labels } = federation.member("shanghai").server.get(NAMESPACES, undefined, "new").metadata;
  expect(labels?.[MANAGED_BY_LABEL]).toBe(federation.hubId);
});
