import { X509Certificate } from "node:crypto";
import { isConverted, type KubeObject, parseApiVersion } from "../../apis/index.ts";
import { namesText } from "../shared/index.ts";
import { type CheckResult, Checking, HUB } from "./result.ts";

/** How the hub reaches the webhooks: configurations and CRDs, CA bundles, Services, certificates. Pure. */

/** Meridian renews its own certificates long before. */
const ENDS_SOON_MS = 14 * 24 * 3_600_000;

export interface ServiceFacts {
  exists: boolean;
  /** Addresses that are ready; undefined: not shown. */
  ready: number | undefined;
}

export interface WebhookFacts {
  /** Webhook configurations of the hub, also those of others. */
  configurations: readonly KubeObject[];
  crds: readonly KubeObject[];
  /** By `namespace/name`; a Service that is absent here is not shown. */
  services: ReadonlyMap<string, ServiceFacts>;
  /** Certificate that the managers show, PEM; undefined: not shown, or kept elsewhere. */
  serving: string | undefined;
  /** A manager is told to serve webhooks. */
  expected: boolean;
  now: number;
}

interface ClientConfig {
  service?: { namespace: string; name: string; port?: number };
  url?: string;
  caBundle?: string;
}

/** A place that the hub calls, with the objects that name it. */
interface Target {
  address: string;
  service: string | undefined;
  bundle: string | undefined;
  sources: string[];
}

export function checkWebhooks(facts: WebhookFacts): CheckResult {
  const { configurations, crds, services, serving, expected, now } = facts;
  const checking = new Checking("Webhooks", HUB);
  const own = configurations.filter(isOurs);
  const targets = targetsOf([...own, ...crds.filter(isConverted)]);
  if (own.length === 0 && expected)
    checking.error(
      "WebhooksMissing",
      "a manager serves webhooks, and the hub has no configuration that calls them",
      "see the manager's log: it writes the configurations; in a chart with webhooks.certificates the chart does",
    );
  if (targets.length === 0) return checking.result("none: the schemas of the kinds are the only check");
  for (const target of targets) {
    checkBundle(target, now, checking);
    checkService(target, services, checking);
  }
  if (serving !== undefined) checkServing(serving, targets, now, checking);
  return checking.result(namesText(targets.map(({ address }) => address)));
}

/** True if one of the webhooks is Meridian's. */
export function isOurs(configuration: KubeObject): boolean {
  return webhooksOf(configuration).some(({ name = "" }) => name.endsWith(".paas.cmft.com"));
}

function webhooksOf(configuration: KubeObject): readonly { name?: string; clientConfig?: ClientConfig }[] {
  const { webhooks } = configuration as { webhooks?: { name?: string; clientConfig?: ClientConfig }[] | null };
  return webhooks ?? [];
}

function clientConfigsOf(object: KubeObject): ClientConfig[] {
  const { conversion } = (object["spec"] ?? {}) as { conversion?: { webhook?: { clientConfig?: ClientConfig } } };
  const all = [...webhooksOf(object).map(({ clientConfig }) => clientConfig), conversion?.webhook?.clientConfig];
  return all.filter((one) => one !== undefined);
}

/** Services of the webhooks, as `[namespace, name]`. */
export function servicesOf(configurations: readonly KubeObject[], crds: readonly KubeObject[]): [string, string][] {
  const objects = [...configurations.filter(isOurs), ...crds.filter(isConverted)];
  const services = objects.flatMap(clientConfigsOf).flatMap(({ service }) => service ?? []);
  const keys = new Map(services.map(({ namespace, name }) => [`${namespace}/${name}`, [namespace, name] as const]));
  return [...keys.values()].map(([namespace, name]) => [namespace, name]);
}

function targetsOf(objects: readonly KubeObject[]): Target[] {
  const targets = new Map<string, Target>();
  for (const object of objects) {
    const source = `${object.kind.toLowerCase()}/${object.metadata.name}`;
    for (const { service, url, caBundle } of clientConfigsOf(object)) {
      const place = service === undefined ? undefined : `${service.namespace}/${service.name}`;
      const address = place === undefined ? originOf(url ?? "") : `Service ${place}`;
      const key = `${address} ${caBundle ?? ""}`;
      const target = targets.get(key) ?? { address, service: place, bundle: caBundle, sources: [] };
      if (!target.sources.includes(source)) target.sources.push(source);
      targets.set(key, target);
    }
  }
  return [...targets.values()];
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

const RENEW_BUNDLE =
  "a manager with webhooks writes the bundle: see its log; where cert-manager or the chart provides the certificates, renew them there";

function checkBundle({ address, service, bundle = "", sources }: Target, now: number, checking: Checking): void {
  const by = namesText(sources, 3);
  if (bundle === "") {
    // For a URL, the API server then trusts the authorities of its own system.
    if (service !== undefined)
      checking.error("BundleMissing", `${by} has no CA bundle, so the hub trusts no webhook there`, RENEW_BUNDLE);
    return;
  }
  const certificates = certificatesOf(Buffer.from(bundle, "base64").toString("utf8"));
  if (certificates.length === 0) {
    checking.error("BundleUnreadable", `the CA bundle of ${by} holds no certificate`, RENEW_BUNDLE);
    return;
  }
  const end = Math.max(...certificates.map(({ validToDate }) => validToDate.getTime()));
  if (end <= now)
    checking.error("AuthorityExpired", `the CA bundle of ${by} (${address}) ended ${dayOf(end)}`, RENEW_BUNDLE);
  else if (certificates.every(({ validFromDate }) => validFromDate.getTime() > now))
    checking.error(
      "AuthorityNotYetValid",
      `the CA bundle of ${by} (${address}) is valid only later`,
      "synchronise the clocks of the hub, its managers and this machine (NTP)",
    );
  else if (end - now < ENDS_SOON_MS)
    checking.warning("AuthorityEnds", `the CA bundle of ${by} (${address}) ends ${dayOf(end)}`, RENEW_BUNDLE);
}

function checkService({ service, sources }: Target, services: WebhookFacts["services"], checking: Checking): void {
  const facts = service === undefined ? undefined : services.get(service);
  if (service === undefined || facts === undefined) return;
  const [namespace = "", name = ""] = service.split("/");
  const by = namesText(sources, 3);
  if (!facts.exists)
    checking.error(
      "ServiceMissing",
      `${by} calls the Service ${service}, which does not exist`,
      "install the managers again, with webhooks; after a removal of Meridian, delete the configurations that call it",
    );
  else if (facts.ready === 0)
    checking.error(
      "NoEndpoints",
      `the Service ${service}, which ${by} calls, has no endpoint that is ready: the hub refuses changes of policies`,
      `see why no manager is ready: \`kubectl -n ${namespace} get pods,endpointslices -l kubernetes.io/service-name=${name}\``,
    );
}

function checkServing(pem: string, targets: readonly Target[], now: number, checking: Checking): void {
  const [certificate] = certificatesOf(pem);
  if (certificate === undefined) return;
  const end = certificate.validToDate.getTime();
  const remedy = "a manager renews it: see its log, and whether one leads (the line Lease)";
  if (end <= now) checking.error("CertificateExpired", `the certificate of the webhooks ended ${dayOf(end)}`, remedy);
  else if (end - now < ENDS_SOON_MS)
    checking.warning("CertificateEnds", `the certificate of the webhooks ends ${dayOf(end)}`, remedy);
  const untrusting = targets.filter(({ bundle = "" }) => {
    const authorities = certificatesOf(Buffer.from(bundle, "base64").toString("utf8"));
    return authorities.length > 0 && !authorities.some((authority) => isSignedBy(certificate, authority));
  });
  if (untrusting.length > 0)
    checking.error(
      "CertificateUntrusted",
      `${namesText(
        untrusting.flatMap(({ sources }) => sources),
        3,
      )} does not trust the authority of the webhooks' certificate`,
      RENEW_BUNDLE,
    );
}

function isSignedBy(certificate: X509Certificate, authority: X509Certificate): boolean {
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

const BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

function certificatesOf(pem: string): X509Certificate[] {
  return [...pem.matchAll(BLOCK)].flatMap(([block]) => {
    try {
      return [new X509Certificate(block)];
    } catch {
      return [];
    }
  });
}

function dayOf(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+/, "");
}

/** Endpoints that are ready, from the EndpointSlices of a Service. */
export function readyEndpoints(slices: readonly KubeObject[]): number {
  return slices
    .filter(({ apiVersion }) => parseApiVersion(apiVersion).group === "discovery.k8s.io")
    .flatMap((slice) => (slice as { endpoints?: { conditions?: { ready?: boolean } }[] | null }).endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false).length;
}
