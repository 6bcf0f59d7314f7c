import { z } from "zod";
import type { AssignmentRequest, RowDelta, WorkMessage } from "../work.ts";
import { counter, groupKind, listOf, objectRef, origin, resourceType, texts } from "./parts.ts";
import { row } from "./row.ts";
import { schemaOf } from "./sameShape.ts";

export const assignmentRequest = schemaOf<AssignmentRequest>()(
  z.strictObject({
    version: counter,
    since: z.strictObject({ epoch: counter, revision: counter }).exactOptional(),
  }),
);

const rowDelta = schemaOf<RowDelta>()(
  z.strictObject({
    ref: objectRef,
    row: row.exactOptional(),
    revision: counter,
    origin: origin.exactOptional(),
    backlog: z.literal(true).exactOptional(),
  }),
);

const seq = counter;
const checksum = z.int().min(0).max(0xff_ff_ff_ff);

export const workMessage = schemaOf<WorkMessage>()(
  z.discriminatedUnion("kind", [
    z.strictObject({ seq, kind: z.literal("NotSynced") }),
    z.strictObject({ seq, kind: z.literal("Start"), epoch: counter, since: counter.exactOptional() }),
    z.strictObject({ seq, kind: z.literal("Expected"), owners: texts }),
    z.strictObject({
      seq,
      kind: z.literal("Kinds"),
      kinds: listOf(resourceType),
      others: listOf(groupKind).exactOptional(),
    }),
    z.strictObject({ seq, kind: z.literal("Rows"), rows: listOf(rowDelta), more: z.literal(true).exactOptional() }),
    z.strictObject({ seq, kind: z.literal("Capacity"), wanted: z.boolean() }),
    z.strictObject({ seq, kind: z.literal("End"), revision: counter, checksum }),
    z.strictObject({
      seq,
      kind: z.literal("Heartbeat"),
      revision: counter.exactOptional(),
      checksum: checksum.exactOptional(),
    }),
  ]),
);
