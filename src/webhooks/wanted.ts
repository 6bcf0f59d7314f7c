import { defined, type KubeObject, sameValue, versionsOf } from "../apis/index.ts";
import { bundleOf, certificatesIn, holdsAll } from "./certificates/index.ts";
import {
  type ClientConfig,
  clientConfigOf,
  contains,
  conversionOf,
  PATHS,
  webhookConfigurations,
  type WebhookTarget,
} from "./configurations.ts";

export interface WantedInput {
  kind: string;
  live: KubeObject | undefined;
  target: WebhookTarget;
  /** Name of the webhook configurations; a CRD has its own name. */
  name: string;
  /** PEM; undefined when whoever provides the certificates also fills in the bundle. */
  bundle: string | undefined;
  /** Unwanted certificates of the live bundles that stay for now. */
  kept: readonly string[];
}

/** Object for server-side apply. */
export type Applied = Pick<KubeObject, "metadata"> & Record<string, unknown>;

/** With this annotation cert-manager fills in the bundle. */
const INJECTED = "cert-manager.io/inject-ca-from";

/**
 * Object to apply so that a configuration becomes right; undefined when nothing is to be written. A missing CRD is not
 * created, and of a chart's configuration only the bundle is written.
 */
export function wantedObject({ kind, live, target, name, bundle, kept }: WantedInput): Applied | undefined {
  const injected = live?.metadata.annotations?.[INJECTED] !== undefined;
  const pem = bundle === undefined || injected ? undefined : bundleOf([bundle, ...kept]);
  if (kind === "CustomResourceDefinition") {
    if (live === undefined) return undefined;
    const spec = (live["spec"] ?? {}) as { conversion?: unknown };
    const conversion = conversionOf(target, pem ?? presentBundle(live));
    if (sameValue(spec.conversion, conversion)) return undefined;
    const own = pem === undefined ? conversionOf(target) : conversion;
    return { metadata: { name: live.metadata.name }, spec: { conversion: own } };
  }
  const whole = webhookConfigurations(name, target, pem).find((one) => one.kind === kind);
  if (whole === undefined) return undefined;
  if (live === undefined) return whole;
  if (live.metadata.labels?.["app.kubernetes.io/managed-by"] === "Helm") return bundlesOnly(live, pem);
  return contains(live["webhooks"], whole["webhooks"]) ? undefined : whole;
}

/** The parts of a configuration that are compared; the schemas of a CRD are long. */
export function configurationPart(object: KubeObject): KubeObject {
  const { name, resourceVersion, creationTimestamp, labels, annotations } = object.metadata;
  const { conversion } = (object["spec"] ?? {}) as { conversion?: unknown };
  const versions = versionsOf(object).map(({ name: version, served, storage }) => ({ name: version, served, storage }));
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: {
      name,
      ...defined({ resourceVersion, creationTimestamp, labels, annotations }),
    },
    ...defined({ webhooks: object["webhooks"] }),
    ...(conversion === undefined && versions.length === 0 ? {} : { spec: { conversion, versions } }),
  };
}

export function convertsAt(crd: KubeObject | undefined, target: WebhookTarget): "here" | "elsewhere" | "nowhere" {
  const [live] = crd === undefined ? [] : clientConfigsIn(crd);
  if (live === undefined) return "nowhere";
  const own = clientConfigOf(target, PATHS.convert, undefined);
  const { caBundle: _, ...place } = live;
  return sameValue(place, own) ? "here" : "elsewhere";
}

/** For comparisons. */
export function placeOfConversion(crd: KubeObject | undefined): string {
  const [config] = crd === undefined ? [] : clientConfigsIn(crd);
  return config === undefined ? "" : JSON.stringify(placeOf(config));
}

/** Returns whether one manager serves both: their addresses differ at most in the path. */
export function leadsTo(crd: KubeObject | undefined, configuration: KubeObject | undefined): boolean {
  const [conversion] = crd === undefined ? [] : clientConfigsIn(crd);
  const [admission] = configuration === undefined ? [] : clientConfigsIn(configuration);
  return conversion !== undefined && admission !== undefined && sameValue(placeOf(conversion), placeOf(admission));
}

/** `spec.conversion` with the address and the CA bundle of a webhook configuration, if it has them. */
export function conversionLike(configuration: KubeObject): object | undefined {
  const [config] = clientConfigsIn(configuration);
  if (config?.caBundle === undefined) return undefined;
  const { service, url } = config;
  const target: WebhookTarget | undefined =
    service !== undefined
      ? { kind: "Service", ...service }
      : url !== undefined
        ? { kind: "Url", url: placeOf(config) as string }
        : undefined;
  return target === undefined ? undefined : conversionOf(target, textOf(config));
}

function placeOf({ service, url }: ClientConfig): unknown {
  if (service !== undefined) return [service.namespace, service.name, service.port];
  return url?.replace(/\/[a-z]+$/, "");
}

/**
 * Merge patch instead of the apply where the live CRD has a Service instead of a URL, or the reverse. That field
 * belongs to another field manager, so an apply would leave it, and the server refuses both at once.
 */
export function turnedConversion(
  live: KubeObject | undefined,
  target: WebhookTarget,
  wanted: Applied,
): object | undefined {
  const [config] = live === undefined ? [] : clientConfigsIn(live);
  const other = target.kind === "Url" ? "service" : "url";
  if (config?.[other] === undefined) return undefined;
  const { conversion } = wanted["spec"] as { conversion: { webhook: { clientConfig: ClientConfig } } };
  const clientConfig = { ...conversion.webhook.clientConfig, [other]: null };
  return { spec: { conversion: { ...conversion, webhook: { ...conversion.webhook, clientConfig } } } };
}

/** The certificates of every bundle of a configuration, each once. */
export function bundlesIn(live: KubeObject | undefined): string[] {
  return live === undefined ? [] : certificatesIn(clientConfigsIn(live).map(textOf).join("\n"));
}

function presentBundle(live: KubeObject): string | undefined {
  const [config] = clientConfigsIn(live);
  return config?.caBundle === undefined ? undefined : textOf(config);
}

function bundlesOnly(live: KubeObject, pem: string | undefined): Applied | undefined {
  if (pem === undefined) return undefined;
  const webhooks = (live["webhooks"] ?? []) as { name: string; clientConfig: ClientConfig }[];
  const right = webhooks.every(({ clientConfig }) => {
    const text = textOf(clientConfig);
    return holdsAll(text, pem) && holdsAll(pem, text);
  });
  if (right) return undefined;
  const caBundle = Buffer.from(pem).toString("base64");
  return {
    metadata: { name: live.metadata.name },
    webhooks: webhooks.map((webhook) => ({ name: webhook.name, clientConfig: { caBundle } })),
  };
}

function clientConfigsIn(live: KubeObject): ClientConfig[] {
  if (Array.isArray(live["webhooks"])) {
    return (live["webhooks"] as { clientConfig: ClientConfig }[]).map(({ clientConfig }) => clientConfig);
  }
  const { conversion } = (live["spec"] ?? {}) as { conversion?: { webhook?: { clientConfig?: ClientConfig } } };
  return conversion?.webhook?.clientConfig === undefined ? [] : [conversion.webhook.clientConfig];
}

function textOf({ caBundle }: ClientConfig): string {
  return caBundle === undefined ? "" : Buffer.from(caBundle, "base64").toString("utf8");
}
