import { gunzipSync } from "node:zlib";
import { BUNDLE_BOUNDS, defined, type KubeObject, printYaml } from "../../apis/index.ts";
import {
  CLUSTEROVERRIDEPOLICIES,
  CLUSTERPLACEMENTS,
  CLUSTERRESOURCEBINDINGS,
  CRDS,
  DEMOAPPLICATIONS,
  DEPLOYMENTS,
  LEASES,
  MANIFESTBUNDLES,
  MEMBERCLUSTERS,
  OVERRIDEPOLICIES,
  PLACEMENTS,
  PODS,
  RESOURCEBINDINGS,
  type ResourceType,
  systemClock,
} from "../../runtime/index.ts";
import { findQueryApi } from "../asking/index.ts";
import { type Connection, describeAnswer, HubReader, VERSION } from "../shared/index.ts";
import { buildReport, CORE_EVENTS, EVENT_REPORTER, formatStatus } from "../view/index.ts";
import { HiddenValues, maskedObject } from "./masking.ts";
import type { ArchivedFile } from "./tar.ts";
import type { SupportOptions } from "./verb.ts";

const FLEET = [DEMOAPPLICATIONS, MANIFESTBUNDLES, RESOURCEBINDINGS, CLUSTERRESOURCEBINDINGS];
const POLICIES = [PLACEMENTS, CLUSTERPLACEMENTS, OVERRIDEPOLICIES, CLUSTEROVERRIDEPOLICIES];
const INSTALLED = "app.kubernetes.io/part-of=meridian";
const MOST_LINES = 5_000;
const MOST_LOG_BYTES = 4 << 20;
const MOST_TRANSITIONS = 1_000;

export interface Collected {
  files: ArchivedFile[];
  /** What is left out, and why. */
  notes: string[];
}

/** Reads the hub with the person's rights. Nothing that is missing ends the collection. Secrets are never read. */
export async function collect(hub: Connection, options: SupportOptions, signal: AbortSignal): Promise<Collected> {
  const collector = new Collector(hub, signal);
  await collector.objects(options);
  await collector.versions();
  await collector.managers(options);
  await collector.queries(options);
  return collector.collected();
}

class Collector {
  readonly #hub: Connection;
  readonly #reader: HubReader;
  readonly #signal: AbortSignal;
  readonly #hidden = new HiddenValues();
  readonly #files: { name: string; render: () => string }[] = [];
  readonly #notes: string[] = [];

  constructor(hub: Connection, signal: AbortSignal) {
    this.#hub = hub;
    this.#signal = signal;
    this.#reader = new HubReader(hub, signal);
  }

  /** Every text is scrubbed at the end: only then are all values known that must not be in one. */
  collected(): Collected {
    const notes = this.#notes.map((note) => this.#hidden.scrub(note));
    const files = this.#files.map(({ name, render }) => ({ name, text: this.#hidden.scrub(render()) }));
    return { files, notes };
  }

  async objects({ namespace, leaseName }: SupportOptions): Promise<void> {
    const clusters = await this.#list(MEMBERCLUSTERS);
    const objects: KubeObject[] = [];
    for (const type of FLEET) objects.push(...(await this.#list(type)));
    for (const type of POLICIES) await this.#list(type);
    const now = systemClock.now();
    this.#add("status.txt", () => {
      const report = buildReport(this.#hidden.scrubbed(objects), this.#hidden.scrubbed(clusters));
      return formatStatus(report, { wide: true, color: false, now });
    });
    const ofManager = { fieldSelector: `reportingComponent=${EVENT_REPORTER}` };
    await this.#list(CORE_EVENTS, { ...ofManager, file: "events.yaml" });
    await this.#list(CORE_EVENTS, { namespace, file: "system/events.yaml" });
    await this.#list(LEASES, { namespace, fieldSelector: `metadata.name=${leaseName}`, file: "system/lease.yaml" });
  }

  async versions(): Promise<void> {
    const program = { version: VERSION, node: process.version, platform: `${process.platform}/${process.arch}` };
    const hub = await this.#tried("the version of the hub", () =>
      this.#hub.client.raw("GET", "/version", { signal: this.#signal }),
    );
    const definitions = await this.#reader.list(CRDS, { labelSelector: INSTALLED });
    this.#addValues("versions.yaml", [{ program, ...defined({ hub }), kinds: kindsIn(definitions) }]);
    if (definitions === "Denied") this.#notes.push("the kinds on the hub: you may not list customresourcedefinitions");
  }

  async managers({ namespace }: SupportOptions): Promise<void> {
    const own = { namespace, labelSelector: INSTALLED, keepArgs: true };
    await this.#list(DEPLOYMENTS, { ...own, file: "system/deployments.yaml" });
    const pods = await this.#list(PODS, { ...own, file: "system/pods.yaml" });
    for (const pod of pods) {
      await this.#log(namespace, pod, false);
      if (hasRestarted(pod)) await this.#log(namespace, pod, true);
    }
  }

  async queries({ namespace, leaseName }: SupportOptions): Promise<void> {
    const found = await findQueryApi(this.#hub, { systemNamespace: namespace, leaseName }, this.#signal);
    if (found.api === undefined) {
      this.#notes.push(`metrics and transitions: ${found.why}`);
      return;
    }
    using api = found.api;
    const metrics = await this.#tried("metrics", () => api.text("/metrics"));
    if (metrics !== undefined) this.#add("metrics.txt", () => metrics);
    const rows = await this.#tried("transitions", () => api.list("transitions", {}, MOST_TRANSITIONS));
    if (rows !== undefined) this.#addValues("transitions.yaml", rows.rows);
  }

  #add(name: string, render: () => string): void {
    this.#files.push({ name, render });
  }

  #addValues(name: string, values: readonly object[]): void {
    this.#add(name, () =>
      this.#hidden
        .scrubbed(values)
        .map((value) => `---\n${printYaml(value)}`)
        .join(""),
    );
  }

  async #tried<T>(what: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      this.#signal.throwIfAborted();
      this.#notes.push(`${what}: ${describeAnswer(error)}`);
      return undefined;
    }
  }

  /** Writes the objects into a file, without values of people, and returns them as they are. */
  async #list(
    type: ResourceType,
    { file = `hub/${type.plural}.yaml`, keepArgs = false, ...selection }: Selection = {},
  ): Promise<KubeObject[]> {
    const listed = await this.#tried(type.plural, () => this.#reader.list(type, selection));
    if (listed === "Denied") this.#notes.push(`${file}: you may not list ${type.plural}`);
    if (listed === "NotServed") this.#notes.push(`${file}: the hub does not serve ${type.plural}`);
    if (!Array.isArray(listed)) return [];
    for (const object of listed) for (const manifest of compressedIn(object)) maskedObject(manifest, this.#hidden);
    const shown = listed.map((object) => maskedObject(object, this.#hidden, { keepArgs }));
    this.#addValues(file, shown);
    return listed;
  }

  async #log(namespace: string, { metadata: { name } }: KubeObject, previous: boolean): Promise<void> {
    const query = `tailLines=${MOST_LINES}&limitBytes=${MOST_LOG_BYTES}${previous ? "&previous=true" : ""}`;
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/log?${query}`;
    const file = `system/${name}${previous ? ".previous" : ""}.log`;
    const text = await this.#tried(file, () =>
      this.#hub.client.raw("GET", path, { accept: "text/plain, */*", signal: this.#signal }),
    );
    if (text === undefined) return;
    this.#add(file, () => (typeof text === "string" ? text : JSON.stringify(text)));
  }
}

interface Selection {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  file?: string;
  keepArgs?: boolean;
}

/** The manifests that a bundle carries compressed, for their values; none if they cannot be read. */
function compressedIn({ kind, ...object }: KubeObject): KubeObject[] {
  const { compressed } = (object["spec"] ?? {}) as { compressed?: string };
  if (kind !== MANIFESTBUNDLES.kind || compressed === undefined) return [];
  try {
    const bytes = gunzipSync(Buffer.from(compressed, "base64"), { maxOutputLength: BUNDLE_BOUNDS.unpacked });
    const manifests = JSON.parse(bytes.toString("utf8")) as KubeObject[];
    return [{ apiVersion: "", kind, metadata: { name: "" }, spec: { manifests } }];
  } catch {
    return [];
  }
}

function hasRestarted(pod: KubeObject): boolean {
  const { containerStatuses = [] } = (pod["status"] ?? {}) as { containerStatuses?: { restartCount?: number }[] };
  return containerStatuses.some(({ restartCount = 0 }) => restartCount > 0);
}

function kindsIn(definitions: KubeObject[] | string): object[] {
  if (typeof definitions === "string") return [];
  return definitions.map((definition) => {
    const { versions = [] } = (definition["spec"] ?? {}) as { versions?: { name: string; served: boolean }[] };
    return {
      name: definition.metadata.name,
      versions: versions.filter(({ served }) => served).map(({ name }) => name),
    };
  });
}
