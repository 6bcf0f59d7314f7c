import type { FieldError, KubeObject } from "../../types.ts";
import { builtinResources, DecodeError, kindRules, type RulesEnvironment, ServiceAllocations } from "../index.ts";

/** An environment of rules that notes what is to be undone, and what is due once something is stored. */
export class TestEnvironment implements RulesEnvironment {
  readonly services: ServiceAllocations;
  readonly user = { name: "somebody", groups: [] };
  dryRun = false;
  readonly #undo: (() => void)[] = [];
  readonly #stored: (() => void)[] = [];

  constructor(services = new ServiceAllocations()) {
    this.services = services;
  }

  now(): number {
    return Date.UTC(2026, 0, 1);
  }

  onRefused(undo: () => void): void {
    this.#undo.push(undo);
  }

  onStored(action: () => void): void {
    this.#stored.push(action);
  }

  refused(): void {
    for (const undo of this.#undo.splice(0)) undo();
    this.#stored.length = 0;
  }

  stored(): void {
    for (const action of this.#stored.splice(0)) action();
    this.#undo.length = 0;
  }
}

export function rulesOf(object: { apiVersion: string; kind: string }) {
  const group = object.apiVersion.includes("/") ? (object.apiVersion.split("/")[0] ?? "") : "";
  const resource = builtinResources().find((one) => one.group === group && one.kind === object.kind);
  if (resource === undefined) throw new Error(`${object.kind} is not built in`);
  return { resource, rules: kindRules(group, resource.plural) };
}

/** Everything below is frozen, so that a rule which changes what it is given fails. */
export function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const member of Object.values(value)) frozen(member);
    Object.freeze(value);
  }
  return value;
}

export type Submission = Omit<KubeObject, "metadata"> & { apiVersion: string; kind: string; metadata: object };

function decoded(submission: Submission): KubeObject {
  const { rules, resource } = rulesOf(submission);
  const object = rules.defaults(frozen(structuredClone(submission)) as KubeObject, submission.apiVersion);
  const namespace = resource.namespaced ? { namespace: "default" } : {};
  return frozen({ ...object, metadata: { ...namespace, uid: "uid-1", ...object.metadata } });
}

export interface Outcome {
  object: KubeObject;
  errors: FieldError[];
}

/** As the server does with a POST. */
export function create(submission: Submission, env = new TestEnvironment()): Outcome {
  const { rules } = rulesOf(submission);
  const object = decoded(submission);
  const prepared = frozen(rules.prepareForCreate?.(object, env) ?? object);
  return { object: prepared, errors: rules.validate(prepared) };
}

/** A new object that is in order. */
export function created(submission: Submission, env = new TestEnvironment()): KubeObject {
  const { object, errors } = create(submission, env);
  if (errors.length > 0) throw new Error(texts(errors).join("\n"));
  env.stored();
  return frozen({ ...object, metadata: { ...object.metadata, resourceVersion: "1" } });
}

/** As the server does with a PUT, of the object itself or of its status. */
export function update(
  live: KubeObject,
  change: (object: KubeObject & Record<string, unknown>) => void,
  env = new TestEnvironment(),
  subresource?: "status",
): Outcome {
  const { rules } = rulesOf(live);
  const submission = structuredClone(live);
  change(submission);
  const object = decoded(submission);
  if (subresource === undefined) {
    const prepared = frozen(rules.prepareForUpdate?.(object, live, env) ?? object);
    return { object: prepared, errors: rules.validate(prepared, live) };
  }
  const prepared = frozen(rules.prepareForStatusUpdate?.(object, live, env) ?? object);
  return { object: prepared, errors: rules.validateStatus?.(prepared, live) ?? [] };
}

/** Each finding once, as a message has them. */
export function texts(errors: readonly FieldError[]): string[] {
  return [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
}

/** What the decoder says of it. */
export function decodeFailure(submission: Submission): string {
  try {
    decoded(submission);
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
  return "";
}

export function deployment(spec: object = {}, metadata: object = {}): Submission {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", ...metadata },
    spec: {
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx" }] } },
      ...spec,
    },
  };
}

export function service(spec: object = {}): Submission {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web" },
    spec: { selector: { app: "web" }, ports: [{ port: 80 }], ...spec },
  };
}
