import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FIELD_MANAGER, type KubeObject, parseApiVersion } from "../../src/apis/index.ts";
import { isPropagated, isSummedUp, statusSum } from "../../src/interpreter/index.ts";
import { type ControlPlane, startControlPlane } from "../envtest/index.ts";
import { REPORTED_JOBS } from "./reportedJobs.ts";
import { REPORTED, T } from "./reportedStatuses.ts";
import { writtenCollection, writtenPath } from "./sentObjects.ts";

/**
 * The sum of real statuses of every built-in kind that has one is an object that a real API server takes, whatever came before, and means what a
 * person expects of it.
 */

const CASES = { ...REPORTED, ...REPORTED_JOBS };

let hub: ControlPlane;

// Without controllers, which would write the statuses themselves.
beforeAll(async () => {
  hub = await startControlPlane({ name: "hub", controllerManager: false });
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace: "default" } };
  await hub.api.create(writtenCollection(account), account);
});
afterAll(() => hub?.[Symbol.asyncDispose]());

describe("the API server takes the sum of the statuses of", () => {
  test.each(Object.entries(CASES))("%s", async (_, { object, reports, want }) => {
    const path = writtenPath(object);
    await hub.api.create(writtenCollection(object), object);
    for (const statuses of reports) {
      const live = await hub.api.get(path);
      const members = statuses.map((status, index) => ({ cluster: `member-${index}`, status, isCurrent: true }));
      const sum = statusSum(live, members, Date.parse(T(50)));
      const { name, namespace } = object.metadata;
      const body = { apiVersion: object.apiVersion, kind: object.kind, metadata: { name, namespace }, status: sum };
      const answer = await hub.api.request<KubeObject>("PATCH", `${path}/status?fieldManager=${FIELD_MANAGER}`, body, {
        contentType: "application/apply-patch+yaml",
      });
      expect(answer).toMatchObject({ status: 200 });
      expect(isSummedUp(answer.body, sum ?? {}, FIELD_MANAGER)).toBe(true);
    }
    expect(await hub.api.get(path)).toMatchObject({ status: want });
  });
});

/** Kinds whose status the hub's own server or controllers write, so that Meridian leaves the status alone (StatusOwnedByOthers). */
const THE_HUBS_OWN: ReadonlySet<string> = new Set([
  "CustomResourceDefinition",
  "FlowSchema",
  "PriorityLevelConfiguration",
  "ResourceQuota",
  "ServiceCIDR",
  "ValidatingAdmissionPolicy",
]);

test("no built-in kind with a status is missing here", async () => {
  const { groups } = await hub.api.get<{ groups: { name: string; preferredVersion: { groupVersion: string } }[] }>(
    "/apis",
  );
  const paths = ["/api/v1", ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)];
  const lists = await Promise.all(
    paths.map((path) => hub.api.get<{ groupVersion: string; resources: { name: string; kind: string }[] }>(path)),
  );
  const tried = new Set(Object.values(CASES).map(({ object }) => object.kind));
  const missing = lists.flatMap(({ groupVersion, resources }) => {
    const { group } = parseApiVersion(groupVersion);
    const placeable = resources.filter(({ name, kind }) => name.endsWith("/status") && isPropagated({ group, kind }));
    return placeable.map(({ kind }) => kind).filter((kind) => !tried.has(kind) && !THE_HUBS_OWN.has(kind));
  });
  expect(missing).toEqual([]);
});
