import { z } from "zod";
import type { MemberClusterSpec } from "../../apis/index.ts";
import type { Answering, ClusterAnswer, ClusterFindings, ClusterIdentity, ClusterMessage } from "../clusterReport.ts";
import type { ConnectionAnswer, ConnectionMessage, ConnectionRequest, ConnectionSettings } from "../connections.ts";
import { counter, text, texts, whyFields } from "./parts.ts";
import { contactFields } from "./report.ts";
import { schemaOf } from "./sameShape.ts";

const seq = counter;

const connection = schemaOf<MemberClusterSpec["connection"]>()(
  z.strictObject({
    kubeconfigSecretRef: z.strictObject({ name: text, key: text }).exactOptional(),
    local: z.strictObject({}).exactOptional(),
    pull: z.strictObject({}).exactOptional(),
  }),
);

const settings = schemaOf<ConnectionSettings>()(
  z.strictObject({
    cluster: text,
    uid: text.exactOptional(),
    createdAt: text.exactOptional(),
    connection,
    namespaces: texts.exactOptional(),
    acceptedUid: text.exactOptional(),
    recordedUid: text.exactOptional(),
    latencyMs: z.number().exactOptional(),
    owned: z.boolean(),
  }),
);

export const connectionRequest = schemaOf<ConnectionRequest>()(z.strictObject({ version: counter, worker: text }));

export const connectionMessage = schemaOf<ConnectionMessage>()(
  z.discriminatedUnion("kind", [
    z.strictObject({ seq, kind: z.literal("Start"), epoch: counter }),
    z.strictObject({ seq, kind: z.literal("Set"), settings }),
    z.strictObject({ seq, kind: z.literal("Remove"), cluster: text, uid: text.exactOptional() }),
    z.strictObject({ seq, kind: z.literal("End") }),
    z.strictObject({ seq, kind: z.literal("Heartbeat") }),
  ]),
);

export const connectionAnswer = schemaOf<ConnectionAnswer>()(
  z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("Removed"), cluster: text, uid: text.exactOptional() }),
    z.strictObject({ kind: z.literal("Complete") }),
  ]),
);

const findings = schemaOf<ClusterFindings>()(
  z.strictObject({
    kubernetesVersion: text.exactOptional(),
    apis: texts.exactOptional(),
    capacity: z
      .strictObject({
        nodes: counter,
        cpu: text.exactOptional(),
        memory: text.exactOptional(),
        pods: text.exactOptional(),
      })
      .nullable()
      .exactOptional(),
    credentials: z.strictObject({ expiresAt: text, renewAt: text }).nullable().exactOptional(),
  }),
);

const answering = schemaOf<Answering>()(
  z.strictObject({
    latencyMs: z.number().nullable().exactOptional(),
    pace: z.strictObject(whyFields).nullable().exactOptional(),
  }),
);

const identity = schemaOf<ClusterIdentity>()(z.strictObject({ uid: text, findings: findings.exactOptional() }));

export const clusterMessage = schemaOf<ClusterMessage>()(
  z.discriminatedUnion("kind", [
    z.strictObject({ seq, kind: z.literal("Contact"), contact: z.strictObject(contactFields) }),
    z.strictObject({ seq, kind: z.literal("Findings"), findings }),
    z.strictObject({ seq, kind: z.literal("Answering"), answering }),
    z.strictObject({
      seq,
      kind: z.literal("TokenRenewal"),
      renewal: z.discriminatedUnion("renewed", [
        z.strictObject({ renewed: z.literal(true), expiresAt: text }),
        z.strictObject({ renewed: z.literal(false), message: text }),
      ]),
    }),
    z.strictObject({ seq, kind: z.literal("Identity"), identity }),
    z.strictObject({ seq, kind: z.literal("Heartbeat") }),
  ]),
);

export const clusterAnswer = schemaOf<ClusterAnswer>()(
  z.discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("Identity"),
      uid: text,
      answer: z.enum(["Recorded", "Refused", "NotOwner"]),
    }),
    z.strictObject({ kind: z.literal("Resync"), why: text }),
    z.strictObject({ kind: z.literal("Superseded"), why: text }),
  ]),
);
