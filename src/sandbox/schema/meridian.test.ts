import { describe, expect, test } from "vitest";
import { BAD_OBJECTS } from "../../../test/builders/badObjects.ts";
import { GOOD_OBJECTS } from "../../../test/builders/goodObjects.ts";
import { customResourceDefinitions } from "../../apis/index.ts";
import type { KubeObject, Resource, ResourceVersion } from "../types.ts";
import { defaultCrd, prune, resourceOfCrd, validate, validateCrd, withDefaults } from "./index.ts";

/** Meridian's own CRDs, with the objects that a real API server takes and refuses. */

const crds = customResourceDefinitions() as unknown as readonly KubeObject[];
const resources = crds.map(resourceOfCrd);

function find({ apiVersion, kind }: KubeObject): { resource: Resource; version: ResourceVersion } {
  const resource = resources.find((one) => one.kind === kind);
  const version = resource?.versions.find(({ name }) => apiVersion === `${resource.group}/${name}`);
  if (resource === undefined || version === undefined) throw new Error(`no ${kind} of ${apiVersion}`);
  return { resource, version };
}

function checked(object: KubeObject) {
  const { resource, version } = find(object);
  const { value, unknown } = prune(version.schema, resource.definitions, object);
  const whole = withDefaults(version.schema, resource.definitions, value);
  return { unknown, errors: validate(version.schema, resource.definitions, whole) };
}

test.each(crds.map((crd) => ({ name: crd.metadata.name, crd })))("$name is a sound CRD", ({ crd }) => {
  expect(validateCrd(defaultCrd(crd))).toEqual([]);
});

test.each([...GOOD_OBJECTS])("takes $name", ({ object }) => {
  expect(checked(object)).toEqual({ unknown: [], errors: [] });
});

describe("refuses, and names the field", () => {
  test.each([...BAD_OBJECTS])("$name", ({ object, field }) => {
    const { unknown, errors } = checked(object);
    const named = [...unknown, ...errors.map((error) => error.field)];
    const said = errors.map(({ message }) => message);
    expect(named.includes(field) || said.some((message) => message.includes(field)), JSON.stringify(errors)).toBe(true);
  });
});

test("a connection cannot be added to a MemberCluster nor taken away", () => {
  const cluster = (connection: object) =>
    ({
      apiVersion: "federation.paas.cmft.com/v1alpha1",
      kind: "MemberCluster",
      metadata: { name: "hub" },
      spec: { connection },
    }) as unknown as KubeObject;
  const { resource, version } = find(cluster({}));
  const errors = validate(
    version.schema,
    resource.definitions,
    cluster({ kubeconfigSecretRef: { name: "hub" } }),
    cluster({ local: {} }),
  );
  expect(errors).toEqual([
    expect.objectContaining({ field: "spec.connection", message: expect.stringContaining("local:") as string }),
  ]);
});
