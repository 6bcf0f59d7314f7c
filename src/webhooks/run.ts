import {
  type ApproversProven,
  type Classes,
  DEFAULT_CLASS,
  defined,
  type KindDefinition,
  KINDS,
  type KubeObject,
} from "../apis/index.ts";
import type { HubCache } from "../hub/index.ts";
import type { Logger, Metrics, Tracer } from "../observability/index.ts";
import { type Client, type Clock, TimeSlice } from "../runtime/index.ts";
import { judgeApprovals } from "./admission/approvals.ts";
import { defaultsOf } from "./admission/defaults.ts";
import { judgeRequest, judgeShape } from "./admission/judge.ts";
import { answerReview, readAdmissionReview } from "./admission/review.ts";
import type { AdmissionRequest, Judgement } from "./admission/types.ts";
import { ApprovalGuard } from "./approvalGuard.ts";
import { traced, traceNote } from "./admissionTrace.ts";
import {
  type Certificates,
  type CertificateSource,
  DEFAULT_ROTATION,
  FileCertificates,
  SelfManagedCertificates,
} from "./certificates/index.ts";
import { hostsOf, PATHS, type WebhookTarget } from "./configurations.ts";
import { answerConversion } from "./conversionReview.ts";
import { HubFacts } from "./hubFacts.ts";
import { ConfigurationPublisher } from "./publisher.ts";
import { type WebhookHandler, WebhookServer } from "./server.ts";
import { migrateStorage } from "./storageMigration.ts";

export interface WebhookOptions {
  hub: HubCache;
  /** Without leader election: every replica serves, and all replicas write the same. */
  client: Client;
  /** For the Secret of the certificates. */
  namespace: string;
  /** Namespace of the members' kubeconfigs; `namespace` when absent. */
  membersNamespace?: string;
  /** Only the default class when absent. */
  classes?: Classes;
  /** Kinds to convert; Meridian's kinds when absent. */
  kinds?: readonly KindDefinition[];
  /** 0 takes any free port. */
  port: number;
  /** All addresses when absent. */
  host?: string;
  target: WebhookTarget;
  /** Folder with tls.crt, tls.key and ca.crt. Absent: an authority of our own. */
  certDir?: string;
  configurationName: string;
  /** Name of the Secret of our own authority. */
  secretName: string;
  /** Time for which an old and a new authority are both trusted. */
  overlapMs?: number;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
  tracer?: Tracer;
  /** Called when listening on the port fails. The webhooks then only wait to be disposed of. */
  cannotListen?: (error: Error) => void;
  /** Called with each certificate that the webhooks begin to show, for other servers of this process. */
  alsoShow?: (certificates: WebhookCertificates) => Promise<void>;
}

/** `serverName` is in the certificate. `bundle`: its authorities, if known. */
export interface WebhookCertificates extends Certificates {
  serverName: string;
}

export interface Webhooks extends AsyncDisposable {
  /** Reasons why the webhooks do not serve, one sentence each. */
  problems(): string[];
  /** Time since which the API server lets nobody approve in another person's name on objects of that kind. */
  approversProvenSince(holder: Pick<KubeObject, "apiVersion" | "kind">): ApproversProven;
  readonly port: number | undefined;
}

/** A hub that cannot be written must not keep an old certificate in use for ever. */
const PUBLISH_WITHIN_MS = 20_000;
/** API servers learn of a changed CA bundle by a watch of their own. */
const TAKEN_UP_MS = 2_000;

/** Serves the webhooks until they are disposed of. Returns at once; `problems` is empty once they serve. */
export function startWebhooks(options: WebhookOptions): Webhooks {
  const { client, target, clock, configurationName, kinds = KINDS } = options;
  const logger = options.logger.child({ component: "webhooks" });
  const overlapMs = options.overlapMs ?? DEFAULT_ROTATION.overlapMs;
  const end = new AbortController();
  const { signal } = end;
  const facts = new HubFacts({
    hub: options.hub,
    client,
    namespace: options.membersNamespace ?? options.namespace,
    clock,
    logger,
  });
  const server = new WebhookServer({
    port: options.port,
    ...defined({ host: options.host }),
    handlers: handlersOf(facts, options),
    lists: { [PATHS.convert]: (review, objects) => answerConversion(review, objects, kinds) },
    clock,
    logger,
    observe: ({ path, code, ms }) => {
      const webhook = path.slice(1);
      options.metrics.webhookRequests.inc({ webhook, code: String(code) });
      options.metrics.webhookLatency.observe({ webhook }, ms / 1000);
    },
  });
  const source = sourceOf({ ...options, logger, overlapMs });
  const publisher = new ConfigurationPublisher({
    client,
    target,
    configurationName,
    kinds,
    // The overlap counts from when the new certificate is shown, this much after its publication.
    overlapMs: overlapMs + TAKEN_UP_MS,
    clock,
    logger,
    published: (bundle) => source.published(bundle),
  });
  const guard = new ApprovalGuard({ informer: publisher.validating, target, clock });

  const { cannotListen, alsoShow } = options;
  const more = defined({ cannotListen, alsoShow });
  const shown = new ShownCertificates({ server, publisher, target, clock, logger, end, ...more });
  const work = [
    source.run((certificates) => shown.use(certificates), signal),
    publisher.run(signal),
    migrateStorage({ client, kinds, clock, logger }, signal),
  ].map((part) =>
    part.catch((error: unknown) => {
      if (!signal.aborted) logger.error({ err: error }, "a part of the webhooks ended");
    }),
  );
  return {
    get port() {
      return server.port;
    },
    approversProvenSince: (holder) => guard.provenSince(holder),
    problems: () => (server.port === undefined ? ["the webhooks have no certificate yet"] : []),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      end.abort(new Error("the webhooks end"));
      await Promise.all(work);
    },
  };
}

interface ShownOptions extends Pick<WebhookOptions, "target" | "clock" | "logger" | "cannotListen" | "alsoShow"> {
  server: WebhookServer;
  publisher: ConfigurationPublisher;
  /** Aborted when the webhooks end, or cannot begin. */
  end: AbortController;
}

/** Shows certificates to API servers, once the API servers can trust them. */
class ShownCertificates {
  readonly #options: ShownOptions;
  #trusted: string | undefined;

  constructor(options: ShownOptions) {
    this.#options = options;
  }

  /** Serves with the certificate after its CA bundle was published. The first certificate is served at once. */
  async use({ serving, bundle }: Certificates): Promise<void> {
    const { server, publisher, target, clock, logger, end, alsoShow } = this.#options;
    const { signal } = end;
    const first = server.port === undefined;
    if (first) {
      await this.#listen(serving);
      logger.info({ port: server.port, event_reason: "WebhooksServing" }, "webhooks are served");
    }
    const enough = AbortSignal.any([signal, AbortSignal.timeout(PUBLISH_WITHIN_MS)]);
    if (!(await publisher.publish(bundle, enough)) && !signal.aborted) {
      logger.warn("the webhook configurations do not hold the new certificates yet");
    }
    if (!first && bundle !== this.#trusted) await clock.sleep(TAKEN_UP_MS, signal);
    this.#trusted = bundle;
    await server.show(serving);
    const [serverName = ""] = hostsOf(target);
    await alsoShow?.({ serving, bundle, serverName });
  }

  /** A port that cannot be opened ends all webhooks. */
  async #listen(serving: Certificates["serving"]): Promise<void> {
    const { server, end, cannotListen } = this.#options;
    try {
      await server.show(serving);
    } catch (error) {
      if (cannotListen !== undefined && error instanceof Error && "syscall" in error && error.syscall === "listen") {
        end.abort(error);
        cannotListen(error);
      }
      throw error;
    }
  }
}

function sourceOf(options: WebhookOptions & { overlapMs: number }): CertificateSource {
  const { certDir, client, namespace, clock, logger, overlapMs } = options;
  if (certDir !== undefined) return new FileCertificates({ folder: certDir, clock, logger });
  return new SelfManagedCertificates({
    client,
    namespace,
    name: options.secretName,
    hosts: hostsOf(options.target),
    settings: { ...DEFAULT_ROTATION, overlapMs },
    clock,
    logger,
  });
}

function handlersOf(
  facts: HubFacts,
  { clock, logger, metrics, tracer, classes = new Set([DEFAULT_CLASS]) }: WebhookOptions,
): Record<string, WebhookHandler> {
  const recorded = (request: AdmissionRequest, judgement: Judgement): Judgement => {
    if (judgement.problems.length === 0) return judgement;
    const { kind, operation, namespace, name } = request;
    metrics.webhookRefusals.inc({ kind: kind.kind, operation });
    // Log only the fields: a value may be a secret that somebody put in the wrong place.
    const fields = judgement.problems.map(({ field }) => field);
    logger.info({ kind: kind.kind, operation, namespace, name, fields }, "a request was refused");
    return judgement;
  };
  const slice = TimeSlice.of(clock);
  return {
    [PATHS.approve]: (body, _signal, { traceparent }) => {
      const request = readAdmissionReview(body);
      return traced({ tracer, webhook: "approve", traceparent }, request, () =>
        answerReview(request, recorded(request, judgeApprovals(request))),
      );
    },
    [PATHS.mutate]: (body, _signal, { traceparent }) => {
      const request = readAdmissionReview(body);
      return traced({ tracer, webhook: "mutate", traceparent }, request, (span) => {
        const patch = [...defaultsOf(request, classes), ...traceNote(request, classes, span, traceparent)];
        return answerReview(request, recorded(request, judgeShape(request)), patch);
      });
    },
    [PATHS.validate]: (body, signal, { traceparent }) => {
      const request = readAdmissionReview(body);
      return traced({ tracer, webhook: "validate", traceparent }, request, async () => {
        const known = await facts.read(request, signal);
        // Many calls may wait for the same facts and resume at the same time.
        while (slice.spent) await slice.next();
        return answerReview(request, recorded(request, judgeRequest(request, known, clock.now())));
      });
    },
  };
}
