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

test("a kind that the account may not read is named with the command that grants it, and goes on when it is granted", async () => {
  await using federation = await TestFederation.prepare("shanghai", "singapore");
  federation.member("shanghai").refuse = (verb, type) =>
    type === SERVICES && ["list", "watch"].includes(verb) ? refused(verb, type) : undefined;
  await federation.startManager();
  await federation.apply(PLACEMENTS, placement("all"));
  await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(2).port(80));
  await federation.until(() => federation.entry("shop", "shanghai")?.reason === "Forbidden");
  expect(federation.entry("shop", "shanghai")?.message).toBe(
    "services are not granted: run `meridian join shanghai --renew`",
  );
  await federation.until(() => federation.entry("shop", "singapore")?.state === "Available");
  federation.member("shanghai").refuse = () => undefined;
  await federation.untilAvailable("shop");
});

test("a kind that the account may not write is named with the command that grants it", async () => {
  await using federation = await TestFederation.prepare("shanghai");
  federation.member("shanghai").refuse = (verb, type) =>
    type === SERVICES && verb === "apply" ? refused("patch", type) : undefined;
  await federation.startManager();
  await federation.apply(PLACEMENTS, placement("all"));
  await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(2).port(80));
  await federation.until(() => federation.entry("shop", "shanghai")?.reason === "Forbidden");
  expect(federation.entry("shop", "shanghai")?.message).toBe(
    "services are not granted: run `meridian join shanghai --renew`",
  );
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
    "ServiceAccount operator: serviceaccounts are not granted: run `meridian join shanghai --renew --kinds serviceaccounts`",
  );
  await federation.pass(2_000);
  const writes = federation.hubWrites.length;
  await federation.pass(300_000);
  expect(federation.hubWrites.slice(writes)).toEqual([]);
  federation.member("shanghai").refuse = () => undefined;
  await federation.until(() => entry()?.state === "Available");
});
