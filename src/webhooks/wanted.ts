import { defined, type KubeObject, sameValue, versionsOf } from "../apis/index.ts";
import { bundleOf, certificatesIn, holdsAll } from "./certificates/index.ts";
import {
  type ClientConfig,
  clientConfigOf,
  conversionOf,
  PATHS,
  webhookConfigurations,
  type WebhookTarget,
} from "./configurations.ts";
import { contains } from "./contains.ts";

export interface WantedInput {
  kind: string;
  /** Undefined: it is not there. */
  live: KubeObject | undefined;
  target: WebhookTarget;
  /** Of the webhook configurations; a CRD has its own. */
  name: string;
  /** PEM; undefined: whoever brings the certificates fills it in. */
  bundle: string | undefined;
  /** Certificates of the live bundles that are not wanted, and stay for now. */
  kept: readonly string[];
}

/** What is written, by server-side apply. */
export type Applied = Pick<KubeObject, "metadata"> & Record<string, unknown>;

/** Who asks cert-manager to fill in the bundle does not want a second writer. */
const INJECTED = "cert-manager.io/inject-ca-from";

/**
 * What is to be applied so that a configuration is right; undefined when it is, or when it is not ours to bring (the CRD). Of a
 * configuration that a chart brought only the bundle is written.
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

/** A configuration without what is not compared: the schemas of a CRD are long. */
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

/** Where the server has the objects of a CRD converted now: at the target, at somebody else's, or by nobody. */
export function convertsAt(crd: KubeObject | undefined, target: WebhookTarget): "here" | "elsewhere" | "nowhere" {
  const [live] = crd === undefined ? [] : clientConfigsIn(crd);
  if (live === undefined) return "nowhere";
  const own = clientConfigOf(target, PATHS.convert, undefined);
  const { caBundle: _, ...place } = live;
  return sameValue(place, own) ? "here" : "elsewhere";
}

/** Where a CRD has its objects converted, as a text that is the same for the same place. */
export function placeOfConversion(crd: KubeObject | undefined): string {
  const [config] = crd === undefined ? [] : clientConfigsIn(crd);
  return config === undefined ? "" : JSON.stringify(placeOf(config));
}

/** Whether the CRD's conversion is at the place that a webhook configuration leads to, whatever the path: one manager serves both. */
export function leadsTo(crd: KubeObject | undefined, configuration: KubeObject | undefined): boolean {
  const [conversion] = crd === undefined ? [] : clientConfigsIn(crd);
  const [admission] = configuration === undefined ? [] : clientConfigsIn(configuration);
  return conversion !== undefined && admission !== undefined && sameValue(placeOf(conversion), placeOf(admission));
}

/** `spec.conversion` at the place that a webhook configuration leads to; undefined when it leads nowhere that is trusted. */
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
 * The merge patch in the place of an apply, where the CRD leads to the webhooks in the other way, by a Service and not an address or the
 * reverse: that field is somebody else's, an apply would leave it, and of both at once the server wants none. Undefined: apply.
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
