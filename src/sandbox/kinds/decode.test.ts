import { test as propertyTest, fc } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { builtinResources, kindRules } from "./index.ts";
import { decodeFailure, deployment, frozen } from "./testing/objects.ts";

describe("decoding as the server's decoder does", () => {
  const scalars = fc.oneof(
    fc.constantFrom(null, "", 0, false, true, "x", 1, [], {}),
    fc.integer({ min: -3, max: 3 }),
    fc.string({ maxLength: 3 }),
  );
  const anySpec = fc.dictionary(
    fc.constantFrom("replicas", "paused", "selector", "template", "strategy", "unknown", "minReadySeconds"),
    fc.oneof(
      scalars,
      fc.dictionary(fc.constantFrom("spec", "type", "matchLabels", "metadata", "rollingUpdate"), scalars),
    ),
  );
  propertyTest.prop([anySpec])("decoding twice gives what decoding once gave, and changes no input", (spec) => {
    const submission = deployment(spec);
    if (decodeFailure(submission) !== "") return;
    const rules = kindRules("apps", "deployments");
    const once = rules.defaults(frozen(submission) as never, "apps/v1");
    expect(rules.defaults(frozen(once), "apps/v1")).toEqual(once);
  });

  test.each(
    builtinResources().flatMap(({ group, plural, versions, kind }) =>
      versions.map(({ name }) => ({ group, plural, name, kind })),
    ),
  )("an empty $kind of $group/$name can be decoded, twice with the same result", ({ group, plural, name, kind }) => {
    const rules = kindRules(group, plural);
    const apiVersion = group === "" ? name : `${group}/${name}`;
    const once = rules.defaults(frozen({ apiVersion, kind, metadata: { name: "x" } }), apiVersion);
    expect(once).toMatchObject({ apiVersion, kind, metadata: { name: "x" } });
    expect(rules.defaults(frozen(once), apiVersion)).toEqual(once);
  });
});
