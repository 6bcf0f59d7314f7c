import { describe, expect, test } from "vitest";
import type { OverrideRule } from "../apis/index.ts";
import { blamedPatch, effectOf } from "./effect.ts";
import type { MatchedRule, PolicyRef } from "./types.ts";

function from(name: string, ...rules: OverrideRule[]): MatchedRule[] {
  const policy: PolicyRef = { kind: "OverridePolicy", namespace: "default", name };
  return rules.map((rule, index) => ({ policy, index, rule }));
}

const patchOf = (path: string, kind?: string): OverrideRule => ({
  patches: [{ op: "replace", path, value: 1, ...(kind === undefined ? {} : { kind }) }],
});

describe("which policies have a say in the result", () => {
  interface Case {
    name: string;
    rules: MatchedRule[];
    want: string[];
    superseded?: [string, string][];
  }
  test.each<Case>([
    { name: "none", rules: [], want: [] },
    {
      name: "each that sets something of its own, in order",
      rules: [...from("a", { replicas: 1 }), ...from("b", { args: ["x"] })],
      want: ["a", "b"],
    },
    {
      name: "not one whose only setting is set again later",
      rules: [...from("a", { replicas: 1 }), ...from("b", { replicas: 2 })],
      want: ["b"],
      superseded: [["a", "b"]],
    },
    {
      name: "one of whose settings another remains",
      rules: [...from("a", { replicas: 1, labels: { tier: "web" } }), ...from("b", { replicas: 2 })],
      want: ["a", "b"],
    },
    {
      name: "a variable of another name is another setting",
      rules: [
        ...from("a", { env: [{ name: "A", value: "1" }] }),
        ...from("b", { env: [{ name: "B", value: "1" }] }),
        ...from("c", { env: [{ name: "B", value: "2" }] }),
      ],
      want: ["a", "c"],
      superseded: [["b", "c"]],
    },
    {
      name: "a digest is set in the place of a tag",
      rules: [...from("a", { image: { tag: "1" } }), ...from("b", { image: { digest: "sha256:0" } })],
      want: ["b"],
      superseded: [["a", "b"]],
    },
    {
      name: "a policy does not lose to itself",
      rules: from("a", { replicas: 1 }, { replicas: 2 }),
      want: ["a"],
    },
    {
      name: "patches are no settings: each of them counts",
      rules: [...from("a", patchOf("/spec/x")), ...from("b", patchOf("/spec/x"))],
      want: ["a", "b"],
    },
    {
      name: "several lose",
      rules: [...from("a", { command: ["x"] }), ...from("b", { command: ["y"] }), ...from("c", { command: ["z"] })],
      want: ["c"],
      superseded: [
        ["a", "c"],
        ["b", "c"],
      ],
    },
  ])("$name", ({ rules, want, superseded = [] }) => {
    const effect = effectOf(rules);
    expect(effect.policies.map(({ name }) => name)).toEqual(want);
    expect(effect.superseded.map(({ policy, by }) => [policy.name, by.name])).toEqual(superseded);
    expect(effectOf(rules)).toBe(effect);
  });
});

describe("the patch to blame for a field that a member refuses", () => {
  interface Case {
    name: string;
    patches: [path: string, kind?: string][];
    fields: string[];
    want: number | undefined;
  }
  test.each<Case>([
    { name: "the very field", patches: [["/spec/replicas"]], fields: [".spec.replicas"], want: 0 },
    { name: "a field within the value", patches: [["/spec/strategy"]], fields: ["spec.strategy.type"], want: 0 },
    {
      name: "an item of a list, which the server names by its key",
      patches: [["/spec/template/spec/containers/0/image"]],
      fields: ['.spec.template.spec.containers[name="shop"].image'],
      want: 0,
    },
    { name: "an item added at the end", patches: [["/spec/ports/-"]], fields: ["spec.ports[1].port"], want: 0 },
    { name: "the list of the item", patches: [["/spec/ports/0/port"]], fields: [".spec.ports"], want: 0 },
    {
      name: "a key with a slash and dots",
      patches: [["/metadata/labels/app.kubernetes.io~1name"]],
      fields: ["metadata.labels.app.kubernetes.io/name"],
      want: 0,
    },
    { name: "the last of several", patches: [["/spec/a"], ["/spec/a"]], fields: [".spec.a"], want: 1 },
    { name: "one of another kind is not", patches: [["/spec/a", "Service"]], fields: [".spec.a"], want: undefined },
    {
      name: "a Service's address by its other name",
      patches: [["/spec/clusterIP"]],
      fields: ["spec.clusterIPs"],
      want: 0,
    },
    { name: "another field is not", patches: [["/spec/replica"]], fields: [".spec.replicas"], want: undefined },
    { name: "the whole spec says too little", patches: [["/spec/a"]], fields: ["spec"], want: undefined },
    { name: "no field, no blame", patches: [["/spec/a"]], fields: [], want: undefined },
    { name: "no patch, no blame", patches: [], fields: [".spec.a"], want: undefined },
  ])("$name", ({ patches, fields, want }) => {
    const rules = from("p", ...patches.map(([path, kind]) => patchOf(path, kind)));
    expect(blamedPatch(effectOf(rules), "Deployment", fields)?.rule).toBe(want);
  });

  test("a test writes nothing", () => {
    const rules = from("p", { patches: [{ op: "test", path: "/spec/a", value: 1 }] });
    expect(blamedPatch(effectOf(rules), "Deployment", [".spec.a"])).toBeUndefined();
  });
});
