import { z } from "zod";
import {
  type FieldsV1,
  isRecord,
  issueText,
  type KubeObject,
  type Message,
  type ObjectRef,
  type OwnerRef,
} from "../../apis/index.ts";
import type { Why } from "../../desiredstate/index.ts";
import type { GroupKind } from "../../interpreter/index.ts";
import type { Origin } from "../../observability/index.ts";
import type { ResourceType } from "../../runtime/index.ts";
import { schemaOf } from "./sameShape.ts";

/** Revisions, numbers of messages and epochs. */
export const counter = z.int().min(0);

export const texts = z.array(z.string());

/**
 * A map with keys that are no fields. `__proto__` is no valid label and no valid name of a resource, and zod would drop
 * the key without a word.
 */
export function mapOf<V extends z.ZodType>(value: V) {
  return z
    .custom<Record<string, unknown>>(
      (given) => isRecord(given) && !Object.hasOwn(given, "__proto__"),
      "must be a map without the key __proto__",
    )
    .pipe(z.record(z.string(), value));
}

/** Any JSON value. Handed on as it is, so that every key in it survives. */
export const anyValue = z.unknown().refine((value): boolean => value !== undefined, "is missing; give a value");

/** Any JSON map. Handed on as it is. */
export const anyMap = z.custom<Readonly<Record<string, unknown>>>(isRecord, "must be a map");

/** What an object must have to have a name. A server judges the rest, as its content belongs to people. */
const identity = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.object({ name: z.string(), namespace: z.string().exactOptional() }),
});

/** Handed on as it is. */
export const kubeObject = z.custom<KubeObject>().check(({ value, issues }) => {
  for (const issue of identity.safeParse(value).error?.issues ?? [])
    issues.push({ code: "custom", message: issueText(issue), path: [...issue.path], input: value });
});

function isFieldsV1(value: unknown): value is FieldsV1 {
  return isRecord(value) && Object.values(value).every(isFieldsV1);
}

/** Handed on as it is. */
export const fieldsV1 = z.custom<FieldsV1>(isFieldsV1, "must be a map of maps");

const refFields = {
  apiVersion: z.string(),
  kind: z.string(),
  namespace: z.string().exactOptional(),
  name: z.string(),
};

export const objectRef = schemaOf<ObjectRef>()(z.strictObject(refFields));

export const ownerRef = schemaOf<OwnerRef>()(z.strictObject({ ...refFields, uid: z.string() }));

export const groupKind = schemaOf<GroupKind>()(z.strictObject({ group: z.string(), kind: z.string() }));

export const resourceType = schemaOf<ResourceType>()(
  z.strictObject({
    group: z.string(),
    version: z.string(),
    kind: z.string(),
    plural: z.string(),
    namespaced: z.boolean(),
    subresources: texts.exactOptional(),
    verbs: texts.exactOptional(),
    shortNames: texts.exactOptional(),
    scale: z.strictObject({ spec: texts, status: texts.exactOptional() }).exactOptional(),
  }),
);

export const message = schemaOf<Message>()(
  z.union([
    z.string(),
    z.strictObject({
      lead: z.string().exactOptional(),
      subject: z.string().exactOptional(),
      aside: z.string().exactOptional(),
      what: z.string(),
      where: texts.exactOptional(),
      why: z.string().exactOptional(),
      remedy: z.string().exactOptional(),
    }),
  ]),
);

export const whyFields = { reason: z.string(), message };

export const why = schemaOf<Why>()(z.strictObject(whyFields));

export const end = z.enum(["Complete", "Failed"]);

const spanContext = z.strictObject({ traceId: z.string(), spanId: z.string(), traceFlags: z.int().min(0).max(255) });

export const origin = schemaOf<Origin>()(
  z.strictObject({
    spanContext,
    reconcileId: z.string(),
    at: z.number(),
    change: spanContext.exactOptional(),
  }),
);
