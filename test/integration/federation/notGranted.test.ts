import { expect, test } from "vitest";
import { ApiError, DEMOAPPLICATIONS, PLACEMENTS, type ResourceType, SERVICES } from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
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
  await federation.until(() => federation.entry("shop", "shanghai")?.reason === "NotObserved");
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
