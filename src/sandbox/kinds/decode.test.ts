import { test as propertyTest, fc } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { builtinResources, kindRules } from "./index.ts";
import { create, decodeFailure, deployment, frozen, type Submission } from "./testing/objects.ts";

const decodedSpec = (spec: object) => create(deployment(spec)).object["spec"] as Record<string, unknown>;

describe("decoding as the server's decoder does", () => {
  test("empty values that Go does not write are left out, zeros behind pointers stay", () => {
    const spec = decodedSpec({ replicas: 0, paused: false, minReadySeconds: 0 });
    expect(spec).toMatchObject({ replicas: 0 });
    expect(spec).not.toHaveProperty("paused");
    expect(spec).not.toHaveProperty("minReadySeconds");
    expect(create(deployment({}, { labels: {}, annotations: null })).object.metadata).not.toHaveProperty("labels");
  });

  test("an image without a tag, or the latest, is always pulled", () => {
    const policyOf = (image: string) => {
      const template = {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "web", image }] },
      };
      const { spec } = decodedSpec({ template })["template"] as { spec: { containers: Record<string, unknown>[] } };
      return spec.containers[0]?.["imagePullPolicy"];
    };
    expect(["nginx", "nginx:latest", "host:5000/nginx", "Host.example/nginx"].map(policyOf)).toEqual(
      Array.from({ length: 4 }, () => "Always"),
    );
    expect(["nginx:1.27", "nginx@sha256:0", "host:5000/nginx:1", "UPPER"].map(policyOf)).toEqual(
      Array.from({ length: 4 }, () => "IfNotPresent"),
    );
  });

  test.each([
    {
      name: "a text for a number",
      submission: deployment({ replicas: "x" }),
      want: "spec.replicas must be an integer (int32), not a string",
    },
    {
      name: "a fraction",
      submission: deployment({ replicas: 1.5 }),
      want: "spec.replicas must be an integer (int32), not a number (1.5)",
    },
    {
      name: "a number for a label",
      submission: deployment({}, { labels: { a: 1 } }),
      want: "metadata.labels[a] must be a string, not a number (1)",
    },
    {
      name: "an object for a list",
      submission: deployment({ template: { spec: { containers: {} } } }),
      want: "spec.template.spec.containers must be a list, not an object",
    },
    {
      name: "a list for the spec",
      submission: { ...deployment(), spec: [] } as Submission,
      want: "spec must be an object, not a list",
    },
    {
      name: "no time",
      submission: deployment({}, { creationTimestamp: "foo" }),
      want: 'metadata.creationTimestamp: "foo" is no time in the form 2006-01-02T15:04:05Z',
    },
    {
      name: "a time that is not fine enough",
      submission: lease({ renewTime: "2026-01-01T00:00:00.5Z" }),
      want: 'spec.renewTime: "2026-01-01T00:00:00.5Z" is no time in the form 2006-01-02T15:04:05.000000Z',
    },
    {
      name: "no base64",
      submission: { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data: { a: "AAA*" } } as Submission,
      want: "data[a]: illegal base64 data",
    },
  ])("$name is refused, with the path to it", ({ submission, want }) => expect(decodeFailure(submission)).toBe(want));

  test("times are written in UTC", () => {
    const spec = create(lease({ renewTime: "2026-01-01T01:00:00.123456+01:00" })).object["spec"];
    expect(spec).toEqual({ renewTime: "2026-01-01T00:00:00.123456Z" });
  });

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

function lease(spec: object): Submission {
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "l" }, spec };
}
