import { expect, test } from "vitest";
import type { KubeObject } from "../../../src/apis/index.ts";
import {
  ApiError,
  DEMOAPPLICATIONS,
  DEPLOYMENTS,
  PLACEMENTS,
  type ResourceType,
  SERVICEACCOUNTS,
} from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";

/** Kinds that a policy selects, and that Meridian may not read or write somewhere. */

const ACCOUNTS = { apiVersion: "v1", kind: "ServiceAccount" };
const account = (name: string): KubeObject => ({ ...ACCOUNTS, metadata: { name, namespace: "default" } });
const denied = (type: ResourceType | undefined, verb: string): Error | undefined =>
  type === SERVICEACCOUNTS
    ? new ApiError(
        403,
        "Forbidden",
        `serviceaccounts is forbidden: User "meridian" cannot ${verb} resource "serviceaccounts" in API group ""`,
      )
    : undefined;
const readyOf = (federation: TestFederation, name: string) =>
  (
    federation.hub.get(PLACEMENTS, "default", name) as KubeObject & {
      status?: { conditions?: { type: string; status: string; reason: string; message: string }[] };
    }
  ).status?.conditions?.find(({ type }) => type === "Ready");

test("a kind that the manager may not read on the hub is named by its policy, and everything else goes on", async () => {
  await using federation = await TestFederation.prepare("shanghai");
  federation.refuse = (verb, type) => (["list", "watch", "get"].includes(verb) ? denied(type, verb) : undefined);
  await federation.apply(PLACEMENTS, placement("accounts").selects({ ...ACCOUNTS, name: "builder" }));
  await federation.apply(PLACEMENTS, placement("all"));
  await federation.apply(SERVICEACCOUNTS, account("builder"));
  await federation.startManager();
  await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(1));
  await federation.untilAvailable("shop");
  await federation.until(() => readyOf(federation, "accounts")?.reason === "KindNotGranted");
  expect(readyOf(federation, "accounts")?.message).toMatch(/list serviceaccounts; .* install --kinds$/);
  expect(readyOf(federation, "all")?.status).toBe("True");
  // What goes on goes on to its end: removals wait for what is known of the hub.
  await federation.delete(DEMOAPPLICATIONS, "shop");
  await federation.until(() => !federation.member("shanghai").server.has(DEPLOYMENTS, "default", "shop"));

  federation.refuse = () => undefined;
  await federation.until(() => federation.member("shanghai").server.has(SERVICEACCOUNTS, "default", "builder"));
  await federation.until(() => readyOf(federation, "accounts")?.status === "True");
});

test("copies of a kind that the manager may not read any more stay, through a restart too", async () => {
  await using federation = await TestFederation.start("shanghai");
  await federation.apply(PLACEMENTS, placement("accounts").selects({ ...ACCOUNTS, name: "builder" }));
  await federation.apply(SERVICEACCOUNTS, account("builder"));
  const isThere = (): boolean => federation.member("shanghai").server.has(SERVICEACCOUNTS, "default", "builder");
  await federation.until(isThere);
  federation.refuse = (verb, type) => (["list", "watch", "get"].includes(verb) ? denied(type, verb) : undefined);
  await federation.restart();
  await federation.until(() => readyOf(federation, "accounts")?.reason === "KindNotGranted");
  await federation.pass(120_000);
  expect(isThere()).toBe(true);
  federation.refuse = () => undefined;
  await federation.pass(60_000);
  expect(isThere()).toBe(true);
  await federation.delete(SERVICEACCOUNTS, "builder");
  await federation.until(() => !isThere());
});
