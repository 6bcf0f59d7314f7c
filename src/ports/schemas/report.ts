import { z } from "zod";
import type { CapacityReport, ContactReport, Report, ReportAnswer, ReportSession } from "../report.ts";
import { counter, listOf, mapOf, message, text, texts } from "./parts.ts";
import { observation } from "./observation.ts";
import { schemaOf } from "./sameShape.ts";

export const reportSession = schemaOf<ReportSession>()(
  z.strictObject({ version: counter, worker: text, number: counter, epoch: counter }),
);

/** Fields of a `Contact`. */
export const contactFields = {
  ok: z.boolean(),
  lastContact: z.number().exactOptional(),
  reason: text.exactOptional(),
  message: text.exactOptional(),
};

const contact = schemaOf<ContactReport>()(
  z.strictObject({
    ...contactFields,
    synced: z.boolean(),
    partlySynced: z.boolean().exactOptional(),
    pending: z.boolean(),
    unreadable: listOf(z.strictObject({ kind: text, why: message })).exactOptional(),
    unserved: texts.exactOptional(),
    ungranted: texts.exactOptional(),
    grant: message.exactOptional(),
  }),
);

/** A number is enough for an amount, although large integers of a text are read as BigInt. */
const amount = z.union([z.number(), z.bigint().transform(Number)]);

const room = z.strictObject({
  groups: listOf(
    z.strictObject({
      labels: mapOf(text),
      taints: listOf(z.strictObject({ key: text, value: text, effect: text })),
      nodes: listOf(z.strictObject({ name: text, host: text, free: mapOf(amount) })),
    }),
  ),
});

const capacity = schemaOf<CapacityReport>()(
  z.union([
    z.enum(["Unchanged", "Stopped"]),
    z.strictObject({
      reading: z.union([
        z.strictObject({ room }),
        z.strictObject({ reason: text, message: text, remedy: text.exactOptional() }),
      ]),
    }),
  ]),
);

export const report = schemaOf<Report>()(
  z.strictObject({
    seq: counter,
    observations: listOf(observation).exactOptional(),
    contact: contact.exactOptional(),
    capacity: capacity.exactOptional(),
    complete: z.strictObject({ revision: counter }).exactOptional(),
  }),
);

export const reportAnswer = schemaOf<ReportAnswer>()(
  z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("Resync"), why: text }),
    z.strictObject({ kind: z.literal("Superseded"), why: text }),
  ]),
);
