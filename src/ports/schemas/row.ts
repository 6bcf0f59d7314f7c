import { z } from "zod";
import type { ApplyRow, DeleteRow, DesiredObject, HoldRow, ReleaseRow, Row } from "../../desiredstate/index.ts";
import { anyValue, end, fieldsV1, kubeObject, mapOf, objectRef, ownerRef, texts, why } from "./parts.ts";
import { schemaOf } from "./sameShape.ts";

const reportTerms = schemaOf<NonNullable<DesiredObject["reporting"]>>()(
  z.strictObject({
    health: z
      .strictObject({ available: z.string().exactOptional(), failed: z.string().exactOptional() })
      .exactOptional(),
    withStatus: z.literal(true).exactOptional(),
  }),
);

const policy = z.strictObject({ kind: z.string(), namespace: z.string().exactOptional(), name: z.string() });

const overrides = schemaOf<NonNullable<DesiredObject["overrides"]>>()(
  z.strictObject({
    policies: z.array(policy),
    superseded: z.array(z.strictObject({ policy, by: policy })),
    patches: z.array(
      z.strictObject({
        policy,
        rule: z.int(),
        patch: z.int(),
        kind: z.string().exactOptional(),
        path: z.string(),
      }),
    ),
  }),
);

const namespaceLabels = mapOf(z.string());

const baseFields = {
  cluster: z.string(),
  ref: objectRef,
  owner: ownerRef,
  role: z.enum(["rendered", "dependency"]),
  phase: z.number().exactOptional(),
  reporting: reportTerms.exactOptional(),
  run: z.string().exactOptional(),
  done: end.exactOptional(),
};

/** Fields of a {@link DesiredObject} that only an Apply row has. */
const contentFields = {
  object: kubeObject,
  hash: z.string(),
  unretained: kubeObject.exactOptional(),
  unwritten: fieldsV1.exactOptional(),
  hubOwned: z.array(z.strictObject({ elements: texts, value: anyValue })).exactOptional(),
  overrides: overrides.exactOptional(),
  held: why.exactOptional(),
};

const otherApplyRow: z.ZodType<ApplyRow> = z.lazy(() => applyRow);

const applyRow = schemaOf<ApplyRow>()(
  z.strictObject({
    ...baseFields,
    ...contentFields,
    verb: z.literal("Apply"),
    hubVersion: z.string().exactOptional(),
    conflictResolution: z.enum(["Abort", "Adopt"]),
    namespaceLabels: namespaceLabels.exactOptional(),
    alternatives: z.array(otherApplyRow).exactOptional(),
  }),
);

const holdRow = schemaOf<HoldRow>()(
  z.strictObject({
    ...baseFields,
    verb: z.literal("Hold"),
    why,
    hash: z.string().exactOptional(),
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
    uid: z.string(),
    why,
    agreed: z.literal(true).exactOptional(),
    keepsClaims: z.literal(true).exactOptional(),
  }),
);

const releaseRow = schemaOf<ReleaseRow>()(
  z.strictObject({ ...baseFields, verb: z.literal("Release"), uid: z.string(), why }),
);

export const row = schemaOf<Row>()(z.discriminatedUnion("verb", [applyRow, holdRow, deleteRow, releaseRow]));
