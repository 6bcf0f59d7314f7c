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

/**
 * Most characters of one text. The longest text of Kubernetes that a message carries, the message of a condition, has
 * 32,768 characters. Whole objects are no text.
 */
export const MOST_CHARACTERS = 65_536;

/** Most items of one list. A report has 500 observations; a hub may have 100,000 objects on one cluster. */
export const MOST_ITEMS = 1_000_000;

export const text = z.string().max(MOST_CHARACTERS);

export function listOf<T extends z.ZodType>(item: T) {
  return z.array(item).max(MOST_ITEMS);
}

export const texts = listOf(text);

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
    .pipe(z.record(text, value));
}

/** Any JSON value. Handed on as it is, so that every key in it survives. */
export const anyValue = z.unknown().refine((value): boolean => value !== undefined, "is missing; give a value");

/** Any JSON map. Handed on as it is. */
export const anyMap = z.custom<Readonly<Record<string, unknown>>>(isRecord, "must be a map");

/** What an object must have to have a name. A server judges the rest, as its content belongs to people. */
const identity = z.object({
  apiVersion: text,
  kind: text,
  metadata: z.object({ name: text, namespace: text.exactOptional() }),
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
  apiVersion: text,
  kind: text,
  namespace: text.exactOptional(),
  name: text,
};

export const objectRef = schemaOf<ObjectRef>()(z.strictObject(refFields));

export const ownerRef = schemaOf<OwnerRef>()(z.strictObject({ ...refFields, uid: text }));

export const groupKind = schemaOf<GroupKind>()(z.strictObject({ group: text, kind: text }));

export const resourceType = schemaOf<ResourceType>()(
  z.strictObject({
    group: text,
    version: text,
    kind: text,
    plural: text,
    namespaced: z.boolean(),
    subresources: texts.exactOptional(),
    verbs: texts.exactOptional(),
    shortNames: texts.exactOptional(),
    scale: z.strictObject({ spec: texts, status: texts.exactOptional() }).exactOptional(),
  }),
);

export const message = schemaOf<Message>()(
  z.union([
    text,
    z.strictObject({
      lead: text.exactOptional(),
      subject: text.exactOptional(),
      aside: text.exactOptional(),
      what: text,
      where: texts.exactOptional(),
      why: text.exactOptional(),
      remedy: text.exactOptional(),
    }),
  ]),
);

export const whyFields = { reason: text, message };

export const why = schemaOf<Why>()(z.strictObject(whyFields));

export const end = z.enum(["Complete", "Failed"]);

const spanContext = z.strictObject({ traceId: text, spanId: text, traceFlags: z.int().min(0).max(255) });

export const origin = schemaOf<Origin>()(
  z.strictObject({
    spanContext,
    reconcileId: text,
    at: z.number(),
    change: spanContext.exactOptional(),
  }),
);
