import { describe, expect, test } from "vitest";
import type { OverrideRule } from "../apis/index.ts";
import { blamedPatch, effectOf } from "./effect.ts";
import { from } from "./testing.ts";
import type { MatchedRule, OverrideEffect, PatchName } from "./types.ts";

const policy = (name: string): object => ({ kind: "OverridePolicy", namespace: "default", name });
/** Effect of the policies `a`, `b` and so on, with one rule each. */
const effect = (...rules: OverrideRule[]): OverrideEffect =>
  effectOf(rules.flatMap((rule, at): MatchedRule[] => from("abcdef"[at] ?? "", rule)));
/** Names of the policies that still decide a setting. */
const deciding = (...rules: OverrideRule[]): string =>
  effect(...rules)
    .policies.map(({ name }) => name)
    .join("");

describe("what a rule sets", () => {
  const settings: [string, OverrideRule][] = [
    ["replicas", { replicas: 1 }],
    ["the registry", { image: { registry: "r.cn" } }],
    ["the repository", { image: { repository: "team/web" } }],
    ["the tag", { image: { tag: "1" } }],
    ["the command", { command: ["x"] }],
    ["the arguments", { args: ["x"] }],
    ["a variable", { env: [{ name: "x", value: "1" }] }],
    ["a label", { labels: { x: "1" } }],
    ["another label", { labels: { y: "1" } }],
    ["an annotation", { annotations: { x: "1" } }],
  ];

  test.each(settings)("is set anew by a rule that sets %s again", (_name, rule) => {
    expect(effect(rule, { ...rule })).toStrictEqual({
      policies: [policy("b")],
      superseded: [{ policy: policy("a"), by: policy("b") }],
      patches: [],
    });
  });

  test.each(settings)("is set anew by nothing else than a rule that sets %s", (_name, rule) => {
    for (const [name, other] of settings)
      expect([name, deciding(rule, other)]).toEqual([name, other === rule ? "b" : "ab"]);
  });

  test("is a tag or a digest, which take each other's place", () => {
    const [tag, digest] = [{ image: { tag: "1" } }, { image: { digest: "sha256:0" } }];
    expect([deciding(tag, digest), deciding(digest, tag), deciding(digest, digest)]).toEqual(["b", "b", "b"]);
  });

  test("is lost to the policy that sets it anew, not to a later one that sets more", () => {
    const label = { labels: { x: "1" } };
    const found = effect(label, label, { replicas: 1 });
    expect(found.policies).toEqual([policy("b"), policy("c")]);
    expect(found.superseded).toEqual([{ policy: policy("a"), by: policy("b") }]);
    expect(deciding({ replicas: 1, ...label }, { replicas: 2 })).toBe("ab");
    const rules = from("a", label);
    expect(effectOf(rules)).toBe(effectOf(rules));
  });

  test("is kept by whoever patches beside it", () => {
    const patches: OverrideRule["patches"] = [{ op: "remove", path: "/spec/x" }];
    expect(deciding({ replicas: 1, patches }, { replicas: 2 })).toBe("ab");
    expect(deciding({ replicas: 1 }, { replicas: 2, patches })).toBe("b");
    expect(deciding({ patches }, { patches })).toBe("ab");
  });

  test("may be nothing, which nobody can set anew", () => expect(deciding({}, { labels: { x: "1" } })).toBe("ab"));
});

test("patches are named by their policy, rule and place, less those that only test", () => {
  const rules = from(
    "a",
    { replicas: 1 },
    {
      patches: [
        { op: "test", path: "/spec/x", value: 1 },
        { op: "remove", path: "/spec/x" },
        { kind: "Service", op: "add", path: "/spec/y", value: 1 },
      ],
    },
  );
  expect(effectOf(rules).patches).toStrictEqual([
    { policy: policy("a"), rule: 1, patch: 1, path: "/spec/x" },
    { policy: policy("a"), rule: 1, patch: 2, path: "/spec/y", kind: "Service" },
  ]);
});

describe("the patch to blame", () => {
  const patches = (...paths: string[]): PatchName[] =>
    paths.map((path, patch) => ({ policy: { kind: "OverridePolicy", name: "a" }, rule: 0, patch, path }));
  const blamed = (path: string, ...fields: string[]): boolean =>
    blamedPatch({ patches: patches(path) }, "Deployment", fields) !== undefined;

  test.each<[string, string, string]>([
    ["an item that the server names by its key", "/spec/containers/0/image", '.spec.containers[name="shop"].image'],
    ["a key with a slash and dots", "/metadata/labels/app.io~1name", "metadata.labels.app.io/name"],
    ["the address of a Service by its other name", "/spec/clusterIP", "spec.clusterIPs"],
    ["a field whose name ends with a number", "/spec/v1/x", ".spec.v1.x"],
    ["an item far down a list", "/spec/ports/10/port", "spec.ports[10].port"],
    ["a key with a tilde", "/metadata/labels/a~0b", "metadata.labels.a~b"],
    ["a key with what looks like a slash", "/metadata/labels/a~01b", "metadata.labels.a~1b"],
    ["an item at the end of a list", "/spec/ports/-/port", "spec.ports[3].port"],
    ["a field of the top", "/spec", ".spec"],
    ["a field below the top", "/spec", ".spec.replicas"],
    ["the parent of a field", "/spec/a/b/c", "spec.a"],
  ])("is that of %s", (_name, path, field) => expect(blamed(path, field)).toBe(true));

  test.each<[string, string, string]>([
    ["another item of the same depth", "/spec/v1/x", ".spec.v2.x"],
    ["all of the object", "/spec", ""],
    ["a longer name", "/spec/a", ".spec.ab"],
    ["a field above, of which all is refused", "/spec/a", "spec"],
  ])("is not that of %s", (_name, path, field) => expect(blamed(path, field)).toBe(false));

  test("is one that leads to any of the fields", () => {
    expect(blamed("/spec/a", "spec.b", "spec.a")).toBe(true);
    expect(blamed("/spec/a", "spec.a", "spec.b")).toBe(true);
    expect(blamed("/spec/a", "spec.b", "spec.c")).toBe(false);
    expect(blamed("/spec/a")).toBe(false);
  });

  test("is the last, of that kind or of every kind", () => {
    const all = patches("/spec/a", "/spec/a", "/spec/b").map((patch, at) =>
      at === 1 ? { ...patch, kind: "Job" } : patch,
    );
    const of = (kind: string) => blamedPatch({ patches: all }, kind, ["spec.a"])?.patch;
    expect([of("Deployment"), of("Job")]).toEqual([0, 1]);
    expect(blamedPatch({ patches: [] }, "Job", ["spec.a"])).toBeUndefined();
  });
});
