import { fc } from "@fast-check/vitest";
import type {
  Contact as ClusterContact,
  End,
  FieldsV1,
  KubeObject,
  Message,
  ObjectRef,
  OwnerRef,
} from "../../apis/index.ts";
import type { ApplyRow, DesiredObject, Observation, Row, Why } from "../../desiredstate/index.ts";
import type { Health } from "../../interpreter/index.ts";
import type { Origin } from "../../observability/index.ts";
import type { ResourceType } from "../../runtime/index.ts";
import type { CapacityReading } from "../../scheduler/index.ts";
import type {
  Answering,
  AssignmentRequest,
  CapacityReport,
  ClusterAnswer,
  ClusterFindings,
  ClusterIdentity,
  ClusterMessage,
  ConnectionAnswer,
  ConnectionMessage,
  ConnectionRequest,
  ConnectionSettings,
  ContactReport,
  Report,
  ReportAnswer,
  ReportSession,
  WorkMessage,
} from "../index.ts";

/** Random messages: every optional field is there or not, and every text, key and value of an object may be anything. */

type Arbitraries<T> = { [K in keyof T]-?: fc.Arbitrary<Exclude<T[K], undefined>> };
type OptionalKeys<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T];

/** A value with these fields. `optional`: fields that may be absent; all that are optional in the type. */
function some<T extends object>(optional: readonly OptionalKeys<T>[], fields: Arbitraries<T>): fc.Arbitrary<T> {
  const requiredKeys = (Object.keys(fields) as (keyof T)[]).filter((key) => !optional.includes(key as OptionalKeys<T>));
  return fc.record(fields, { requiredKeys, noNullPrototype: true }) as fc.Arbitrary<unknown> as fc.Arbitrary<T>;
}

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 6 }),
  fc.constantFrom("", "shop", "\u2028", "\ud800", '": 9007199254740993,', "[[[", "\\", '\\"'),
);
const texts = fc.array(text, { maxLength: 2 });
const isTrue = fc.constant(true as const);
const counter = fc.oneof(fc.nat(), fc.constantFrom(0, 2 ** 32, Number.MAX_SAFE_INTEGER));
const checksum = fc.integer({ min: 0, max: 0xff_ff_ff_ff });
const time = fc.oneof(fc.nat(), fc.double({ noNaN: true, noDefaultInfinity: true, min: 0, max: 1e13 })).map(asJson);

/** JSON has no negative zero. */
function asJson(number: number): number {
  return number === 0 ? 0 : number;
}

const key = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 6 }),
  fc.constantFrom("__proto__", "constructor", "toString", "", "a.b", "example.com/name"),
);
/** Keys of labels and of resources: see `mapOf`. */
const name = key.filter((given) => given !== "__proto__");

const large = fc
  .bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n })
  .filter((integer) => !Number.isSafeInteger(Number(integer)));
/** A number of JSON that is not an integer beyond 2^53: such integers are BigInt in objects of Kubernetes. */
const number = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .filter((given) => Number.isSafeInteger(given) || !Number.isInteger(given) || Math.abs(given) > 2 ** 64)
  .map(asJson);

/** A map whose keys are own properties, `__proto__` included. */
function mapWith<V>(keys: fc.Arbitrary<string>, value: fc.Arbitrary<V>): fc.Arbitrary<Record<string, V>> {
  return fc
    .uniqueArray(fc.tuple(keys, value), { selector: ([one]) => one, maxLength: 3 })
    .map((members) => Object.fromEntries(members));
}

const json: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    large,
    number,
    fc.integer(),
    fc.constantFrom(null, true, false),
    fc.array(tie("value"), { maxLength: 3 }),
    mapWith(key, tie("value")),
  ),
})).value;
const map = mapWith(key, json);
const labels = mapWith(name, text);

const fieldsV1: fc.Arbitrary<FieldsV1> = fc.letrec<{ fields: FieldsV1 }>((tie) => ({
  fields: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constant({}),
    mapWith(
      fc.oneof(
        key.map((given) => `f:${given}`),
        fc.constant("."),
      ),
      tie("fields"),
    ),
  ),
})).fields;

const kubeObject: fc.Arbitrary<KubeObject> = fc
  .tuple(map, map, text, text, text, fc.option(text, { nil: undefined }))
  .map(([content, metadata, apiVersion, kind, named, namespace]) => {
    const place = namespace === undefined ? {} : { namespace };
    const { namespace: _namespace, ...others } = metadata;
    return { ...content, apiVersion, kind, metadata: { ...others, ...place, name: named } };
  });

const ref = some<ObjectRef>(["namespace"], { apiVersion: text, kind: text, namespace: text, name: text });
const owner = some<OwnerRef>(["namespace"], { apiVersion: text, kind: text, namespace: text, name: text, uid: text });
const end = fc.constantFrom<End[]>("Complete", "Failed");

const message: fc.Arbitrary<Message> = fc.oneof(
  text,
  some<Exclude<Message, string>>(["lead", "subject", "aside", "where", "why", "remedy"], {
    ...{ lead: text, subject: text, aside: text, what: text, where: texts, why: text, remedy: text },
  }),
);
const why = some<Why>([], { reason: text, message });

const policy = some<{ kind: string; namespace?: string; name: string }>(["namespace"], {
  ...{ kind: text, namespace: text, name: text },
});
type Overrides = NonNullable<DesiredObject["overrides"]>;
const overrides = some<Overrides>([], {
  policies: fc.array(policy, { maxLength: 2 }),
  superseded: fc.array(some<Overrides["superseded"][number]>([], { policy, by: policy }), { maxLength: 1 }),
  patches: fc.array(
    some<Overrides["patches"][number]>(["kind"], {
      ...{ policy, rule: fc.nat(9), patch: fc.nat(9), kind: text, path: text },
    }),
    { maxLength: 1 },
  ),
});

type Reporting = NonNullable<DesiredObject["reporting"]>;
const reporting = some<Reporting>(["health", "withStatus"], {
  health: some<NonNullable<Reporting["health"]>>(["available", "failed"], { available: text, failed: text }),
  withStatus: isTrue,
});

const base = {
  cluster: text,
  ref,
  owner,
  role: fc.constantFrom("rendered" as const, "dependency" as const),
  phase: fc.nat(9),
  reporting,
  run: text,
  done: end,
};
const OPTIONAL = ["phase", "reporting", "run", "done"] as const;

function applyRow(alternatives: fc.Arbitrary<readonly ApplyRow[]>): fc.Arbitrary<ApplyRow> {
  return some<ApplyRow>(
    [
      ...OPTIONAL,
      ...(["unretained", "unwritten", "hubOwned", "overrides", "held"] as const),
      ...(["hubVersion", "namespaceLabels", "alternatives"] as const),
    ],
    {
      ...base,
      object: kubeObject,
      hash: text,
      unretained: kubeObject,
      unwritten: fieldsV1,
      hubOwned: fc.array(fc.record({ elements: texts, value: json }, { noNullPrototype: true }), { maxLength: 2 }),
      overrides,
      held: why,
      verb: fc.constant("Apply"),
      hubVersion: text,
      conflictResolution: fc.constantFrom("Abort", "Adopt"),
      namespaceLabels: labels,
      alternatives,
    },
  );
}

const row: fc.Arbitrary<Row> = fc.oneof(
  { arbitrary: applyRow(fc.array(applyRow(fc.constant([])), { maxLength: 2 })), weight: 3 },
  some<Extract<Row, { verb: "Hold" }>>([...OPTIONAL, "hash", "unplaced", "confirm", "namespaceLabels"], {
    ...base,
    ...{ verb: fc.constant("Hold"), why, hash: text, wanted: fc.boolean(), unplaced: isTrue, confirm: isTrue },
    namespaceLabels: labels,
  }),
  some<Extract<Row, { verb: "Delete" }>>([...OPTIONAL, "agreed", "keepsClaims"], {
    ...base,
    ...{ verb: fc.constant("Delete"), uid: text, why, agreed: isTrue, keepsClaims: isTrue },
  }),
  some<Extract<Row, { verb: "Release" }>>([...OPTIONAL], { ...base, verb: fc.constant("Release"), uid: text, why }),
);

const spanContext = some<Origin["spanContext"]>([], { traceId: text, spanId: text, traceFlags: fc.nat(255) });
const origin = some<Origin>(["change"], { spanContext, reconcileId: text, at: time, change: spanContext });

const resourceType = some<ResourceType>(["subresources", "verbs", "shortNames", "scale"], {
  ...{ group: text, version: text, kind: text, plural: text, namespaced: fc.boolean() },
  ...{ subresources: texts, verbs: texts, shortNames: texts },
  scale: some<NonNullable<ResourceType["scale"]>>(["status"], { spec: texts, status: texts }),
});

type MessageOf<K extends WorkMessage["kind"]> = Extract<WorkMessage, { kind: K }>;
type RowDelta = MessageOf<"Rows">["rows"][number];

export const workMessages: fc.Arbitrary<WorkMessage> = fc.oneof(
  some<MessageOf<"NotSynced">>([], { seq: counter, kind: fc.constant("NotSynced") }),
  some<MessageOf<"Start">>(["since"], { seq: counter, kind: fc.constant("Start"), epoch: counter, since: counter }),
  some<MessageOf<"Expected">>([], { seq: counter, kind: fc.constant("Expected"), owners: texts }),
  some<MessageOf<"Kinds">>(["others"], {
    seq: counter,
    kind: fc.constant("Kinds"),
    kinds: fc.array(resourceType, { maxLength: 2 }),
    others: fc.array(fc.record({ group: text, kind: text }, { noNullPrototype: true }), { maxLength: 2 }),
  }),
  {
    arbitrary: some<MessageOf<"Rows">>(["more"], {
      seq: counter,
      kind: fc.constant("Rows"),
      rows: fc.array(
        some<RowDelta>(["row", "origin", "backlog"], {
          ref,
          row,
          revision: counter,
          origin,
          backlog: fc.constant(true),
        }),
        { maxLength: 3 },
      ),
      more: fc.constant<true>(true),
    }),
    weight: 8,
  },
  some<MessageOf<"Capacity">>([], { seq: counter, kind: fc.constant("Capacity"), wanted: fc.boolean() }),
  some<MessageOf<"End">>([], { seq: counter, kind: fc.constant("End"), revision: counter, checksum }),
  some<MessageOf<"Heartbeat">>(["revision", "checksum"], {
    ...{ seq: counter, kind: fc.constant("Heartbeat"), revision: counter, checksum },
  }),
);

export const assignmentRequests: fc.Arbitrary<AssignmentRequest> = some<AssignmentRequest>(["since"], {
  version: counter,
  since: fc.record({ epoch: counter, revision: counter }, { noNullPrototype: true }),
});

const health = some<Health>(["reason", "message", "replicas", "serves"], {
  state: fc.constantFrom("Progressing", "Available", "Degraded", "Failed", "Unknown"),
  reason: text,
  message: text,
  replicas: fc.record(
    { desired: fc.nat(), updated: fc.nat(), ready: fc.nat(), available: fc.nat() },
    { noNullPrototype: true },
  ),
  serves: fc.constantFrom("Now", "Before"),
});

type Present = NonNullable<Observation["present"]>;
type Condition = NonNullable<Present["conditions"]>[number];
type Address = NonNullable<Present["addresses"]>[number];
const present = some<Present>(
  [
    ...(["hash", "owner", "createdAt", "policy", "hubVersion", "ended", "run", "finalizers", "conditions"] as const),
    ...(["addresses", "images", "status", "isStatusOld", "immutable", "secretType", "refused"] as const),
  ],
  {
    ...{ uid: text, hash: text, owner, createdAt: text, proven: fc.boolean(), hubVersion: text },
    ...{ deleting: fc.boolean(), ended: end, run: text, finalizers: texts, health, images: texts, status: map },
    ...{ isStatusOld: isTrue, immutable: isTrue, secretType: text, refused: texts, policy: fc.constant("Orphan") },
    conditions: fc.array(
      some<Condition>(["reason", "message"], {
        ...{ type: text, status: fc.constantFrom("True", "False", "Unknown"), reason: text, message: text },
      }),
      { maxLength: 2 },
    ),
    addresses: fc.array(
      some<Address>(["host", "port"], {
        ...{ type: fc.constantFrom("LoadBalancer", "Ingress", "NodePort"), host: text, port: fc.nat(65_535) },
      }),
      { maxLength: 2 },
    ),
  },
);

type Of<K extends keyof Observation> = NonNullable<Observation[K]>;
const lost = fc.array(some<Of<"givenUp">[number]>(["takenBy"], { path: text, takenBy: text }), { maxLength: 2 });

const observation = some<Observation>(
  ["present", "inSyncWith", "ended", "failure", "healed", "givenUp", "absent", "mayBeThere"],
  {
    ...{ cluster: text, ref, present, inSyncWith: text, writing: fc.boolean(), givenUp: lost, absent: isTrue },
    ...{ mayBeThere: isTrue, revision: counter },
    ended: some<Of<"ended">>(["status"], { run: text, end, status: map }),
    failure: some<Of<"failure">>(["fields"], { reason: text, message, final: fc.boolean(), fields: texts }),
    healed: some<Of<"healed">>([], { at: time, lost, gone: fc.boolean(), contested: fc.boolean() }),
  },
);

const contact = some<ContactReport>(
  [
    ...(["lastContact", "reason", "message", "partlySynced"] as const),
    ...(["unreadable", "unserved", "ungranted", "grant"] as const),
  ],
  {
    ...{ ok: fc.boolean(), lastContact: time, reason: text, message: text, synced: fc.boolean() },
    ...{ partlySynced: fc.boolean(), pending: fc.boolean(), unserved: texts, ungranted: texts, grant: message },
    unreadable: fc.array(fc.record({ kind: text, why: message }, { noNullPrototype: true }), { maxLength: 2 }),
  },
);

/** Amounts are numbers also beyond 2^53. */
const amount = fc.oneof(fc.integer(), number, fc.constantFrom(2 ** 53, 2 ** 60, -(2 ** 63), 2 ** 64, 1e300));
type Group = Extract<CapacityReading, { room: unknown }>["room"]["groups"][number];
type Unread = Exclude<CapacityReading, { room: unknown }>;
const group = some<Group>([], {
  labels,
  taints: fc.array(fc.record({ key: text, value: text, effect: text }, { noNullPrototype: true }), { maxLength: 2 }),
  nodes: fc.array(fc.record({ name: text, host: text, free: mapWith(name, amount) }, { noNullPrototype: true }), {
    maxLength: 2,
  }),
});
const reading: fc.Arbitrary<CapacityReading> = fc.oneof(
  fc.array(group, { maxLength: 2 }).map((groups) => ({ room: { groups } })),
  some<Unread>(["remedy"], { reason: text, message: text, remedy: text }),
);
const capacity: fc.Arbitrary<CapacityReport> = fc.oneof(
  fc.constantFrom("Unchanged" as const, "Stopped" as const),
  reading.map((given) => ({ reading: given })),
);

export const reports: fc.Arbitrary<Report> = some<Report>(["observations", "contact", "capacity", "complete"], {
  seq: counter,
  observations: fc.array(observation, { maxLength: 3 }),
  contact,
  capacity,
  complete: fc.record({ revision: counter }, { noNullPrototype: true }),
});

export const reportSessions: fc.Arbitrary<ReportSession> = some<ReportSession>([], {
  ...{ version: counter, worker: text, number: counter, epoch: counter },
});

export const reportAnswers: fc.Arbitrary<ReportAnswer> = fc
  .tuple(fc.constantFrom("Resync" as const, "Superseded" as const), text)
  .map(([kind, reason]) => ({ kind, why: reason }));

const plainly = { noNullPrototype: true };
const only = <K extends string>(kind: K) => fc.record({ seq: counter, kind: fc.constant(kind) }, plainly);
const empty = fc.constant({});
const nullOr = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });

const settings = some<ConnectionSettings>(
  ["uid", "createdAt", "namespaces", "acceptedUid", "recordedUid", "latencyMs"],
  {
    ...{ cluster: text, uid: text, createdAt: text, namespaces: texts, acceptedUid: text, recordedUid: text },
    ...{ latencyMs: time, owned: fc.boolean() },
    connection: some<ConnectionSettings["connection"]>(["kubeconfigSecretRef", "local", "pull"], {
      kubeconfigSecretRef: fc.record({ name: text, key: text }, plainly),
      ...{ local: empty, pull: empty },
    }),
  },
);

export const connectionMessages: fc.Arbitrary<ConnectionMessage> = fc.oneof(
  fc.record({ seq: counter, kind: fc.constant("Start" as const), epoch: counter }, plainly),
  fc.record({ seq: counter, kind: fc.constant("Set" as const), settings }, plainly),
  some<ConnectionMessage & { kind: "Remove" }>(["uid"], {
    ...{ seq: counter, kind: fc.constant("Remove" as const), cluster: text, uid: text },
  }),
  only("End" as const),
  only("Heartbeat" as const),
);

export const connectionRequests: fc.Arbitrary<ConnectionRequest> = fc.record(
  { version: counter, worker: text },
  plainly,
);

export const connectionAnswers: fc.Arbitrary<ConnectionAnswer> = fc.oneof(
  some<ConnectionAnswer & { kind: "Removed" }>(["uid"], {
    ...{ kind: fc.constant("Removed" as const), cluster: text, uid: text },
  }),
  fc.record({ kind: fc.constant("Complete" as const) }, plainly),
);

type Capacity = NonNullable<ClusterFindings["capacity"]>;
const findings = some<ClusterFindings>(["kubernetesVersion", "apis", "capacity", "credentials"], {
  ...{ kubernetesVersion: text, apis: texts },
  capacity: nullOr(some<Capacity>(["cpu", "memory", "pods"], { nodes: counter, cpu: text, memory: text, pods: text })),
  credentials: nullOr(fc.record({ expiresAt: text, renewAt: text }, plainly)),
});

const renewal = fc.oneof(
  fc.record({ renewed: fc.constant(true as const), expiresAt: text }, plainly),
  fc.record({ renewed: fc.constant(false as const), message: text }, plainly),
);

export const clusterMessages: fc.Arbitrary<ClusterMessage> = fc.oneof(
  fc.record(
    {
      ...{ seq: counter, kind: fc.constant("Contact" as const) },
      contact: some<ClusterContact>(["lastContact", "reason", "message"], {
        ...{ ok: fc.boolean(), lastContact: time, reason: text, message: text },
      }),
    },
    plainly,
  ),
  fc.record({ seq: counter, kind: fc.constant("Findings" as const), findings }, plainly),
  fc.record(
    {
      ...{ seq: counter, kind: fc.constant("Answering" as const) },
      answering: some<Answering>(["latencyMs", "pace"], {
        latencyMs: nullOr(time),
        pace: nullOr(fc.record({ reason: text, message }, plainly)),
      }),
    },
    plainly,
  ),
  fc.record({ seq: counter, kind: fc.constant("TokenRenewal" as const), renewal }, plainly),
  fc.record(
    {
      ...{ seq: counter, kind: fc.constant("Identity" as const) },
      identity: some<ClusterIdentity>(["findings"], { uid: text, findings }),
    },
    plainly,
  ),
  only("Heartbeat" as const),
);

export const clusterAnswers: fc.Arbitrary<ClusterAnswer> = fc.oneof(
  fc.record(
    {
      ...{ kind: fc.constant("Identity" as const), uid: text },
      answer: fc.constantFrom("Recorded" as const, "Refused" as const, "NotOwner" as const),
    },
    plainly,
  ),
  fc.record({ kind: fc.constantFrom("Resync" as const, "Superseded" as const), why: text }, plainly),
);
