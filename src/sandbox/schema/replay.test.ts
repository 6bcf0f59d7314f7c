import { describe, expect, test } from "vitest";
import type { KubeObject } from "../types.ts";
import { decodeError, defaultCrd, prune, resourceOfCrd, validate, validateCrd, withDefaults } from "./index.ts";
import answersOfServer from "./testdata/answers.json" with { type: "json" };
import { schemaCases } from "./testing/cases.ts";
import type { Answer, Fields, ObjectCase, SchemaCase } from "./testing/shapes.ts";

/** Replays the requests recorded from a real API server: the sandbox must give the same causes and store the same objects. */

const answers = answersOfServer as unknown as Readonly<Record<string, Answer>>;

function causesOf(errors: readonly { reason: string; field: string }[]): string[] {
  return [...new Set(errors.map(({ reason, field }) => `${reason}|${field}`))].sort();
}

function verdict(one: SchemaCase, answer: Answer): string[] {
  const { crd } = one;
  if (one.old === undefined) return causesOf(validateCrd(defaultCrd(crd)));
  const stored = answer.stored as KubeObject;
  const versions = (crd["spec"] as unknown as { versions: { name: string; storage?: boolean }[] }).versions;
  const storage = versions.find((version) => version.storage === true)?.name ?? "";
  const status = stored["status"] as unknown as { storedVersions: string[] };
  // Before validation the server adds the new storage version to status.storedVersions.
  const storedVersions = [...new Set([...status.storedVersions, storage])];
  const metadata = { ...stored.metadata, ...crd.metadata };
  const updated = { ...crd, metadata, status: { ...status, storedVersions } } as unknown as KubeObject;
  return causesOf(validateCrd(defaultCrd(updated), stored));
}

describe("a CRD is judged as by a real API server", () => {
  test.each(schemaCases)("$name", (one) => {
    const answer = answers[one.name];
    if (answer === undefined) throw new Error(`${one.name} has not been recorded`);
    expect(verdict(one, answer)).toEqual(answer.causes ?? []);
  });
});

const objects = schemaCases.flatMap((one) =>
  Object.entries(one.objects ?? {}).map(([name, given]) => ({ title: `${one.name}: ${name}`, one, name, given })),
);

describe("an object is judged as by a real API server", () => {
  test.each(objects)("$title", ({ one, name, given }) => {
    const answer = answers[one.name]?.objects?.[name];
    if (answer === undefined) throw new Error(`${name} has not been recorded`);
    expect(answerOf(one, given)).toEqual(answer);
  });
});

function answerOf({ crd, fieldValidation }: SchemaCase, given: ObjectCase): Answer {
  const resource = resourceOfCrd(crd);
  const [version] = resource.versions;
  if (version === undefined) throw new Error("the CRD has no version");
  const { schema } = version;
  const { definitions, kind } = resource;
  const whole = (fields: Fields) => ({
    apiVersion: `${resource.group}/${version.name}`,
    kind,
    ...fields,
    metadata: { name: "sample", namespace: "default", ...(fields["metadata"] as object | undefined) },
  });
  if (decodeError(schema, definitions, whole(given.object)) !== undefined) return { status: 400 };
  const { value, unknown } = prune(schema, definitions, whole(given.object));
  if (fieldValidation === "Strict" && unknown.length > 0) return { status: 400 };
  const object = withDefaults(schema, definitions, value) as Fields;
  const old =
    given.old === undefined
      ? undefined
      : withDefaults(schema, definitions, prune(schema, definitions, whole(given.old)).value);
  const errors = validate(schema, definitions, object, old);
  if (errors.length > 0) return { status: 422, causes: causesOf(errors) };
  return { status: given.old === undefined ? 201 : 200, stored: object["spec"] };
}
