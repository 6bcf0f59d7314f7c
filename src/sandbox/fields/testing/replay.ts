import type { ManagedFieldsEntry } from "../../../apis/index.ts";
import { jsonPatch, mergePatch } from "../../patch/index.ts";
import { StatusError } from "../../statusError.ts";
import type { Json, KubeObject, Resource } from "../../types.ts";
import { applyConfiguration, keepTimesOfNoChange, trackWrite } from "../index.ts";

/** One write that a real API server was asked for, and what it answered. */
export interface Step {
  name: string;
  /** As in a URL: `apps/v1/deployments`, `v1/pods`. */
  resource: string;
  subresource?: string;
  write: "apply" | "force" | "create" | "replace" | "merge" | "json" | "strategic";
  manager: string;
  body: Json;
  status: number;
  /** A Status when it refused. */
  answer: Record<string, unknown>;
}

/** What is compared: managedFields, or a refusal. */
export type Outcome = { managedFields: ManagedFieldsEntry[] } | { code: number; message: string; causes: unknown[] };

/** What the server did. */
export function outcomeOf({ status, answer }: Step): Outcome {
  if (status >= 400) {
    const { message, details } = answer as { message: string; details?: { causes?: unknown[] } };
    return { code: status, message: inOrder(message), causes: sorted(details?.causes ?? []) };
  }
  return { managedFields: (answer as unknown as KubeObject).metadata.managedFields ?? [] };
}

/**
 * What this module makes of the same write, where what lies around it (defaults, stored form, allocation) is taken from the server's answer:
 * `allocated` says what the server set after it had noted the owners.
 */
export function replay(
  live: KubeObject | undefined,
  step: Step,
  resource: Resource,
  allocated: readonly string[],
): Outcome {
  const { write, manager, body, subresource } = step;
  const apiVersion = step.resource.slice(0, step.resource.lastIndexOf("/"));
  const answer = step.answer as unknown as KubeObject;
  const common = {
    live: live === undefined ? undefined : { ...live, apiVersion },
    manager,
    apiVersion,
    ...(subresource === undefined ? {} : { subresource }),
    now: newestTime(answer) ?? 0,
    resource,
  };
  try {
    if (write === "apply" || write === "force") {
      const { object, changed } = applyConfiguration({ ...common, config: body, force: write === "force" });
      if (live === undefined || !changed) return { managedFields: object.metadata.managedFields ?? [] };
      const stored = {
        ...answer,
        metadata: { ...answer.metadata, managedFields: object.metadata.managedFields ?? [] },
      };
      return { managedFields: kept(live, stored, answer) };
    }
    const submitted = submittedOf(live, step, resource, allocated);
    const tracked = trackWrite({ ...common, operation: "Update", submitted });
    if (live === undefined) return { managedFields: tracked.metadata.managedFields ?? [] };
    const stored = { ...answer, metadata: { ...answer.metadata, managedFields: tracked.metadata.managedFields ?? [] } };
    return { managedFields: kept(live, stored, answer) };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { message, details } = error.status;
    return { code: error.code, message: inOrder(message), causes: sorted(details?.causes ?? []) };
  }
}

/** The answer holds the stored form; a write that comes to nothing leaves the old times. */
function kept(live: KubeObject, stored: KubeObject, answer: KubeObject): ManagedFieldsEntry[] {
  const { resourceVersion } = answer.metadata;
  const next = { ...stored, metadata: { ...stored.metadata, resourceVersion } } as KubeObject;
  return keepTimesOfNoChange(live, next).metadata.managedFields ?? [];
}

function submittedOf(
  live: KubeObject | undefined,
  step: Step,
  resource: Resource,
  allocated: readonly string[],
): KubeObject {
  const { write, body } = step;
  const answer = step.answer as unknown as KubeObject;
  // A custom resource has no defaults here, so what is submitted is what is patched.
  if (resource.crd !== undefined && write !== "strategic") {
    const before = live as unknown as Json;
    const patched = write === "merge" ? mergePatch(before, body) : write === "json" ? jsonPatch(before, body) : body;
    return withoutEmptyMetadata(patched as unknown as KubeObject);
  }
  const { managedFields: _, ...metadata } = answer.metadata;
  const own = managedFieldsIn(step);
  const submitted = {
    ...answer,
    metadata: { ...metadata, ...(own === undefined ? {} : { managedFields: own }) },
  } as KubeObject;
  const paths = allocated.filter((path) => path.startsWith("/"));
  return paths.reduce((object, path) => without(object, path.slice(1).split("/"), live) as KubeObject, submitted);
}

/** To Go, empty lists and maps of the metadata are none. */
function withoutEmptyMetadata(object: KubeObject): KubeObject {
  const entries = Object.entries(object.metadata).filter(([key, value]) => {
    return key === "managedFields" || typeof value !== "object" || Object.keys(value as object).length > 0;
  });
  return { ...object, metadata: Object.fromEntries(entries) as unknown as KubeObject["metadata"] };
}

/** What the body says of managedFields. */
function managedFieldsIn({ body }: Step): ManagedFieldsEntry[] | undefined {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return undefined;
  const { metadata } = body as { metadata?: { managedFields?: ManagedFieldsEntry[] } };
  return metadata?.managedFields;
}

/** What the server allocates is as it was, or absent. */
function without(value: unknown, path: readonly string[], live: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((item, i) => without(item, path, Array.isArray(live) ? live[i] : undefined));
  }
  const fields = value as Record<string, unknown>;
  const before = (live as Record<string, unknown> | undefined)?.[key];
  if (!(key in fields)) return value;
  if (rest.length > 0) return { ...fields, [key]: without(fields[key], rest, before) };
  const { [key]: _, ...others } = fields;
  return before === undefined ? others : { ...others, [key]: before };
}

function newestTime({ metadata }: KubeObject): number | undefined {
  const times = (metadata?.managedFields ?? []).flatMap(({ time }) => (time === undefined ? [] : [Date.parse(time)]));
  return times.length === 0 ? undefined : Math.max(...times);
}

/** A server goes through fields and managers in no order of its own. */
function inOrder(message: string): string {
  return message.startsWith("failed to") ? message.split("\n").toSorted().join("\n") : message;
}

function sorted(causes: readonly unknown[]): unknown[] {
  return causes.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
}
