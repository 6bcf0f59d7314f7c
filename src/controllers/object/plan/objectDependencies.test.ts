import { expect, test } from "vitest";
import { placementObject } from "../../../../test/builders/policyObjects.ts";
import { type KubeObject, type ObjectSetting, type Placement, refKey, refOf } from "../../../apis/index.ts";
import type { HubState } from "../../../desiredstate/index.ts";
import type { HubCache, PlacedKind } from "../../../hub/index.ts";
import { type Dependency, placeableKindOf } from "../../../interpreter/index.ts";
import { DEMOAPPLICATIONS, DEPLOYMENTS } from "../../../runtime/index.ts";
import type { Collected, DependencyWatches } from "../../facts/dependencies.ts";
import { declaredOf, resolvedOf } from "./objectDependencies.ts";

const secret = (name: string): Dependency => ({
  ref: { apiVersion: "v1", kind: "Secret", namespace: "default", name },
  optional: false,
  readByPods: true,
});
const PASSWORD = secret("password");
const DEPLOYMENT: KubeObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "shop", namespace: "default", uid: "u" },
  spec: { secretName: "declared" },
};

interface Given {
  object?: KubeObject;
  /** Specs of the policies that select the object, without their selectors. */
  policies?: readonly object[];
  recorded?: readonly string[];
  setting?: ObjectSetting;
  /** Dependencies on the hub; undefined while they are being read. */
  collected?: Collected | undefined;
}

/** An object that refers to a Secret. `said`: the requests for its dependencies. */
function setUp({ object = DEPLOYMENT, policies = [], recorded = [], setting = {}, ...given }: Given = {}) {
  const { apiVersion, kind } = object;
  const type = kind === "Deployment" ? DEPLOYMENTS : DEMOAPPLICATIONS;
  const interpreter = { ...placeableKindOf(type.group, kind), dependencies: () => [PASSWORD] };
  const found = { object, kind: { type, interpreter, propagated: kind === "Deployment" } as unknown as PlacedKind };
  const placements = policies.map(
    (spec) => placementObject({ resourceSelectors: [{ apiVersion, kind }], ...spec }) as unknown as Placement,
  );
  const owner = refKey(refOf(object));
  const said: unknown[] = [];
  const hub = {
    object: (key: string) => (key === owner ? found : undefined),
    allPlacements: () => placements,
    planned: { settingOf: (one: KubeObject) => (one === object ? setting : {}) },
    catalog: {
      isRequired: (one: unknown) => one === DEMOAPPLICATIONS,
      need: (needed: readonly Dependency[]) => void said.push(["the hub needs", ...namesOf(needed)]),
    },
  } as unknown as HubCache;
  const hubState = {
    object: () => object,
    statusOf: () => {
      said.push("the record is read");
      return { clusters: recorded.map((name) => ({ name })) };
    },
    memberClusters: () => [],
  } as unknown as HubState;
  const collect = (asking: string, needed: readonly Dependency[]): Collected | undefined => {
    said.push([asking, "asks for", ...namesOf(needed)]);
    return "collected" in given
      ? given.collected
      : { found: new Map(), unreadable: new Set(), needed: [...needed, secret("in its turn")] };
  };
  const sources = { hub, hubState, dependencies: { collect } as unknown as DependencyWatches };
  return {
    ...{ said, owner, placements },
    asked: () => declaredOf(sources, owner, found),
    known: () => resolvedOf(sources, owner, found),
  };
}

const namesOf = (needed: readonly Dependency[]): string[] => needed.map(({ ref }) => ref.name);

test.each<{ name: string; want: string[]; reads: boolean } & Given>([
  { name: "is nothing while nobody places it and it runs nowhere", want: [], reads: true },
  { name: "is asked for while it runs somewhere", recorded: ["a"], want: ["password"], reads: true },
  { name: "is asked for where a policy places it", policies: [{}], want: ["password"], reads: false },
])("what an object asks for beside it $name", ({ name: _, want, reads, ...given }) => {
  const { asked, placements, said } = setUp(given);
  const { choice, needs } = asked();
  expect(namesOf(needs.dependencies)).toEqual(want);
  expect(choice).toEqual({ placement: placements[0], passedOver: [] });
  expect(said).toEqual(reads ? ["the record is read"] : []);
});

test("goes by the policy that selects it, by its namespace too", () => {
  const selector = { apiVersion: "apps/v1", kind: "Deployment" };
  const byTeam = {
    resourceSelectors: [{ ...selector, namespaceSelector: { matchLabels: { team: "shop" } } }],
  };
  const chosen = (setting: ObjectSetting) => setUp({ policies: [byTeam], setting }).asked().choice.placement;
  expect(chosen({ namespaceLabels: { team: "shop" } })).toBeDefined();
  expect(chosen({ namespaceLabels: { team: "cart" } })).toBeUndefined();
});

test("is nothing while something that it needs is being read, and the hub is told of nothing", () => {
  const { known, said, owner } = setUp({ policies: [{}], collected: undefined });
  expect(known()).toBeUndefined();
  expect(said).toEqual([[owner, "asks for", "password"]]);
});

test("keeps what is wrong with what the policy declares", () => {
  const fields = [{ kind: "Secret", path: "spec" }];
  const { known } = setUp({ policies: [{ dependencies: { mode: "Auto", fields } }] });
  expect(known()?.needs).toMatchObject({ problem: { reason: "DependencyUnresolved" } });
});
