import { describe, expect, test } from "vitest";
import {
  DELETION_POLICY_ANNOTATION,
  type FieldsV1,
  HASH_ANNOTATION,
  type KubeObject,
  MANAGED_BY_LABEL,
  type ManagedFieldsEntry,
  OBJECT_ANNOTATION,
  OWNER_ANNOTATION,
  refKey,
} from "../../apis/index.ts";
import { observe, observeAnswer } from "./observed.ts";
import { CONFIG_REF, OWNER } from "../testing/builders.ts";

const NAME = refKey(CONFIG_REF);
const ANOTHER = refKey({ ...CONFIG_REF, name: "another" });

function entryOver(annotations: readonly string[], more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry {
  const owned: FieldsV1 = Object.fromEntries(annotations.map((annotation) => [`f:${annotation}`, {}]));
  return {
    manager: "meridian",
    operation: "Apply",
    apiVersion: "v1",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:metadata": { "f:annotations": owned } },
    ...more,
  };
}

const MARKS = [OWNER_ANNOTATION, OBJECT_ANNOTATION, HASH_ANNOTATION];

function configMap(annotations: Record<string, string>, managedFields?: ManagedFieldsEntry[]): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: "shop",
      namespace: "default",
      uid: "member-1",
      labels: { [MANAGED_BY_LABEL]: "hub" },
      annotations: { [OWNER_ANNOTATION]: JSON.stringify(OWNER), [HASH_ANNOTATION]: "h1", ...annotations },
      ...(managedFields === undefined ? {} : { managedFields }),
    },
  };
}

describe("whose an object with our label is", () => {
  test.each<{ name: string; object: KubeObject; isOurs: boolean; proven: boolean }>([
    {
      name: "ours, when we applied it under its own name",
      object: configMap({ [OBJECT_ANNOTATION]: NAME }, [entryOver(MARKS)]),
      isOurs: true,
      proven: true,
    },
    {
      name: "a stranger, when it names another object",
      object: configMap({ [OBJECT_ANNOTATION]: ANOTHER }, [
        entryOver(MARKS, { manager: "kubectl", operation: "Update" }),
      ]),
      isOurs: false,
      proven: false,
    },
    {
      name: "a stranger also when it was copied with its managedFields",
      object: configMap({ [OBJECT_ANNOTATION]: ANOTHER }, [entryOver(MARKS)]),
      isOurs: false,
      proven: false,
    },
    {
      name: "ours without proof, when somebody else brought it back under its name",
      object: configMap({ [OBJECT_ANNOTATION]: NAME }, [entryOver(MARKS, { manager: "velero", operation: "Update" })]),
      isOurs: true,
      proven: false,
    },
    {
      name: "ours without proof, when nobody says who wrote it",
      object: configMap({ [OBJECT_ANNOTATION]: NAME }),
      isOurs: true,
      proven: false,
    },
    {
      name: "ours without proof, when our entry is one of an Update",
      object: configMap({ [OBJECT_ANNOTATION]: NAME }, [entryOver(MARKS, { operation: "Update" })]),
      isOurs: true,
      proven: false,
    },
    {
      name: "ours without proof, when our entry is one of a subresource",
      object: configMap({ [OBJECT_ANNOTATION]: NAME }, [entryOver(MARKS, { subresource: "status" })]),
      isOurs: true,
      proven: false,
    },
    {
      name: "ours without proof, when somebody wrote over the owner",
      object: configMap({ [OBJECT_ANNOTATION]: NAME }, [entryOver([OBJECT_ANNOTATION, HASH_ANNOTATION])]),
      isOurs: true,
      proven: false,
    },
    {
      name: "ours, when an earlier version applied it",
      object: configMap({}, [entryOver([OWNER_ANNOTATION, HASH_ANNOTATION])]),
      isOurs: true,
      proven: true,
    },
    {
      name: "a stranger, when it names no object and we did not apply it",
      object: configMap({}, [entryOver(MARKS, { manager: "kubectl-create", operation: "Update" })]),
      isOurs: false,
      proven: false,
    },
    {
      name: "ours, when somebody wrote over the name that we applied",
      object: configMap({ [OBJECT_ANNOTATION]: ANOTHER }, [entryOver([OWNER_ANNOTATION, HASH_ANNOTATION])]),
      isOurs: true,
      proven: true,
    },
    {
      name: "ours, when the name that we applied was stripped",
      object: configMap({}, [entryOver(MARKS)]),
      isOurs: true,
      proven: true,
    },
  ])("$name", ({ object, isOurs, proven }) => expect(observe(object)).toMatchObject({ isOurs, proven }));

  test.each<{ name: string; annotation?: string; manager?: string; isOurs: boolean }>([
    { name: "a namespace that nobody says we made is a stranger", isOurs: false },
    { name: "one that says that we made it is ours", annotation: "team", isOurs: true },
    { name: "a copy of one of ours is a stranger", annotation: "other", isOurs: false },
    {
      name: "one that an earlier version made is ours",
      annotation: "federated-objects",
      manager: "meridian",
      isOurs: true,
    },
    { name: "a copy of such a one is a stranger", annotation: "federated-objects", manager: "kubectl", isOurs: false },
  ])("$name", ({ annotation, manager, isOurs }) => {
    const metadata = {
      name: "team",
      ...(annotation === undefined ? {} : { annotations: { "federation.paas.cmft.com/created-for": annotation } }),
      ...(manager === undefined ? {} : { managedFields: [{ manager, operation: "Update" as const }] }),
    };
    expect(observe({ apiVersion: "v1", kind: "Namespace", metadata })).toMatchObject({ isOurs, proven: isOurs });
  });
});

test.each([
  { annotation: undefined, want: undefined },
  { annotation: "Orphan", want: "Orphan" },
  { annotation: "anything", want: undefined },
])("a copy that says $annotation is to be left: $want", ({ annotation, want }) => {
  const annotations = annotation === undefined ? {} : { [DELETION_POLICY_ANNOTATION]: annotation };
  expect(observe(configMap({ [OBJECT_ANNOTATION]: NAME, ...annotations })).policy).toBe(want);
});

test("the replicas of a custom kind are counted where its scale subresource says", () => {
  const database: KubeObject = {
    apiVersion: "db.example.com/v1",
    kind: "Database",
    metadata: { name: "my-db", namespace: "default" },
    spec: { nodes: 3 },
    status: { ready: 2, conditions: [{ type: "Ready", status: "True" }] },
  };
  const scale = { spec: ["spec", "nodes"], status: ["status", "ready"] };
  const counted = { state: "Available", replicas: { desired: 3, updated: 2, ready: 2, available: 2 } };
  expect(observe(database, { scale }).health).toEqual(counted);
  expect(observeAnswer(database, "hub", { scale }).health).toEqual(counted);
  expect(observe(database).health.replicas).toBeUndefined();
});

describe("the answer to our own write", () => {
  test("is like what the watch brings, when it has our marks", () => {
    const answer = configMap({ [OBJECT_ANNOTATION]: NAME }, [entryOver(MARKS)]);
    expect(observeAnswer(answer, "hub")).toEqual(observe(answer));
  });

  test.each([
    { name: "without our label", change: { labels: {} } },
    { name: "with another hub's label", change: { labels: { [MANAGED_BY_LABEL]: "another" } } },
    { name: "with another name", change: { annotations: { [OBJECT_ANNOTATION]: ANOTHER } } },
  ])("$name says what is there, which no watch does", ({ change }) => {
    const answer = configMap({ [OBJECT_ANNOTATION]: NAME }, [entryOver(MARKS)]);
    const object = { ...answer, metadata: { ...answer.metadata, ...change } };
    expect(observeAnswer(object, "hub")).toMatchObject({ uid: "member-1", isOurs: true, proven: true, visible: false });
  });
});
