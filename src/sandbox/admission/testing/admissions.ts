import type { ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest";
import { StatusError } from "../../statusError.ts";
import type { KubeObject, RequestContext, Resource, ResourceVersion } from "../../types.ts";
import { type AdmissionEnvironment, type AdmissionRequest, Webhooks } from "../index.ts";
import { HookServer, type Reply, reviewed } from "./hookServer.ts";

export const RULE = { operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };

const version = (name: string, storage = false): ResourceVersion => ({
  name,
  served: true,
  storage,
  schema: { type: "object" },
  columns: [],
  hasStatus: true,
  selectableFields: [],
});

export function resource(group: string, plural: string, kind: string, versions: string[], namespaced = true): Resource {
  return {
    group,
    plural,
    singular: kind.toLowerCase(),
    kind,
    listKind: `${kind}List`,
    shortNames: [],
    categories: [],
    namespaced,
    versions: versions.map((name, index) => version(name, index === 0)),
    definitions: {},
  };
}

export const CONFIG_MAPS = resource("", "configmaps", "ConfigMap", ["v1"]);
export const NAMESPACES = resource("", "namespaces", "Namespace", ["v1"], false);
export const WIDGETS = resource("example.com", "widgets", "Widget", ["v1", "v1beta1"]);

export const configMap = (
  fields: Record<string, unknown> = {},
  metadata: Partial<KubeObject["metadata"]> = {},
): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", namespace: "default", ...metadata },
  ...fields,
});

export const warn = vi.fn<(text: string) => void>();

export function context(more: Partial<RequestContext> = {}): RequestContext {
  return {
    user: { name: "ann", uid: "1", groups: ["staff", "system:authenticated"] },
    fieldManager: "test",
    dryRun: false,
    fieldValidation: "Warn",
    warn,
    signal: new AbortController().signal,
    ...more,
  };
}

export function creation(object = configMap(), more: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return {
    operation: "CREATE",
    resource: CONFIG_MAPS,
    version: "v1",
    namespace: "default",
    name: object.metadata.name,
    object,
    options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" },
    context: context(),
    ...more,
  };
}

/** The server of a test file, and what a test has to clean up. */
export let hooks: HookServer;
let cleanup: AsyncDisposableStack;

/** Call it once in each file. */
export function useHookServer(): void {
  beforeAll(async () => {
    hooks = await HookServer.start(["127.0.0.1", "hook.default.svc"]);
  });
  afterAll(() => hooks[Symbol.asyncDispose]());
  beforeEach(() => {
    warn.mockClear();
    hooks.received.length = 0;
    cleanup = new AsyncDisposableStack();
  });
  afterEach(() => cleanup.disposeAsync());
}

/** A webhook at `/NAME` of the test's server. */
export function webhook(name: string, more: Record<string, unknown> = {}) {
  return {
    name: `${name}.example.com`,
    clientConfig: { url: hooks.url(`/${name}`), caBundle: hooks.caBundle },
    rules: [RULE],
    sideEffects: "None",
    timeoutSeconds: 5,
    admissionReviewVersions: ["v1"],
    ...more,
  };
}

export function configuration(name: string, ...webhooks: unknown[]): KubeObject {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "WebhookConfiguration",
    metadata: { name },
    webhooks,
  };
}

export function admission(environment: Partial<AdmissionEnvironment> = {}): Webhooks {
  let uids = 0;
  return cleanup.use(
    new Webhooks({
      mutating: () => [],
      validating: () => [],
      namespace: (name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels: { team: "a" } } }),
      service: () => undefined,
      convert: (_, object, to) => Promise.resolve({ ...object, apiVersion: `example.com/${to}` }),
      newUid: () => `uid-${++uids}`,
      ...environment,
    }),
  );
}

export const validatingBy = (...webhooks: unknown[]) =>
  admission({ validating: () => [configuration("c", ...webhooks)] });
export const mutatingBy = (...webhooks: unknown[]) => admission({ mutating: () => [configuration("c", ...webhooks)] });

export async function failureOf(promise: Promise<unknown>): Promise<StatusError["status"]> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof StatusError) return error.status;
  throw new Error("no StatusError", { cause: error });
}

export const answering =
  (response: Record<string, unknown>): Reply =>
  (received) =>
    reviewed(received, response);
export const raw = (status: number, body: string) => () => (response: ServerResponse) => {
  response.statusCode = status;
  response.setHeader("content-type", "application/json");
  response.end(body);
};
