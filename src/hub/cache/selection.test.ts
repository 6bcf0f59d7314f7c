import { describe, expect, test } from "vitest";
import { kindKey, type KubeObject, type ResourceSelector } from "../../apis/index.ts";
import { CONFIGMAPS, DEMOAPPLICATIONS, type ResourceType } from "../../runtime/index.ts";
import type { Policy } from "./events.ts";
import type { PlacedKind } from "./placedKinds.ts";
import { selectedBy } from "./selection.ts";

const ROLES: ResourceType = { group: "example.com", version: "v1", kind: "Role", plural: "roles", namespaced: false };
const API_VERSIONS: Readonly<Record<string, string>> = {
  DemoApplication: "paas.cmft.com/v1",
  ConfigMap: "v1",
  Role: "example.com/v1",
};

interface Held {
  kind: PlacedKind;
  /** Keys of the objects that were compared. */
  compared: string[];
}

/** A kind with these objects: `namespace/name`, or `name`, with their labels. */
function held(type: ResourceType, objects: Readonly<Record<string, Record<string, string>>>): Held {
  const compared: string[] = [];
  const informer = {
    keys: () => Object.keys(objects),
    keysByIndex: (_index: string, namespace: string) =>
      Object.keys(objects).filter((key) => key.startsWith(`${namespace}/`)),
    get: (key: string) => {
      compared.push(key);
      const labels = objects[key];
      if (labels === undefined) return undefined;
      const [name, namespace] = key.split("/").toReversed();
      const metadata = { name, ...(namespace === undefined ? {} : { namespace }), labels };
      return { apiVersion: `${type.group}/${type.version}`, kind: type.kind, metadata } as KubeObject;
    },
  };
  return { kind: { type, informer } as unknown as PlacedKind, compared };
}

const selector = (kind: string, more: Partial<ResourceSelector> = {}): ResourceSelector => ({
  apiVersion: API_VERSIONS[kind] ?? "",
  kind,
  ...more,
});

const policy = (namespace: string | undefined, ...resourceSelectors: ResourceSelector[]): Policy =>
  ({
    metadata: { name: "policy", ...(namespace === undefined ? {} : { namespace }) },
    spec: { resourceSelectors },
  }) as unknown as Policy;

function setUp() {
  const apps = held(DEMOAPPLICATIONS, {
    "team/shop": { tier: "web" },
    "team/mail": { tier: "back" },
    "other/shop": { tier: "web" },
  });
  const settings = held(CONFIGMAPS, { "team/shop": {} });
  const roles = held(ROLES, { reader: {}, writer: {} });
  const kinds = new Map([apps, settings, roles].map(({ kind }) => [kindKey(kind.type), kind]));
  const find = (object: Policy, old?: Policy) =>
    [
      ...selectedBy(
        { object, ...(old === undefined ? {} : { old }) },
        (group, kind) => kinds.get(kindKey({ group, kind })),
        ({ metadata }) => ({ namespaceLabels: { team: metadata.namespace ?? "" } }),
      ),
    ].toSorted((one, other) => (String(one) < String(other) ? -1 : 1));
  return { apps, settings, roles, find };
}

const nothingElse = (): object => ({});
const key = (name: string) => `paas.cmft.com/DemoApplication/${name}`;

describe("what a policy selects", () => {
  test.each<{ name: string; policy: Policy; want: string[] }>([
    {
      name: "of a namespace is all of the kind in it, and nothing elsewhere",
      policy: policy("team", selector("DemoApplication")),
      want: [key("team/mail"), key("team/shop")],
    },
    {
      name: "of a namespace is never in another one, whatever its selector says",
      policy: policy("team", selector("DemoApplication", { namespace: "other" })),
      want: [],
    },
    {
      name: "of the whole cluster is all of the kind",
      policy: policy(undefined, selector("DemoApplication")),
      want: [key("other/shop"), key("team/mail"), key("team/shop")],
    },
    {
      name: "of the whole cluster can be of one namespace",
      policy: policy(undefined, selector("DemoApplication", { namespace: "other" })),
      want: [key("other/shop")],
    },
    {
      name: "by name is that object, in every namespace that is meant",
      policy: policy(undefined, selector("DemoApplication", { name: "shop" })),
      want: [key("other/shop"), key("team/shop")],
    },
    {
      name: "by name that there is not is nothing",
      policy: policy("team", selector("DemoApplication", { name: "gone" })),
      want: [],
    },
    {
      name: "by label is what has it",
      policy: policy("team", selector("DemoApplication", { labelSelector: { matchLabels: { tier: "web" } } })),
      want: [key("team/shop")],
    },
    {
      name: "by name and label is what has both",
      policy: policy(
        "team",
        selector("DemoApplication", { name: "mail", labelSelector: { matchLabels: { tier: "web" } } }),
      ),
      want: [],
    },
    {
      name: "by several selectors is what any of them means, of any kind",
      policy: policy(
        "team",
        selector("DemoApplication", { name: "mail" }),
        selector("DemoApplication", { labelSelector: { matchLabels: { tier: "web" } } }),
        selector("ConfigMap"),
      ),
      want: ["/ConfigMap/team/shop", key("team/mail"), key("team/shop")],
    },
    {
      name: "of kinds without a namespace is found by name",
      policy: policy(undefined, selector("Role", { name: "reader" })),
      want: ["example.com/Role//reader"],
    },
    {
      name: "of a namespace is nothing that belongs to no namespace",
      policy: policy("team", selector("Role", { name: "reader" })),
      want: [],
    },
    {
      name: "of a kind that is not placed is nothing, beside what else it selects",
      policy: policy("team", selector("Gadget"), selector("ConfigMap")),
      want: ["/ConfigMap/team/shop"],
    },
  ])("$name", ({ policy: given, want }) => expect([...new Set(setUp().find(given))]).toEqual(want));

  test("is also what it selected before it was changed", () => {
    const before = policy("team", selector("DemoApplication", { name: "mail" }));
    const after = policy("team", selector("DemoApplication", { name: "shop" }));
    expect(setUp().find(after, before)).toEqual([key("team/mail"), key("team/shop")]);
  });

  test("by name is found without looking at anything else", () => {
    const { apps, settings, find } = setUp();
    find(policy("team", selector("DemoApplication", { name: "shop" })));
    expect(apps.compared).toEqual(["team/shop"]);
    expect(settings.compared).toEqual([]);
  });

  test.each([
    { name: "its own", selected: selector("DemoApplication") },
    {
      name: "its own, whatever namespace its selector names",
      selected: selector("DemoApplication", { namespace: "other" }),
    },
  ])("by a policy of a namespace is found without looking at a namespace but $name", ({ selected }) => {
    const { apps, find } = setUp();
    find(policy("team", selected));
    expect(apps.compared.toSorted()).toEqual(["team/mail", "team/shop"]);
  });

  test("is found with a pause after every 256 objects, whether they are selected or not", () => {
    const many = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`team/app-${index}`, {}]));
    const { kind } = held(DEMOAPPLICATIONS, many);
    const nobody = selector("DemoApplication", { labelSelector: { matchLabels: { tier: "web" } } });
    const steps = [...selectedBy({ object: policy("team", nobody) }, () => kind, nothingElse)];
    expect(steps).toEqual([undefined, undefined]);
    const all = [...selectedBy({ object: policy("team", selector("DemoApplication")) }, () => kind, nothingElse)];
    expect(all.indexOf(undefined)).toBe(255);
    expect(all.filter((one) => one !== undefined)).toHaveLength(600);
  });
});
