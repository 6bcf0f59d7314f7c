import { describe, expect, test } from "vitest";
import type { FieldsV1, KubeObject, ObjectMeta } from "../../../apis/index.ts";
import type { HubEvent } from "../../../hub/index.ts";
import { changedContent, relevantAmong, isRelevant, isUntouched } from "./relevance.ts";
import type { CopySources } from "../../facts/copies.ts";

const DATA: FieldsV1 = { "f:data": { "f:a": {} } };

function configMap(name: string, metadata: Partial<ObjectMeta> = {}, a = "1"): KubeObject {
  const managedFields = [{ manager: "kubectl", fieldsV1: DATA }];
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "shop", managedFields, ...metadata },
    data: { a },
  };
}

const keyOf = ({ metadata }: KubeObject): string => `/ConfigMap/shop/${metadata.name}`;

/** A hub where objects of these names are planned, were planned, or have copies. */
function setUp({ planned = [], states = [], copies = [] }: Partial<Record<"planned" | "states" | "copies", string[]>>) {
  const named = (names: string[], key: string): boolean => names.some((name) => key === `/ConfigMap/shop/${name}`);
  return {
    hub: {
      planned: { includes: (object: KubeObject) => planned.includes(object.metadata.name) },
      object: (key: string) => (key.endsWith("/gone") ? undefined : { object: configMap(key.split("/").at(-1) ?? "") }),
    },
    states: { planOf: (key: string) => (named(states, key) ? {} : undefined) },
    observations: { naming: (key: string) => (named(copies, key) ? [{}] : []) },
  } as unknown as CopySources;
}

test.each([
  { name: "that is planned is a manager's business", given: { planned: ["a"] }, want: true },
  { name: "that was planned", given: { states: ["a"] }, want: true },
  { name: "that has copies", given: { copies: ["a"] }, want: true },
  { name: "that is like others is none", given: { planned: ["b"], states: ["c"], copies: ["d"] }, want: false },
])("an object of the hub $name", ({ given, want }) => {
  const object = configMap("a");
  expect(isRelevant(setUp(given), { key: keyOf(object), object })).toBe(want);
  expect([...relevantAmong(setUp(given), [keyOf(object)])]).toEqual(want ? [keyOf(object)] : []);
});

describe("a change of an object that is sent as it is", () => {
  const changed = (old: KubeObject | undefined, object: KubeObject): boolean =>
    changedContent({ object, ...(old === undefined ? {} : { old }) } as HubEvent<KubeObject>);

  test("is news when something else is sent, also without a generation", () => {
    expect(changed(configMap("a"), configMap("a", {}, "2"))).toBe(true);
    expect(changed(configMap("a"), configMap("a"))).toBe(false);
    expect(changed(undefined, configMap("a"))).toBe(false);
  });

  test("is news when a person takes what a controller had", () => {
    const byHub = configMap("a", { managedFields: [{ manager: "kube-controller-manager", fieldsV1: DATA }] });
    expect(changed(byHub, configMap("a"))).toBe(true);
  });

  test("is none when the status or what the server allocates has changed", () => {
    expect(changed(configMap("a"), { ...configMap("a"), status: { x: 1 }, allocated: 1 })).toBe(false);
    expect(changed(configMap("a"), configMap("a", { resourceVersion: "2", finalizers: ["x"] }))).toBe(false);
  });

  test("is told apart by the generation where Meridian renders the kind", () => {
    const application = { ...configMap("a"), apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" };
    expect(changed(application, { ...application, spec: { image: "x" } })).toBe(false);
  });
});

test("an object that is sent as it is has not been touched before a manager claims it", () => {
  expect(isUntouched(configMap("a"))).toBe(true);
  expect(isUntouched(configMap("a", { finalizers: ["federation.paas.cmft.com/member-objects"] }))).toBe(false);
  const application = { ...configMap("a"), apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" };
  expect(isUntouched(application)).toBe(false);
});

test("that is gone is, where it was planned or has copies", () => {
  const gone = "/ConfigMap/shop/gone";
  expect([...relevantAmong(setUp({ planned: ["gone"] }), [gone])]).toEqual([]);
  expect([...relevantAmong(setUp({ copies: ["gone"] }), [gone])]).toEqual([gone]);
});
