import { z } from "zod";
import type { CapacityReport, ContactReport, Report, ReportAnswer, ReportSession } from "../report.ts";
import { counter, mapOf, message, texts } from "./parts.ts";
import { observation } from "./observation.ts";
import { schemaOf } from "./sameShape.ts";

export const reportSession = schemaOf<ReportSession>()(
  z.strictObject({ version: counter, worker: z.string(), number: counter, epoch: counter }),
);

const contact = schemaOf<ContactReport>()(
  z.strictObject({
    ok: z.boolean(),
    lastContact: z.number().exactOptional(),
    reason: z.string().exactOptional(),
    message: z.string().exactOptional(),
    synced: z.boolean(),
    partlySynced: z.boolean().exactOptional(),
    pending: z.boolean(),
    unreadable: z.array(z.strictObject({ kind: z.string(), why: message })).exactOptional(),
    unserved: texts.exactOptional(),
    ungranted: texts.exactOptional(),
    grant: message.exactOptional(),
  }),
);

/** A number is enough for an amount, although large integers of a text are read as BigInt. */
const amount = z.union([z.number(), z.bigint().transform(Number)]);

const room = z.strictObject({
  groups: z.array(
    z.strictObject({
      labels: mapOf(z.string()),
      taints: z.array(z.strictObject({ key: z.string(), value: z.string(), effect: z.string() })),
      nodes: z.array(z.strictObject({ name: z.string(), host: z.string(), free: mapOf(amount) })),
    }),
  ),
});

const capacity = schemaOf<CapacityReport>()(
  z.union([
    z.enum(["Unchanged", "Stopped"]),
    z.strictObject({
      reading: z.union([
        z.strictObject({ room }),
        z.strictObject({ reason: z.string(), message: z.string(), remedy: z.string().exactOptional() }),
      ]),
    }),
  ]),
);

export const report = schemaOf<Report>()(
  z.strictObject({
    seq: counter,
    observations: z.array(observation).exactOptional(),
    contact: contact.exactOptional(),
    capacity: capacity.exactOptional(),
    complete: z.strictObject({ revision: counter }).exactOptional(),
  }),
);

export const reportAnswer = schemaOf<ReportAnswer>()(
  z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("Resync"), why: z.string() }),
    z.strictObject({ kind: z.literal("Superseded"), why: z.string() }),
  ]),
);
