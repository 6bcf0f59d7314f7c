import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { isNarrower, namespacesToGrant } from "./memberNamespaces.ts";

const member = (namespaces?: string[]): KubeObject => ({
  apiVersion: "federation.paas.cmft.com/v1alpha1",
  kind: "MemberCluster",
  metadata: { name: "shanghai-1" },
  spec: { ...(namespaces === undefined ? {} : { namespaces }) },
});
const own = { namespace: "meridian-system" };

describe("the namespaces that join grants", () => {
  test.each([
    { name: "are the whole cluster, unless any are named", asked: undefined, before: undefined, want: undefined },
    { name: "are those that are named, in order", asked: ["shop", "bank"], before: undefined, want: ["bank", "shop"] },
    { name: "stay as they were", asked: undefined, before: member(["bank"]), want: ["bank"] },
    { name: "are replaced by others", asked: ["shop"], before: member(["bank"]), want: ["shop"] },
    { name: "are the whole cluster again when that is said", asked: ["*"], before: member(["bank"]), want: undefined },
  ])("$name", ({ asked, before, want }) => {
    const options = { ...own, ...(asked === undefined ? {} : { namespaces: asked }) };
    expect(namespacesToGrant(options, before)).toEqual(want);
  });

  test.each(["kube-system", "meridian-system", "vault"])("are never %s", (name) => {
    const options = { ...own, namespaces: ["shop", name], protectedNamespaces: ["vault"] };
    expect(() => namespacesToGrant(options, undefined)).toThrow(`the namespace ${name} of members`);
  });

  test.each([
    { next: undefined, before: ["a"], want: false },
    { next: ["a", "b"], before: ["a"], want: false },
    { next: ["a"], before: ["a", "b"], want: true },
    { next: ["b"], before: ["a"], want: true },
    { next: ["a"], before: undefined, want: true },
    { next: undefined, before: undefined, want: false },
  ])("are fewer than before: $before to $next is $want", ({ next, before, want }) =>
    expect(isNarrower(next, before)).toBe(want),
  );
});
