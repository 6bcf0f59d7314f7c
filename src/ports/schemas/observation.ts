import { z } from "zod";
import type { EndedRun, Failure, Heal, Observation } from "../../desiredstate/index.ts";
import type { Health, LostField } from "../../interpreter/index.ts";
import { anyMap, counter, end, listOf, objectRef, ownerRef, text, texts, whyFields } from "./parts.ts";
import { schemaOf } from "./sameShape.ts";

const health = schemaOf<Health>()(
  z.strictObject({
    state: z.enum(["Progressing", "Available", "Degraded", "Failed", "Unknown"]),
    reason: text.exactOptional(),
    message: text.exactOptional(),
    replicas: z
      .strictObject({ desired: z.number(), updated: z.number(), ready: z.number(), available: z.number() })
      .exactOptional(),
    serves: z.enum(["Now", "Before"]).exactOptional(),
  }),
);

type Present = NonNullable<Observation["present"]>;

const condition = z.strictObject({
  type: text,
  status: z.enum(["True", "False", "Unknown"]),
  reason: text.exactOptional(),
  message: text.exactOptional(),
});

const address = z.strictObject({
  type: z.enum(["LoadBalancer", "Ingress", "NodePort"]),
  host: text.exactOptional(),
  port: z.number().exactOptional(),
});

const present = schemaOf<Present>()(
  z.strictObject({
    uid: text,
    hash: text.exactOptional(),
    owner: ownerRef.exactOptional(),
    createdAt: text.exactOptional(),
    proven: z.boolean(),
    policy: z.literal("Orphan").exactOptional(),
    hubVersion: text.exactOptional(),
    deleting: z.boolean(),
    ended: end.exactOptional(),
    run: text.exactOptional(),
    finalizers: texts.exactOptional(),
    health,
    conditions: listOf(condition).exactOptional(),
    addresses: listOf(address).exactOptional(),
    images: texts.exactOptional(),
    status: anyMap.exactOptional(),
    isStatusOld: z.literal(true).exactOptional(),
    immutable: z.literal(true).exactOptional(),
    secretType: text.exactOptional(),
    refused: texts.exactOptional(),
  }),
);

const endedRun = schemaOf<EndedRun>()(z.strictObject({ run: text, end, status: anyMap.exactOptional() }));

const failure = schemaOf<Failure>()(
  z.strictObject({ ...whyFields, final: z.boolean(), fields: texts.exactOptional() }),
);

const lostField = schemaOf<LostField>()(z.strictObject({ path: text, takenBy: text.exactOptional() }));

const heal = schemaOf<Heal>()(
  z.strictObject({ at: z.number(), lost: listOf(lostField), gone: z.boolean(), contested: z.boolean() }),
);

export const observation = schemaOf<Observation>()(
  z.strictObject({
    cluster: text,
    ref: objectRef,
    present: present.exactOptional(),
    inSyncWith: text.exactOptional(),
    ended: endedRun.exactOptional(),
    writing: z.boolean(),
    failure: failure.exactOptional(),
    healed: heal.exactOptional(),
    givenUp: listOf(lostField).exactOptional(),
    absent: z.literal(true).exactOptional(),
    mayBeThere: z.literal(true).exactOptional(),
    revision: counter,
  }),
);
