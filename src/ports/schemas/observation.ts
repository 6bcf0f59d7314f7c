import { z } from "zod";
import type { EndedRun, Failure, Heal, Observation } from "../../desiredstate/index.ts";
import type { Health, LostField } from "../../interpreter/index.ts";
import { anyMap, counter, end, objectRef, ownerRef, texts, whyFields } from "./parts.ts";
import { schemaOf } from "./sameShape.ts";

const health = schemaOf<Health>()(
  z.strictObject({
    state: z.enum(["Progressing", "Available", "Degraded", "Failed", "Unknown"]),
    reason: z.string().exactOptional(),
    message: z.string().exactOptional(),
    replicas: z
      .strictObject({ desired: z.number(), updated: z.number(), ready: z.number(), available: z.number() })
      .exactOptional(),
    serves: z.enum(["Now", "Before"]).exactOptional(),
  }),
);

type Present = NonNullable<Observation["present"]>;

const condition = z.strictObject({
  type: z.string(),
  status: z.enum(["True", "False", "Unknown"]),
  reason: z.string().exactOptional(),
  message: z.string().exactOptional(),
});

const address = z.strictObject({
  type: z.enum(["LoadBalancer", "Ingress", "NodePort"]),
  host: z.string().exactOptional(),
  port: z.number().exactOptional(),
});

const present = schemaOf<Present>()(
  z.strictObject({
    uid: z.string(),
    hash: z.string().exactOptional(),
    owner: ownerRef.exactOptional(),
    createdAt: z.string().exactOptional(),
    proven: z.boolean(),
    policy: z.literal("Orphan").exactOptional(),
    hubVersion: z.string().exactOptional(),
    deleting: z.boolean(),
    ended: end.exactOptional(),
    run: z.string().exactOptional(),
    finalizers: texts.exactOptional(),
    health,
    conditions: z.array(condition).exactOptional(),
    addresses: z.array(address).exactOptional(),
    images: texts.exactOptional(),
    status: anyMap.exactOptional(),
    isStatusOld: z.literal(true).exactOptional(),
    immutable: z.literal(true).exactOptional(),
    secretType: z.string().exactOptional(),
    refused: texts.exactOptional(),
  }),
);

const endedRun = schemaOf<EndedRun>()(z.strictObject({ run: z.string(), end, status: anyMap.exactOptional() }));

const failure = schemaOf<Failure>()(
  z.strictObject({ ...whyFields, final: z.boolean(), fields: texts.exactOptional() }),
);

const lostField = schemaOf<LostField>()(z.strictObject({ path: z.string(), takenBy: z.string().exactOptional() }));

const heal = schemaOf<Heal>()(
  z.strictObject({ at: z.number(), lost: z.array(lostField), gone: z.boolean(), contested: z.boolean() }),
);

export const observation = schemaOf<Observation>()(
  z.strictObject({
    cluster: z.string(),
    ref: objectRef,
    present: present.exactOptional(),
    inSyncWith: z.string().exactOptional(),
    ended: endedRun.exactOptional(),
    writing: z.boolean(),
    failure: failure.exactOptional(),
    healed: heal.exactOptional(),
    givenUp: z.array(lostField).exactOptional(),
    absent: z.literal(true).exactOptional(),
    mayBeThere: z.literal(true).exactOptional(),
    revision: counter,
  }),
);
