import type { FederatedStatus, KubeObject } from "../../src/apis/index.ts";
import type { Reply } from "../integration/federation/wire.ts";
import type { Decision } from "./pipeline.ts";
import type { Write } from "./playWire.ts";

/** How a log words what happens. */

const KINDS: Record<string, string> = {
  demoapplications: "DemoApplication",
  placements: "Placement",
  clusterplacements: "ClusterPlacement",
  overridepolicies: "OverridePolicy",
  clusteroverridepolicies: "ClusterOverridePolicy",
  resourcebindings: "ResourceBinding",
  clusterresourcebindings: "ClusterResourceBinding",
  manifestbundles: "ManifestBundle",
  memberclusters: "MemberCluster",
  controllerrevisions: "ControllerRevision",
  deployments: "Deployment",
  statefulsets: "StatefulSet",
  services: "Service",
  configmaps: "ConfigMap",
  secrets: "Secret",
  namespaces: "Namespace",
  jobs: "Job",
  ingresses: "Ingress",
  serviceaccounts: "ServiceAccount",
  customresourcedefinitions: "CustomResourceDefinition",
};

/** `Deployment shop`, with the namespace unless that is `default`. */
export function named({ kind, namespace, name }: { kind: string; namespace?: string; name: string }): string {
  return `${kind} ${namespace === undefined || namespace === "default" ? "" : `${namespace}/`}${name}`;
}

export function wordsOfWrite({ verb, plural, subresource, namespace, name, body }: Write, reply?: Reply): string {
  const kind = KINDS[plural] ?? (body as { kind?: string } | undefined)?.kind ?? plural;
  // The hash in the name of a revision counts the UID of the owner, too.
  const shown = kind === "ControllerRevision" ? name.replace(/-[0-9a-f]{8,}$/, "") : name;
  const object = named({ kind, ...(namespace === undefined ? {} : { namespace }), name: shown });
  const what = subresource === undefined ? object : `${subresource} of ${object}`;
  const sent = verb === "delete" ? "" : content(kind, body);
  return `${VERBS[verb]} ${what}${sent === "" ? "" : ` (${sent})`}${answered(reply)}`;
}

const VERBS = { create: "creates", apply: "applies", patch: "patches", delete: "deletes" };

function answered(reply: Reply | undefined): string {
  if (reply === undefined) return "";
  if (reply.kind !== "Whole") return `: ${reply.kind === "Silence" ? "no answer" : "the connection breaks"}`;
  if (reply.status < 400) return "";
  const { reason, message } = JSON.parse(reply.body.toString()) as { reason?: string; message?: string };
  return `: refused with ${reply.status} ${reason ?? ""}: ${message ?? ""}`;
}

/** Paths of a JSON patch, without what it only checks. */
function patched(operations: readonly { op: string; path: string }[]): string {
  const paths = operations.filter(({ op }) => op !== "test").map(({ path }) => path.slice(1).replaceAll("/", "."));
  return [...new Set(paths)].join(", ");
}

type Workload = {
  replicas?: number;
  template?: { spec?: { containers?: { image?: string }[] } };
};

/** What a reader wants to know of a body: replicas and images of workloads, the changed fields of patches. */
function content(kind: string, body: unknown): string {
  if (Array.isArray(body)) return patched(body as { op: string; path: string }[]);
  const { spec, data, metadata, apiVersion } = (body ?? {}) as KubeObject & { spec?: Workload; data?: object };
  if (apiVersion === undefined) return fieldsOf(body).join(", ");
  if (kind === "ConfigMap")
    return Object.entries(data ?? {})
      .map((pair) => pair.join("="))
      .join(", ");
  const workload = kind === "DemoApplication" ? undefined : workloadWords(spec);
  if (workload !== undefined && workload !== "") return workload;
  return kind === "DemoApplication" || kind === "MemberCluster" ? fieldsOf({ metadata, spec }).join(", ") : "";
}

function workloadWords(spec: Workload | undefined): string {
  const images = (spec?.template?.spec?.containers ?? []).map(({ image }) => image);
  const replicas = spec?.replicas === undefined ? [] : [`replicas ${spec.replicas}`];
  return [...replicas, ...images].join(", ");
}

/** Paths of two levels. */
function fieldsOf(body: unknown): string[] {
  return Object.entries((body ?? {}) as object).flatMap(([key, value]) => {
    if (value === null || typeof value !== "object") return value === undefined ? [] : [key];
    return Object.keys(value as object)
      .filter((inner) => !(key === "metadata" && ["name", "namespace", "uid", "resourceVersion"].includes(inner)))
      .map((inner) => `${key}.${inner}`);
  });
}

/** What is new in the decisions: rows that appeared, changed or went, with their clusters. */
export function decisionWords(before: ReadonlyMap<string, Decision>, after: ReadonlyMap<string, Decision>): string[] {
  const clusters = new Map<string, string[]>();
  const note = (text: string, { cluster }: Decision): void => {
    clusters.set(text, [...(clusters.get(text) ?? []), cluster]);
  };
  for (const [key, decision] of after) {
    const old = before.get(key);
    if (old !== undefined && isSame(old, decision)) continue;
    const { verb, ref, reason, message } = decision;
    const again = old?.verb === "Apply" && verb === "Apply" ? " anew" : "";
    note(`${verb}${again} ${named(ref)} on |${reason === undefined ? "" : `, ${reason}: ${message}`}`, decision);
  }
  for (const [key, decision] of before)
    if (!after.has(key)) note(`no row any more for ${named(decision.ref)} on |`, decision);
  return [...clusters].map(([text, names]) => text.replace("|", names.toSorted().join(", ")));
}

function isSame(one: Decision, other: Decision): boolean {
  return (
    one.verb === other.verb &&
    one.hash === other.hash &&
    one.reason === other.reason &&
    one.message === other.message &&
    one.uid === other.uid
  );
}

type Conditions = NonNullable<FederatedStatus["conditions"]>;
/** The parts of statuses that a log tells. */
export type Told = Pick<FederatedStatus, "clusters" | "rollout" | "departures" | "replicas" | "observedGeneration"> & {
  conditions?: Conditions;
};

/** What is new in the status of an object. */
export function statusWords(before: Told, after: Told): string[] {
  return [
    ...conditionWords(before.conditions ?? [], after.conditions ?? []),
    ...entryWords(before, after),
    ...rolloutWords(before, after),
    ...departureWords(before, after),
  ];
}

function conditionWords(before: Conditions, after: Conditions): string[] {
  const old = new Map(before.map((condition) => [condition.type, condition]));
  const changed = after.filter(({ type, status, reason }) => {
    const known = old.get(type);
    return known?.status !== status || known.reason !== reason;
  });
  const gone = before.filter(({ type }) => !after.some((condition) => condition.type === type));
  const all = [
    ...changed.map(({ type, status, reason }) => `${type}=${status} ${reason}`),
    ...gone.map(({ type }) => `no ${type}`),
  ];
  const ready = after.find(({ type }) => type === "Ready");
  const said = ready !== undefined && ready.message !== old.get("Ready")?.message ? [`"${ready.message}"`] : [];
  return [...said, ...(all.length === 0 ? [] : [all.toSorted().join("; ")])];
}

function entryWords(before: Told, after: Told): string[] {
  const old = new Map((before.clusters ?? []).map((entry) => [entry.name, entry]));
  const changed = new Map<string, string[]>();
  const note = (text: string, cluster: string): void => void changed.set(text, [...(changed.get(text) ?? []), cluster]);
  for (const entry of after.clusters ?? []) {
    const text = entryText(entry);
    const known = old.get(entry.name);
    if (known === undefined || entryText(known) !== text) note(text, entry.name);
  }
  for (const name of old.keys())
    if (after.clusters?.some((entry) => entry.name === name) !== true) note("no entry any more", name);
  return [...changed].map(([text, names]) => `${names.toSorted().join(", ")}: ${text}`);
}

type Entry = NonNullable<FederatedStatus["clusters"]>[number];

export function entryText({ state, reason, message, replicas }: Entry): string {
  const ready = replicas === undefined ? "" : ` ${replicas.ready ?? 0}/${replicas.desired ?? 0} ready`;
  return `${state}${reason === undefined ? "" : ` ${reason}`}${ready}${message === undefined ? "" : `: ${message}`}`;
}

function rolloutWords({ rollout: before }: Told, { rollout: after }: Told): string[] {
  const text = rolloutText(after);
  return text === rolloutText(before) ? [] : [`rollout ${text === "" ? "is gone" : text}`];
}

export function rolloutText(rollout: Told["rollout"]): string {
  if (rollout === undefined) return "";
  const stages = (rollout.stages ?? []).map(({ name, state, clusters = [] }) => {
    const turns = clusters.map((cluster) => `${cluster.name} ${cluster.state}`).join(", ");
    return `${name} ${state}${turns === "" ? "" : ` [${turns}]`}`;
  });
  const { revision, state, reason } = rollout;
  return `of revision ${revision ?? "?"} ${state}${reason === undefined ? "" : ` ${reason}`}: ${stages.join("; ")}`;
}

function departureWords({ departures: before = [] }: Told, { departures: after = [] }: Told): string[] {
  const text = (all: NonNullable<Told["departures"]>): string =>
    all.map(({ cluster, reason }) => `${cluster} (${reason})`).join(", ");
  return text(before) === text(after) ? [] : [`departed from: ${text(after) || "none"}`];
}
