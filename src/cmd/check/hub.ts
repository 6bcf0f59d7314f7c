import { isConverted, type KubeObject } from "../../apis/index.ts";
import {
  CRDS,
  DEPLOYMENTS,
  isForbidden,
  isMissing,
  LEASES,
  MEMBERCLUSTERS,
  PODS,
  type ResourceType,
  SECRETS,
  SERVICES,
  systemClock,
} from "../../runtime/index.ts";
import { ADMISSION_TYPES } from "../../webhooks/index.ts";
import { DEFAULT_LEASE_NAME, loadCrds } from "../shared/index.ts";
import { type ClockReading, clockSkew, skewText, THIS_MACHINE } from "./clock.ts";
import { checkDeployments, checkLease, flagOf, hubTimeOf, type ManagerFacts, servesWebhooks } from "./manager.ts";
import { askVersion } from "./probes.ts";
import type { PreflightReader } from "./reading.ts";
import { type CheckResult, Checking, HUB, notChecked } from "./result.ts";
import type { CheckOptions } from "./verb.ts";
import { isOlder, OLDEST_HUB } from "./versions.ts";
import { checkWebhooks, readyEndpoints, type ServiceFacts, servicesOf } from "./webhooks.ts";

/** Reads the hub's facts for the checks. */

const ENDPOINTSLICES: ResourceType = {
  group: "discovery.k8s.io",
  version: "v1",
  kind: "EndpointSlice",
  plural: "endpointslices",
  namespaced: true,
};

/** The hub's API server. */
export interface Server {
  version: string;
  clock: ClockReading | undefined;
}

/** Throws if the hub is not reached, or is no API server. */
export async function askHub(reader: PreflightReader): Promise<Server> {
  try {
    return await askVersion(reader.client, reader.signal);
  } catch (error) {
    if (isMissing(error)) throw await reader.notInstalled(MEMBERCLUSTERS);
    if (!isForbidden(error)) throw error;
    reader.noteMissing("get /version", "the version of the hub");
    return { version: "", clock: undefined };
  }
}

export function checkServer({ version }: Server): CheckResult {
  const checking = new Checking("Version", HUB);
  if (version === "") return notChecked("Version", HUB, "the hub's version");
  if (isOlder(version, OLDEST_HUB))
    checking.error(
      "VersionTooOld",
      `the hub runs Kubernetes ${version}, and Meridian needs ${OLDEST_HUB} or newer`,
      "upgrade the hub",
    );
  return checking.result(`Kubernetes ${version}`);
}

export function checkClock({ clock }: Server): CheckResult {
  const checking = new Checking("Clock", HUB);
  if (clock === undefined) return notChecked("Clock", HUB, "the hub's clock");
  const ahead = clockSkew(clock, THIS_MACHINE);
  if (ahead !== undefined)
    checking.warning(
      "ClockSkew",
      `the hub's clock is ${skewText(ahead)} the clock of this machine`,
      "synchronise the clocks of both (NTP): certificates and tokens depend on them",
    );
  return checking.result(ahead === undefined ? "agrees with this machine" : "does not agree with this machine");
}

interface Definitions {
  shipped: readonly KubeObject[];
  live: ReadonlyMap<string, KubeObject>;
}

/** Undefined if the rights do not show them. */
export async function readDefinitions(reader: PreflightReader): Promise<Definitions | undefined> {
  const shipped = await loadCrds();
  const live = new Map<string, KubeObject>();
  for (const { metadata } of shipped) {
    const found = await reader.shownOne(CRDS, undefined, metadata.name, "whether Meridian's kinds are complete");
    if (found === "NotShown") return undefined;
    if (found !== undefined) live.set(metadata.name, found);
  }
  return { shipped, live };
}

export async function checkManagers(
  reader: PreflightReader,
  options: CheckOptions,
  { clock }: Server,
  crds: readonly KubeObject[],
): Promise<CheckResult[]> {
  const { namespace } = options;
  const labelSelector = "app.kubernetes.io/part-of=meridian";
  const unknown = "whether managers are ready";
  const deployments = await reader.shown(DEPLOYMENTS, unknown, { namespace, labelSelector });
  const pods =
    deployments === undefined || deployments.length === 0
      ? []
      : await reader.shown(PODS, "why a manager is not ready", { namespace, labelSelector });
  const leaseName =
    options.leaseName === DEFAULT_LEASE_NAME
      ? (flagOf(deployments ?? [], "--lease-name") ?? options.leaseName)
      : options.leaseName;
  const lease = await reader.shownOne(LEASES, namespace, leaseName, "whether a manager leads");
  const hubTime = hubTimeOf(systemClock.now(), clock);
  const facts: ManagerFacts = { namespace, leaseName, deployments: deployments ?? [], pods, lease, hubTime };
  return [
    deployments === undefined ? notChecked("Manager", HUB, "Deployments") : checkDeployments(facts),
    lease === "NotShown" ? notChecked("Lease", HUB, `the Lease ${namespace}/${leaseName}`) : checkLease(facts),
    await checkHooks(reader, { crds, deployments: deployments ?? [], namespace, now: hubTime }),
  ];
}

interface HookOptions {
  crds: readonly KubeObject[];
  deployments: readonly KubeObject[];
  namespace: string;
  now: number;
}

async function checkHooks(
  reader: PreflightReader,
  { crds, deployments, namespace, now }: HookOptions,
): Promise<CheckResult> {
  const configurations: KubeObject[] = [];
  const hidden: string[] = [];
  for (const type of ADMISSION_TYPES) {
    const shown = await reader.shown(type, "whether the hub reaches the webhooks");
    if (shown === undefined) hidden.push(type.plural);
    else configurations.push(...shown);
  }
  if (hidden.length > 0) return notChecked("Webhooks", HUB, hidden.join(", "));
  const services = new Map<string, ServiceFacts>();
  for (const [home, name] of servicesOf(configurations, crds)) {
    const facts = await readService(reader, home, name);
    if (facts !== undefined) services.set(`${home}/${name}`, facts);
  }
  const expected = servesWebhooks(deployments);
  const isCalled = services.size > 0 || crds.some(isConverted);
  const name = flagOf(deployments, "--webhook-configuration") ?? "meridian";
  const serving = expected || isCalled ? await readServing(reader, namespace, `${name}-webhooks`) : undefined;
  return checkWebhooks({ configurations, crds, services, serving, expected, now });
}

async function readService(
  reader: PreflightReader,
  namespace: string,
  name: string,
): Promise<ServiceFacts | undefined> {
  const unknown = "whether a manager answers the webhooks";
  const service = await reader.shownOne(SERVICES, namespace, name, unknown);
  if (service === "NotShown") return undefined;
  if (service === undefined) return { exists: false, ready: undefined };
  const labelSelector = `kubernetes.io/service-name=${name}`;
  const slices = await reader.shown(ENDPOINTSLICES, unknown, { namespace, labelSelector });
  return { exists: true, ready: slices === undefined ? undefined : readyEndpoints(slices) };
}

/** Only the public certificate of the Secret. */
async function readServing(reader: PreflightReader, namespace: string, name: string): Promise<string | undefined> {
  const secret = await reader.shownOne(SECRETS, namespace, name, "when the certificate of the webhooks ends");
  if (secret === undefined || secret === "NotShown") return undefined;
  const encoded = ((secret["data"] ?? {}) as Record<string, string>)["tls.crt"];
  return encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString("utf8");
}
