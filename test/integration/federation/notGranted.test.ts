import { expect, test } from "vitest";
import type { FederatedStatus } from "../../../src/apis/index.ts";
import {
  ApiError,
  DEMOAPPLICATIONS,
  MANIFESTBUNDLES,
  PLACEMENTS,
  type ResourceType,
  SERVICEACCOUNTS,
  SERVICES,
} from "../../../src/runtime/index.ts";
import { bundle, demoApplication, operator, placement, serviceAccount } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";

const refused = (verb: string, { plural }: ResourceType): ApiError =>
  new ApiError(
    403,
    "Forbidden",
    `${plural} is forbidden: User "system:serviceaccount:meridian-system:meridian" cannot ${verb} resource "${plural}" in API group ""`,
  );

test("all kinds that the account may not read are named at once, with one command", async () => {
  await using federation = await TestFederation.prepare("shanghai");
  const missing: readonly ResourceType[] = [SERVICES, SERVICEACCOUNTS];
  federation.member("shanghai").refuse = (verb, type) =>
    type !== undefined && missing.includes(type) && ["list", "watch"].includes(verb) ? refused(verb, type) : undefined;
  await federation.startManager();
  await federation.apply(PLACEMENTS, placement("all"));
  await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(2).port(80));
  const { apiVersion, kind } = bundle("operator", []);
  await federation.apply(PLACEMENTS, placement("bundles").selects({ apiVersion, kind }));
  await federation.apply(MANIFESTBUNDLES, bundle("operator", [serviceAccount("operator")]));
  await federation.until(() => federation.entry("shop", "shanghai")?.message?.includes("serviceaccounts") === true);
  expect(federation.entry("shop", "shanghai")).toMatchObject({
    reason: "Forbidden",
    message: expect.stringMatching(
      /^not granted: serviceaccounts, services; run `meridian join shanghai --renew --kinds serviceaccounts --member-kubeconfig FILE`$/,
    ),
  });
  federation.member("shanghai").refuse = () => undefined;
  await federation.untilAvailable("shop");
});

test("a kind that the account may list, but neither watch nor write, is told of once, and goes on when it is granted", async () => {
  await using federation = await TestFederation.prepare("shanghai");
  federation.member("shanghai").refuse = (verb, type) =>
    type === SERVICEACCOUNTS && ["watch", "apply"].includes(verb) ? refused(verb, type) : undefined;
  await federation.startManager();
  const { apiVersion, kind } = bundle("operator", []);
  await federation.apply(PLACEMENTS, placement("bundles").selects({ apiVersion, kind }));
  await federation.apply(MANIFESTBUNDLES, bundle("operator", [serviceAccount("operator"), operator("operator")]));
  const entry = () => {
    const found = federation.hub.find(MANIFESTBUNDLES, "default", "operator")?.["status"] as
      | FederatedStatus
      | undefined;
    return found?.clusters?.[0];
  };
  await federation.until(() => entry()?.reason === "Forbidden");
  expect(entry()?.message).toBe(
    "ServiceAccount operator: serviceaccounts are not granted; run `meridian join shanghai --renew --kinds serviceaccounts --member-kubeconfig FILE`",
  );
  await federation.pass(2_000);
  const writes = federation.hubWrites.length;
  await federation.pass(300_000);
  expect(federation.hubWrites.slice(writes)).toEqual([]);
  federation.member("shanghai").refuse = () => undefined;
  await federation.until(() => entry()?.state === "Available");
});

const ACCOUNTS = { apiVersion: "v1", kind: "ServiceAccount" };

/** An account that a policy sends to the member, whatever becomes of it there. */
async function place(federation: TestFederation): Promise<void> {
  await federation.apply(PLACEMENTS, placement("accounts").selects({ ...ACCOUNTS, name: "builder" }));
  await federation.apply(SERVICEACCOUNTS, { ...ACCOUNTS, metadata: { name: "builder", namespace: "default" } });
}

/** What is said of it. */
const bindingOf = (federation: TestFederation): FederatedStatus | undefined =>
  federation.binding("serviceaccount.builder")?.status;

const isOnHub = (federation: TestFederation): boolean =>
  federation.hub.find(SERVICEACCOUNTS, "default", "builder") !== undefined;

/** The policy goes first, so that the object is kept as it is for a moment. */
async function remove(federation: TestFederation): Promise<void> {
  await federation.delete(PLACEMENTS, "accounts");
  await federation.until(
    () => bindingOf(federation)?.conditions?.some(({ reason }) => reason === "NoPlacement") === true,
  );
  await federation.delete(SERVICEACCOUNTS, "builder");
}

test.each([
  ["watch", "apply"],
  ["list", "watch", "get", "apply"],
])("an object of a kind that was never granted (%s) waits for nobody when it is deleted", async (...verbs) => {
  await using federation = await TestFederation.prepare("shanghai");
  federation.member("shanghai").refuse = (verb, type) =>
    type === SERVICEACCOUNTS && verbs.includes(verb) ? refused(verb === "apply" ? "patch" : verb, type) : undefined;
  await federation.startManager();
  await place(federation);
  await federation.until(() => bindingOf(federation)?.clusters?.[0]?.reason === "Forbidden");
  await remove(federation);
  await federation.until(() => !isOnHub(federation));
});

test("a copy of a kind that is granted no more is waited for, with the command that grants it", async () => {
  await using federation = await TestFederation.start("shanghai");
  await place(federation);
  const isThere = (): boolean => federation.member("shanghai").server.has(SERVICEACCOUNTS, "default", "builder");
  await federation.until(() => isThere() && bindingOf(federation)?.clusters?.[0]?.observedHash !== undefined);
  await federation.stopManager();
  federation.member("shanghai").refuse = (verb, type) =>
    type === SERVICEACCOUNTS ? refused(verb === "apply" ? "patch" : verb, type) : undefined;
  await federation.startManager();
  await federation.until(() => bindingOf(federation)?.clusters?.[0]?.reason === "Forbidden");
  await remove(federation);
  await federation.pass(60_000);
  expect([isOnHub(federation), isThere()]).toEqual([true, true]);
  const said = bindingOf(federation)?.conditions ?? [];
  expect(said.find(({ type }) => type === "Progressing")?.message).toContain(
    "serviceaccounts are not granted; run `meridian join shanghai --renew --kinds serviceaccounts…",
  );
  expect(said.find(({ type }) => type === "Scheduled")).toMatchObject({ reason: "Deleting", message: "" });
  federation.member("shanghai").refuse = () => undefined;
  await federation.until(() => !isOnHub(federation));
  expect(isThere()).toBe(false);
});
