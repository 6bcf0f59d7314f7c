import { defined, printYaml } from "../../../apis/index.ts";
import { authorize, type Attributes, forbidden } from "../../authorization/index.ts";
import { answerDocument } from "../../documents/index.ts";
import type { Faults } from "../../faults/index.ts";
import { PROTOBUF_TYPE } from "../../protobuf/index.ts";
import { failure, StatusError } from "../../statusError.ts";
import { includeObjectOf } from "../../tables/index.ts";
import type { RequestContext, UserInfo } from "../../types.ts";
import type { Api, Target } from "../api.ts";
import {
  type Authentication,
  type CountedRequest,
  impersonated,
  listOptionsOf,
  managerOf,
  type RequestInfo,
  requestInfoOf,
  type RequestMetrics,
  type ResourceRequest,
  wantedForm,
  type WriteOptions,
  writeOptionsOf,
} from "../request/index.ts";
import { apiVersionOf } from "../catalog/index.ts";
import { type Incoming, type Outgoing, warningHeaders } from "./exchange.ts";
import { type Form, listIn, objectIn, type Watches } from "../read/index.ts";
import { APPLY } from "../write/index.ts";
import { type ServerInfo, serverPage } from "./serverPages.ts";
import { checkMethod, notServed, runVerb, type VerbAnswer } from "./verbs.ts";

/** The parts that answer requests of one cluster. */
export interface DispatchParts {
  api: Api;
  authentication: Authentication;
  watches: Watches;
  metrics: RequestMetrics;
  faults: Faults;
  info: ServerInfo;
}

const OPTIONS_KINDS: Readonly<Record<string, string>> = {
  create: "CreateOptions",
  update: "UpdateOptions",
  patch: "PatchOptions",
  delete: "DeleteOptions",
  deletecollection: "DeleteOptions",
};

/** Default lifetime of a watch without `timeoutSeconds`: between this and twice this, as on a server. */
const LEAST_WATCH_SECONDS = 1800;

/** Answers a request. Never throws: every error becomes an answer. */
export async function dispatch(parts: DispatchParts, incoming: Incoming): Promise<Outgoing> {
  const info = requestInfoOf(incoming.method, incoming.path, incoming.query);
  const warnings: string[] = [];
  const count = (code: number) => parts.metrics.count(counted(info, incoming, code));
  try {
    const action = await parts.faults.onRequest({ ...faultRequest(info, incoming), signal: incoming.signal });
    switch (action.kind) {
      case "Silence":
      case "Reset":
        return action;
      case "Fail":
        throw new StatusError(action.status);
      case "Proceed":
    }
    const user = authenticated(parts, incoming);
    authorized(parts, user, info);
    const answer =
      info.kind === "NonResource"
        ? nonResource(parts, incoming)
        : await resource(parts, incoming, info, user, warnings, action.watchLifetimeMs);
    if (warnings.length > 0 && "headers" in answer) answer.headers["warning"] = warningHeaders(warnings);
    if (answer.kind === "Whole") count(answer.status);
    else if (answer.kind === "Stream") answer.begin = counting(answer.begin, () => count(200));
    return answer;
  } catch (error) {
    const refusal = statusOf(parts, error);
    count(refusal.code);
    return failed(refusal, warnings);
  }
}

function authenticated({ authentication, api }: DispatchParts, { headers }: Incoming): UserInfo {
  const user = authentication.userOf(headers.authorization);
  if (user === undefined) throw failure(401, "Unauthorized", "Unauthorized");
  return impersonated(user, headers, api.roles);
}

function authorized({ api }: DispatchParts, user: UserInfo, info: RequestInfo): void {
  const attributes: Attributes = info;
  const { allowed, reason } = authorize(user, attributes, api.roles);
  if (!allowed) throw forbidden(user, attributes, reason);
}

function nonResource({ api, info, metrics }: DispatchParts, incoming: Incoming): Outgoing {
  const { method, path, query, headers } = incoming;
  const page = serverPage(path, info, api, metrics);
  if (page !== undefined && (method === "GET" || method === "HEAD")) {
    return { kind: "Whole", status: 200, headers: { "content-type": page.type }, body: page.body };
  }
  const ifNoneMatch = headers["if-none-match"];
  const document = answerDocument(
    api.catalog.resources,
    { path, query, accept: headers.accept ?? "*/*", ...defined({ ifNoneMatch }) },
    { version: info.version, address: info.address },
  );
  if (document !== undefined) return { kind: "Whole", ...document, headers: { ...document.headers } };
  return {
    kind: "Whole",
    status: 404,
    headers: { "content-type": "text/plain; charset=utf-8" },
    body: "404 page not found\n",
  };
}

const PAGE_NOT_FOUND: Outgoing = {
  kind: "Whole",
  status: 404,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body: "404 page not found\n",
};

/** Other paths do not exist for custom resources; for built-in resources they refuse the method. */
function isPlaced(namespaced: boolean, { namespace, verb }: ResourceRequest): boolean {
  if (!namespaced) return namespace === undefined;
  return namespace !== undefined || verb === "list" || verb === "watch";
}

async function resource(
  parts: DispatchParts,
  incoming: Incoming,
  info: ResourceRequest,
  user: UserInfo,
  warnings: string[],
  watchLifetimeMs: number | undefined,
): Promise<Outgoing> {
  const { api, authentication } = parts;
  const { query, headers, body, signal } = incoming;
  const endpoint = api.catalog.endpoint(info.group, info.version, info.resource);
  if (endpoint === undefined) {
    const group = apiVersionOf(info.group, info.version);
    const isKnown = api.catalog.resources.some(
      ({ group: other, versions }) =>
        other === info.group && versions.some(({ name, served }) => served && apiVersionOf(other, name) === group),
    );
    const isBuiltIn = api.catalog.resources.some(({ group: other, crd }) => other === info.group && crd === undefined);
    if (isKnown && isBuiltIn) throw notServed();
    return PAGE_NOT_FOUND;
  }
  if (endpoint.resource.crd !== undefined && !isPlaced(endpoint.resource.namespaced, info)) return PAGE_NOT_FOUND;
  const type = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const isList = info.verb === "list" || info.verb === "watch" || info.verb === "deletecollection";
  const { write, options } = writeOf(info, incoming, type);
  const context: RequestContext = {
    user,
    fieldManager: write.fieldManager === "" ? managerOf(headers["user-agent"]) : write.fieldManager,
    dryRun: write.dryRun,
    fieldValidation: write.fieldValidation,
    warn: (text) => void warnings.push(text),
    signal,
  };
  const target: Target = {
    endpoint,
    context,
    ...(info.namespace === undefined || !endpoint.resource.namespaced ? {} : { namespace: info.namespace }),
    ...(info.name === undefined || isList ? {} : { name: info.name }),
    ...defined({ subresource: info.subresource, options }),
  };
  const { version } = endpoint;
  if (version.deprecated === true) {
    warnings.push(version.deprecationWarning ?? `${endpoint.apiVersion} ${endpoint.resource.kind} is deprecated`);
  }
  const form: Form = { ...wantedForm(headers.accept), includeObject: includeObjectOf(query) };
  if (info.verb === "watch") return watch(parts, target, query, form, watchLifetimeMs);
  const answer = await runVerb({
    api,
    authentication,
    verb: info.verb,
    target,
    query,
    body: { text: type === PROTOBUF_TYPE ? "" : body.toString(), bytes: body, type },
    write,
  });
  return encoded(answer, target, form, api.clock.now());
}

function writeOf(
  info: ResourceRequest,
  { query }: Incoming,
  type: string,
): { write: WriteOptions; options?: Record<string, unknown> } {
  const kind = OPTIONS_KINDS[info.verb];
  if (kind === undefined) {
    return { write: { dryRun: false, fieldManager: "", fieldValidation: "Warn", force: false } };
  }
  const write = writeOptionsOf(query, kind, type === APPLY && info.verb === "patch");
  const options = {
    kind,
    apiVersion: "meta.k8s.io/v1",
    ...(write.dryRun ? { dryRun: ["All"] } : {}),
    ...(write.fieldManager === "" ? {} : { fieldManager: write.fieldManager }),
    ...(query.get("fieldValidation") === null ? {} : { fieldValidation: write.fieldValidation }),
    ...(write.force ? { force: true } : {}),
  };
  return { write, options };
}

function watch(
  { api, watches, metrics }: DispatchParts,
  target: Target,
  query: URLSearchParams,
  form: Form,
  lifetimeMs: number | undefined,
): Outgoing {
  checkMethod(target, "watch");
  const options = listOptionsOf(query, true);
  const seconds = options.timeoutSeconds ?? LEAST_WATCH_SECONDS * (1 + Math.random());
  return {
    kind: "Stream",
    headers: { "content-type": "application/json" },
    begin: async (sink) => {
      const stack = new DisposableStack();
      metrics.watchBegins();
      stack.defer(() => metrics.watchEnds());
      try {
        const started = await watches.start(api, target, options, form, {
          send: (line) => sink.send(line),
          end: () => sink.end(),
        });
        const end = () => started.end();
        stack.use(started);
        stack.use(api.clock.after(Math.max(1, seconds) * 1000, end));
        if (lifetimeMs !== undefined) stack.use(api.clock.after(lifetimeMs, end));
        return stack;
      } catch (error) {
        stack.dispose();
        throw error;
      }
    },
  };
}

/** Counts a stream when it ends. */
function counting(begin: Extract<Outgoing, { kind: "Stream" }>["begin"], count: () => void): typeof begin {
  return async (sink) => {
    const running = await begin(sink);
    return {
      [Symbol.dispose]: () => {
        running[Symbol.dispose]();
        count();
      },
    };
  };
}

function encoded(answer: VerbAnswer, { endpoint }: Target, form: Form, now: number): Outgoing {
  if (answer.kind === "Text") {
    // An empty log is answered with 204 No Content.
    const status = answer.text === "" ? 204 : 200;
    return { kind: "Whole", status, headers: { "content-type": "text/plain" }, body: answer.text };
  }
  const value =
    answer.kind === "List"
      ? listIn(form, endpoint, answer.list, now)
      : objectIn(form, endpoint, answer.object as Parameters<typeof objectIn>[2], now);
  const status = answer.kind === "List" ? 200 : answer.code;
  return form.format === "yaml"
    ? { kind: "Whole", status, headers: answerHeaders("application/yaml"), body: printYaml(value) }
    : { kind: "Whole", status, headers: answerHeaders("application/json"), body: `${JSON.stringify(value)}\n` };
}

function answerHeaders(type: string): Record<string, string | string[]> {
  return { "content-type": type, "cache-control": "no-cache, private" };
}

export function statusOf({ api }: Pick<DispatchParts, "api">, error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  api.report(error);
  const message = `Internal error occurred: ${error instanceof Error ? error.message : String(error)}`;
  return failure(500, "InternalError", message, { causes: [{ message: String(error) }] });
}

/** A refusal as an answer. Omits empty fields, as the server does. */
export function failed({ status, code }: StatusError, warnings: readonly string[] = []): Outgoing {
  const { reason, details, ...rest } = status;
  const { name, ...others } = details ?? {};
  const body = {
    ...rest,
    ...(reason === "" ? {} : { reason }),
    ...(details === undefined ? {} : { details: name === undefined || name === "" ? others : { name, ...others } }),
  };
  const { retryAfterSeconds } = details ?? {};
  return {
    kind: "Whole",
    status: code,
    headers: {
      ...answerHeaders("application/json"),
      ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }),
      ...(warnings.length === 0 ? {} : { warning: warningHeaders(warnings) }),
    },
    body: `${JSON.stringify(body)}\n`,
  };
}

function faultRequest(info: RequestInfo, { path, headers }: Incoming) {
  if (info.kind === "NonResource") return { verb: info.verb, path };
  const isApply = info.verb === "patch" && headers["content-type"]?.startsWith(APPLY) === true;
  return {
    verb: isApply ? "apply" : info.verb,
    path,
    group: info.group,
    resource: info.resource,
    ...defined({ namespace: info.namespace, name: info.name }),
  };
}

const METRIC_VERBS: Readonly<Record<string, string>> = { create: "POST", update: "PUT" };

function counted(info: RequestInfo, { method, headers, query }: Incoming, code: number): CountedRequest {
  const dryRun = query.get("dryRun") !== null;
  if (info.kind === "NonResource") {
    return { verb: method, group: "", version: "", resource: "", subresource: "", scope: "", dryRun, code };
  }
  const isApply = info.verb === "patch" && headers["content-type"]?.startsWith(APPLY) === true;
  return {
    verb: isApply ? "APPLY" : (METRIC_VERBS[info.verb] ?? info.verb.toUpperCase()),
    group: info.group,
    version: info.version,
    resource: info.resource,
    subresource: info.subresource ?? "",
    scope: info.name !== undefined ? "resource" : info.namespace !== undefined ? "namespace" : "cluster",
    dryRun,
    code,
  };
}
