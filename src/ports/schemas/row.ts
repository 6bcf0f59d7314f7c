import { z } from "zod";
import type { ApplyRow, DeleteRow, DesiredObject, HoldRow, ReleaseRow, Row } from "../../desiredstate/index.ts";
import { anyValue, end, fieldsV1, kubeObject, listOf, mapOf, objectRef, ownerRef, text, texts, why } from "./parts.ts";
import { schemaOf } from "./sameShape.ts";

const reportTerms = schemaOf<NonNullable<DesiredObject["reporting"]>>()(
  z.strictObject({
    health: z.strictObject({ available: text.exactOptional(), failed: text.exactOptional() }).exactOptional(),
    withStatus: z.literal(true).exactOptional(),
  }),
);

const policy = z.strictObject({ kind: text, namespace: text.exactOptional(), name: text });

const overrides = schemaOf<NonNullable<DesiredObject["overrides"]>>()(
  z.strictObject({
    policies: listOf(policy),
    superseded: listOf(z.strictObject({ policy, by: policy })),
    patches: listOf(
      z.strictObject({
        policy,
        rule: z.int(),
        patch: z.int(),
        kind: text.exactOptional(),
        path: text,
      }),
    ),
  }),
);

const namespaceLabels = mapOf(text);

const baseFields = {
  cluster: text,
  ref: objectRef,
  owner: ownerRef,
  role: z.enum(["rendered", "dependency"]),
  phase: z.number().exactOptional(),
  reporting: reportTerms.exactOptional(),
  run: text.exactOptional(),
  done: end.exactOptional(),
};

/** Fields of a {@link DesiredObject} that only an Apply row has. */
const contentFields = {
  object: kubeObject,
  hash: text,
  unretained: kubeObject.exactOptional(),
  unwritten: fieldsV1.exactOptional(),
  hubOwned: listOf(z.strictObject({ elements: texts, value: anyValue })).exactOptional(),
  overrides: overrides.exactOptional(),
  held: why.exactOptional(),
};

const otherApplyRow: z.ZodType<ApplyRow> = z.lazy(() => applyRow);

const applyRow = schemaOf<ApplyRow>()(
  z.strictObject({
    ...baseFields,
    ...contentFields,
    verb: z.literal("Apply"),
    hubVersion: text.exactOptional(),
    conflictResolution: z.enum(["Abort", "Adopt"]),
    namespaceLabels: namespaceLabels.exactOptional(),
    alternatives: listOf(otherApplyRow).exactOptional(),
  }),
);

const holdRow = schemaOf<HoldRow>()(
  z.strictObject({
    ...baseFields,
    verb: z.literal("Hold"),
    why,
    hash: text.exactOptional(),
    wanted: z.boolean(),
    unplaced: z.literal(true).exactOptional(),
    confirm: z.literal(true).exactOptional(),
    namespaceLabels: namespaceLabels.exactOptional(),
  }),
);

const deleteRow = schemaOf<DeleteRow>()(
  z.strictObject({
    ...baseFields,
    verb: z.literal("Delete"),
    uid: text,
    why,
    agreed: z.literal(true).exactOptional(),
    keepsClaims: z.literal(true).exactOptional(),
  }),
);

const releaseRow = schemaOf<ReleaseRow>()(
  z.strictObject({ ...baseFields, verb: z.literal("Release"), uid: text, why }),
);

export const row = schemaOf<Row>()(z.discriminatedUnion("verb", [applyRow, holdRow, deleteRow, releaseRow]));
