import { describe, expect, test } from "vitest";
import {
  CLUSTERPLACEMENTS,
  DEMOAPPLICATIONS,
  MEMBERCLUSTERS,
  NETWORKPOLICIES,
  PLACEMENTS,
  PRIORITYCLASSES,
  type ResourceType,
} from "../../runtime/index.ts";
import type { Item } from "./state.ts";
import { describeHeld } from "./waiting.ts";
import { count, describeGuarded, describeStep, some } from "./words.ts";

function item(type: ResourceType, name: string, namespace?: string): Item {
  const life = { uid: name, deleting: false, finalizers: [], guarded: true };
  return { type, name, ...(namespace === undefined ? {} : { namespace }), ...life };
}
const apps = (many: number) =>
  Array.from({ length: many }, (_, index) => item(DEMOAPPLICATIONS, `app-${index}`, "shop"));
const orphan = { objects: "Orphan", keepCrds: false } as const;

describe("words", () => {
  test("count kinds, one or more of each, with English plurals", () => {
    const items = [...apps(2), item(PLACEMENTS, "p", "shop"), item(CLUSTERPLACEMENTS, "c"), item(MEMBERCLUSTERS, "m")];
    expect(count(items)).toBe("2 demoapplications, 1 placement, 1 clusterplacement and 1 membercluster");
    const two = (type: ResourceType) => [item(type, "a"), item(type, "b")];
    expect(count([...two(NETWORKPOLICIES), ...two(PRIORITYCLASSES)])).toBe("2 networkpolicies and 2 priorityclasses");
  });

  test("name the first few of many", () => {
    expect(some(apps(2))).toBe("demoapplication shop/app-0 and demoapplication shop/app-1");
    expect(some(apps(12))).toMatch(/^demoapplication shop\/app-0, .*shop\/app-4 and 7 more$/);
  });

  test("give the command that takes the protection off", () => {
    expect(describeGuarded([item(DEMOAPPLICATIONS, "web", "shop")], "l")).toContain(
      "kubectl label demoapplication web -n shop l-",
    );
    expect(describeGuarded([item(MEMBERCLUSTERS, "m")], "l")).toContain("kubectl label membercluster m l-");
  });

  test("say what becomes of what runs", () => {
    expect(describeStep({ do: "Delete", stage: "applications", items: apps(3) }, orphan)).toBe(
      "delete 3 demoapplications; their member objects are left running",
    );
    expect(describeStep({ do: "Done" }, orphan)).toBeUndefined();
  });
});

describe("what holds an object back", () => {
  const base = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" };

  test("are the members of its status, with the reason", () => {
    const unreached = { name: "b", state: "Unknown", reason: "ClusterUnreachable" };
    const named = (name: string) => ({ ...base, metadata: { namespace: "shop", name } });
    const web = { ...named("web"), status: { clusters: [{ name: "a", state: "Removing" }, unreached] } };
    expect(describeHeld([web, named("api")])).toBe(
      "demoapplication shop/web and 1 more; shop/web waits for a (Removing), b (ClusterUnreachable)",
    );
  });

  test("are else its finalizers, and else nothing is said", () => {
    const metadata = { name: "x", finalizers: ["example.com/backup"] };
    expect(describeHeld([{ ...base, metadata }])).toBe("demoapplication x; x waits for example.com/backup");
    expect(describeHeld([{ ...base, metadata: { name: "x" } }])).toBe("demoapplication x");
    expect(describeHeld([])).toBe("");
  });
});
