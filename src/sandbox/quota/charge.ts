import type { KubeObject, ResourceName } from "../types.ts";
import { trackedNames } from "./names.ts";
import { fitsScopes } from "./scopes.ts";
import { minus, nanos, plus, type PodSpec, type Usage, usageOf } from "./usage.ts";

/** A quota with its usage after the write. */
export interface Charge {
  quota: KubeObject;
  used: Usage;
}

/** A quota forbids the write. The text follows `… is forbidden: `. */
export class QuotaRefusal extends Error {
  override readonly name = "QuotaRefusal";
}

interface QuotaStatus {
  hard?: Usage;
  used?: Usage;
}

/** Resources that each container must specify before a quota can count them. */
const REQUIRED: ReadonlySet<string> = new Set([
  "cpu",
  "memory",
  "requests.cpu",
  "requests.memory",
  "limits.cpu",
  "limits.memory",
]);

/**
 * The changes in usage that a write causes, for each affected quota of the namespace; `old`: the replaced object.
 * Throws a {@link QuotaRefusal}.
 */
export function chargesOf(
  quotas: readonly KubeObject[],
  resource: ResourceName,
  object: KubeObject,
  old: KubeObject | undefined,
): Charge[] {
  const concerned = quotas.filter((quota) => {
    const names = trackedNames(resource, Object.keys(statusOf(quota).hard ?? {}));
    if (names.length === 0 || !fitsScopes(quota, resource, object)) return false;
    checkSaid(quota, names, resource, object);
    checkCounted(quota, names);
    return true;
  });
  if (concerned.length === 0) return [];
  const usage = usageOf(resource, object);
  const delta = changed(old === undefined ? usage : minus(usage, usageOf(resource, old)));
  return concerned.flatMap((quota) => {
    const { hard = {}, used = {} } = statusOf(quota);
    const requested = only(delta, (name) => name in hard);
    if (Object.keys(requested).length === 0) return [];
    const next = plus(used, requested);
    const exceeded = (name: string) => name in requested && nanos(next[name] ?? "0") > nanos(hard[name] ?? "0");
    if (Object.keys(hard).some(exceeded)) {
      const shown = (amounts: Usage) => textOf(only(amounts, exceeded));
      throw new QuotaRefusal(
        `exceeded quota: ${quota.metadata.name}, requested: ${shown(requested)}, used: ${shown(used)}, limited: ${shown(hard)}`,
      );
    }
    return [{ quota, used: next }];
  });
}

function checkSaid(quota: KubeObject, names: readonly string[], resource: ResourceName, object: KubeObject): void {
  const required = names.filter((name) => REQUIRED.has(name));
  if (required.length === 0 || resource.plural !== "pods" || resource.group !== "") return;
  const { containers = [], initContainers = [] } = (object["spec"] ?? {}) as PodSpec;
  const lacking = required.toSorted().flatMap((name) => {
    const [kind, what] = name.includes(".") ? name.split(".") : ["requests", name];
    const silent = [...containers, ...initContainers].filter(({ resources }) => {
      const said = kind === "limits" ? resources?.limits : resources?.requests;
      return said?.[what ?? ""] === undefined;
    });
    const holders = [...new Set(silent.map((container) => container.name))].toSorted();
    return holders.length === 0 ? [] : [`${name} for: ${holders.join(",")}`];
  });
  if (lacking.length > 0) {
    throw new QuotaRefusal(`failed quota: ${quota.metadata.name}: must specify ${lacking.join("; ")}`);
  }
}

function checkCounted(quota: KubeObject, names: readonly string[]): void {
  const { used = {} } = statusOf(quota);
  if (names.every((name) => name in used)) return;
  throw new QuotaRefusal(`status unknown for quota: ${quota.metadata.name}, resources: ${names.toSorted().join(",")}`);
}

function statusOf(quota: KubeObject): QuotaStatus {
  return (quota["status"] ?? {}) as QuotaStatus;
}

function changed(usage: Usage): Usage {
  return Object.fromEntries(Object.entries(usage).filter(([, amount]) => nanos(amount) !== 0n));
}

function only(usage: Usage, isWanted: (name: string) => boolean): Usage {
  return Object.fromEntries(Object.entries(usage).filter(([name]) => isWanted(name)));
}

function textOf(usage: Usage): string {
  const entries = Object.entries(usage).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([name, amount]) => `${name}=${amount}`).join(",");
}
