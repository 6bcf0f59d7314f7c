import { jsonPatch } from "../patch/index.ts";
import { badRequest, failure, StatusError } from "../statusError.ts";
import type { Json, KubeObject, Resource } from "../types.ts";
import { WebhookCaller } from "./caller.ts";
import { convertByWebhook } from "./conversionReview.ts";
import { internalError, refused, WebhookCallError } from "./errors.ts";
import { isExempt, matchedVersion } from "./match.ts";
import { checkConditions } from "./matchConditions.ts";
import { type Invocation, reviewOf, type Verdict, verdictOf } from "./review.ts";
import { targetOf } from "./target.ts";
import { type AdmissionEnvironment, type AdmissionRequest, type Webhook, webhooksOf } from "./types.ts";

const DEFAULT_TIMEOUT_SECONDS = 10;

/** Calls the webhooks of one cluster over HTTPS, and keeps connections open until disposed. */
export class Webhooks implements AsyncDisposable {
  readonly #environment: AdmissionEnvironment;
  readonly #caller = new WebhookCaller();

  constructor(environment: AdmissionEnvironment) {
    this.#environment = environment;
  }

  /**
   * The object after the mutating webhooks, in the version of the request; the same object if unchanged. Undefined for
   * a request without an object. Throws a StatusError when a webhook refuses or fails.
   */
  async mutate(request: AdmissionRequest): Promise<KubeObject | undefined> {
    if (isExempt(request)) return request.object;
    const webhooks = webhooksOf(this.#environment.mutating());
    let current = request;
    const asked: Webhook[] = [];
    const again = new Set<Webhook>();
    for (const webhook of webhooks) {
      const changed = await this.#mutateBy(webhook, current);
      if (changed === undefined) continue;
      if (changed.object !== current.object) {
        current = changed;
        // Earlier webhooks with reinvocationPolicy IfNeeded are called again.
        for (const earlier of asked) if (earlier.reinvocationPolicy === "IfNeeded") again.add(earlier);
      }
      asked.push(webhook);
    }
    for (const webhook of again) current = (await this.#mutateBy(webhook, current)) ?? current;
    return current.object;
  }

  /** Throws a StatusError when a validating webhook refuses or fails. Calls all webhooks in parallel. */
  async validate(request: AdmissionRequest): Promise<void> {
    if (isExempt(request)) return;
    const webhooks = webhooksOf(this.#environment.validating());
    if (webhooks.length === 0) return;
    const answers = await Promise.allSettled(webhooks.map((webhook) => this.#ask(webhook, request, false)));
    for (const answer of answers) if (answer.status === "rejected") throw answer.reason;
  }

  /**
   * Calls the conversion webhook of the CRD; `version` is the version's name. Keeps the order; only labels and
   * annotations of the metadata may change. Throws a StatusError 500 when the webhook fails.
   */
  async convertObjects(resource: Resource, objects: readonly KubeObject[], version: string): Promise<KubeObject[]> {
    return convertByWebhook(resource, objects, version, this.#caller, this.#environment);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#caller[Symbol.asyncDispose]();
  }

  /** The request with the changed object; undefined if the webhook does not match, or failed and is ignored. */
  async #mutateBy(webhook: Webhook, request: AdmissionRequest): Promise<AdmissionRequest | undefined> {
    const answered = await this.#ask(webhook, request, true);
    if (answered === undefined) return undefined;
    const { verdict, invocation } = answered;
    if (verdict.patch === undefined || invocation.object === undefined) return request;
    const patched = patch(webhook, invocation.object, verdict.patch);
    if (patched === invocation.object) return request;
    return { ...request, object: await this.#inVersion(request, patched, request.version) };
  }

  /** Throws a webhook's refusal. Undefined if the webhook does not match, or failed and may be ignored. */
  async #ask(
    webhook: Webhook,
    request: AdmissionRequest,
    mutating: boolean,
  ): Promise<{ verdict: Verdict; invocation: Invocation } | undefined> {
    const invocation = await this.#invocation(webhook, request);
    if (invocation === undefined) return undefined;
    if (request.context.dryRun && webhook.sideEffects !== "None" && webhook.sideEffects !== "NoneOnDryRun") {
      throw badRequest(`admission webhook ${JSON.stringify(webhook.name)} does not support dry run`);
    }
    let verdict: Verdict;
    try {
      verdict = await this.#call(webhook, invocation, mutating);
    } catch (error) {
      if (!(error instanceof WebhookCallError)) throw error;
      if (webhook.failurePolicy === "Ignore") return undefined;
      throw internalError(`failed calling webhook ${JSON.stringify(webhook.name)}: ${error.message}`);
    }
    for (const warning of verdict.warnings.filter(isPrintable)) request.context.warn(warning);
    if (!verdict.allowed) throw refused(webhook.name, verdict.status);
    return { verdict, invocation };
  }

  async #invocation(webhook: Webhook, request: AdmissionRequest): Promise<Invocation | undefined> {
    const version = matchedVersion(webhook, request, this.#environment);
    if (version === undefined) return undefined;
    const [object, old] = await Promise.all([
      this.#inVersion(request, request.object, version),
      this.#inVersion(request, request.old, version),
    ]);
    const invocation: Invocation = { request, version, object, old };
    const result = checkConditions(webhook, invocation, this.#environment.roles);
    if (result.kind === "Match") return invocation;
    if (result.kind === "NoMatch" || webhook.failurePolicy === "Ignore") return undefined;
    throw conditionFailure(request, result.message);
  }

  /** Objects of another kind than the resource's, such as a Scale, are not converted. */
  async #inVersion<T extends KubeObject | undefined>(
    request: AdmissionRequest,
    object: T,
    version: string,
  ): Promise<T | KubeObject> {
    const { resource } = request;
    const apiVersion = resource.group === "" ? version : `${resource.group}/${version}`;
    if (object === undefined || object.kind !== resource.kind || object.apiVersion === apiVersion) return object;
    return this.#environment.convert(resource, object, version);
  }

  async #call(webhook: Webhook, invocation: Invocation, mutating: boolean): Promise<Verdict> {
    const seconds = webhook.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
    const uid = this.#environment.newUid();
    const answer = await calling(() => {
      const target = targetOf(webhook.clientConfig, seconds, this.#environment);
      return this.#caller.post(target, reviewOf(invocation, uid), seconds, invocation.request.context.signal);
    });
    return verdictOf(answer, uid, mutating);
  }
}

/** Marks an error as a failed call, in contrast to an invalid answer. */
async function calling<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof WebhookCallError)) throw error;
    throw new WebhookCallError(`failed to call webhook: ${error.message}`, { cause: error });
  }
}

function patch(webhook: Webhook, object: KubeObject, operations: unknown): KubeObject {
  try {
    return jsonPatch(object as unknown as Json, operations as Json) as unknown as KubeObject;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw internalError(`the patch of webhook ${JSON.stringify(webhook.name)} does not apply: ${error.message}`);
  }
}

function conditionFailure({ resource: { group, plural }, name }: AdmissionRequest, message: string): StatusError {
  const qualified = group === "" ? plural : `${plural}.${group}`;
  const subject = name === "" ? qualified : `${qualified} ${JSON.stringify(name)}`;
  return failure(403, "Forbidden", `${subject} is forbidden: ${message}`, {
    ...(name === "" ? {} : { name }),
    ...(group === "" ? {} : { group }),
    kind: plural,
  });
}

/** Warnings are sent in a header, which allows no control characters. */
function isPrintable(text: string): boolean {
  return !/\p{Cc}/u.test(text);
}
