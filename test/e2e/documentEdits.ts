import { fc } from "@fast-check/vitest";
import { isRecord, type KubeObject, setMember } from "../../src/apis/index.ts";
import { type Api, CommandFailure, kubectl } from "../envtest/index.ts";
import { DOCUMENT_KINDS, type DocumentKind, documentOf } from "./randomDocuments.ts";
import type { Content } from "./randomPods.ts";
import { writtenPath } from "./sentObjects.ts";

/** Random histories of documents: how each is created, and what three managers and their tools then do to it, on any cluster. */

/** A way of kubectl to write whole documents: its arguments. */
export type Verb = readonly string[];

/** Against a controller that writes at the same moment. */
const MOST_TRIES = 10;

const CREATE: Verb = ["create"];
const APPLY: Verb = ["apply"];
const REPLACE: Verb = ["replace"];
const applyAs = (manager: string): Verb => ["apply", "--server-side", "--force-conflicts", "--field-manager", manager];
const WAYS: readonly Verb[] = [CREATE, APPLY, applyAs("a")];

export type Edit =
  | { verb: Verb; object: KubeObject }
  | { patch: "merge" | "strategic"; body: Content }
  | { patch: "json"; seed: number }
  | { scale: number };

/** One document: how it came to be, and everything that is done to it afterwards. */
export interface History {
  kind: DocumentKind;
  edits: Edit[];
}

/** Where a history takes place. */
export interface Place {
  cluster: { kubeconfigFile: string };
  api: Api;
  namespace: string;
}

/** The histories of this seed. `editCount`: edits of each after its creation. */
export function randomHistories(count: number, editCount: number, seed: number): History[] {
  return Array.from({ length: count }, (_, at) => {
    const kind = DOCUMENT_KINDS[at % DOCUMENT_KINDS.length] as DocumentKind;
    const name = `${kind.kind.toLowerCase()}-${at}`;
    const [history] = fc.sample(historyOf(kind, name, editCount), { numRuns: 1, seed: seed + at });
    return history as History;
  });
}

function historyOf(kind: DocumentKind, name: string, editCount: number): fc.Arbitrary<History> {
  const document = documentOf(kind, name);
  const created = fc.record({ verb: fc.constantFrom(...WAYS), object: document });
  const edit: fc.Arbitrary<Edit> = fc.oneof(
    fc.record({ verb: fc.constant(APPLY), object: document }),
    fc.record({ verb: fc.constant(REPLACE), object: document }),
    fc.record({ verb: fc.constantFrom(applyAs("a"), applyAs("b")), object: fc.oneof(document, partOf(document)) }),
    fc.record({ patch: fc.constant("merge" as const), body: patchOf(document) }),
    ...(isBuiltIn(kind) ? [fc.record({ patch: fc.constant("strategic" as const), body: patchOf(document) })] : []),
    fc.record({ patch: fc.constant("json" as const), seed: fc.nat() }),
    ...(kind.isScalable === true ? [fc.record({ scale: fc.constantFrom(0, 1, 2, 3) })] : []),
  );
  return fc
    .tuple(created, fc.array(edit, { minLength: editCount, maxLength: editCount }))
    .map(([first, rest]) => ({ kind, edits: [first, ...rest].map(withoutStringData) }));
}

/** A server-side apply gives nobody the data that comes of `stringData`. */
function withoutStringData(edit: Edit): Edit {
  if (!("verb" in edit) || !edit.verb.includes("--server-side")) return edit;
  const { stringData: _, ...object } = edit.object;
  return { ...edit, object: object as KubeObject };
}

const isBuiltIn = ({ apiVersion }: DocumentKind): boolean => !apiVersion.includes("example.com");

/** Some fields of a document, as a manager writes who cares for no others. */
function partOf(document: fc.Arbitrary<KubeObject>): fc.Arbitrary<KubeObject> {
  return fc.tuple(document, fc.infiniteStream(fc.boolean())).map(([object, choice]) => {
    const { apiVersion, kind, metadata, ...content } = object;
    return { apiVersion, kind, metadata, ...chosen(content, () => choice.next().value === true) } as KubeObject;
  });
}

/** Some fields to set and some to remove. */
function patchOf(document: fc.Arbitrary<KubeObject>): fc.Arbitrary<Content> {
  return fc.tuple(document, fc.infiniteStream(fc.nat(3))).map(([object, choice]) => {
    const { apiVersion: _, kind: __, metadata, ...content } = object;
    const body = chosen(content, () => choice.next().value === 0);
    const remove = (fields: Content): void => {
      for (const key of Object.keys(fields)) if (choice.next().value === 0) setMember<unknown>(fields, key, null);
    };
    remove(isRecord(body["spec"]) ? body["spec"] : body);
    const { labels: { documents: ___, ...labels } = {}, annotations = {} } = metadata;
    return { metadata: { labels, annotations }, ...body };
  });
}

/** Of what holds a spec, some of its fields; else some of the fields themselves. */
function chosen({ spec, ...content }: Content, isChosen: () => boolean): Content {
  const part = (fields: Content): Content => Object.fromEntries(Object.entries(fields).filter(isChosen));
  return isRecord(spec) ? { ...part(content), spec: part(spec) } : part({ ...content });
}

/**
 * Carries out one edit of each history in two places, with one run of kubectl for all that it can write together. An edit that the server
 * refuses is a part of the history.
 */
export async function editAll(edits: readonly (readonly [History, Edit])[], places: readonly Place[]): Promise<void> {
  const [first] = places;
  if (first === undefined) return;
  const written = new Map<string, { verb: Verb; objects: KubeObject[] }>();
  const requests: ((place: Place) => Promise<unknown>)[] = [];
  for (const [history, edit] of edits) {
    if ("verb" in edit) {
      const { verb } = edit;
      const group = written.get(verb.join(" ")) ?? { verb, objects: [] };
      written.set(verb.join(" "), { verb, objects: [...group.objects, edit.object] });
    } else if ("scale" in edit) {
      requests.push((place) => patched(place, history, "merge", { spec: { replicas: edit.scale } }, "/scale"));
    } else if (edit.patch === "json") {
      const body = jsonPatch(await first.api.get(pathIn(first, history)), edit.seed);
      requests.push((place) => patched(place, history, "json", body));
    } else {
      requests.push((place) => patched(place, history, edit.patch, edit.body));
    }
  }
  await Promise.all(
    places.flatMap((place) => [
      ...[...written.values()].map(({ verb, objects }) => byKubectl(place, verb, objects)),
      ...requests.map((send) => send(place)),
    ]),
  );
}

/** The object as it is written in a place: cluster-scoped objects of two places have two names. */
export function objectIn({ namespace }: Place, { kind }: History, object: KubeObject): KubeObject {
  const { metadata, ...content } = object;
  const placed = kind.isClusterScoped === true ? { name: `${namespace}.${metadata.name}` } : { namespace };
  return { ...content, metadata: { ...metadata, ...placed } } as KubeObject;
}

/** Path of the object of a history in a place. */
export function pathIn(place: Place, history: History): string {
  const [first] = history.edits;
  if (first === undefined || !("verb" in first)) throw new Error("a history begins with a document");
  return writtenPath(objectIn(place, history, first.object));
}

async function byKubectl(place: Place, verb: Verb, objects: KubeObject[]): Promise<void> {
  const items = objects.map((object) => {
    const kind = DOCUMENT_KINDS.find((one) => one.kind === object.kind) as DocumentKind;
    return objectIn(place, { kind, edits: [] }, object);
  });
  const stdin = JSON.stringify({ apiVersion: "v1", kind: "List", items });
  for (let tries = 1; ; tries++) {
    try {
      await kubectl(place.cluster, [...verb, "-f", "-"], { stdin });
      return;
    } catch (error) {
      // The others of the list are written all the same.
      if (!(error instanceof CommandFailure) || error.result.code !== 1 || verb === CREATE) throw error;
      // A replacement loses against a controller that writes between the read and the write of kubectl: no part of the history.
      if (!error.result.stderr.includes("(Conflict)") || verb[0] !== "replace") return;
      if (tries === MOST_TRIES) throw error;
    }
  }
}

async function patched(
  place: Place,
  history: History,
  kind: "merge" | "strategic" | "json",
  body: unknown,
  subresource = "",
): Promise<void> {
  const type = kind === "json" ? "json-patch" : kind === "merge" ? "merge-patch" : "strategic-merge-patch";
  const manager = subresource === "" ? "kubectl-patch" : "kubectl";
  const path = `${pathIn(place, history)}${subresource}?fieldManager=${manager}`;
  const contentType = `application/${type}+json`;
  let { status } = await place.api.request("PATCH", path, body, { contentType });
  for (let tries = 1; status === 409 && tries < MOST_TRIES; tries++)
    ({ status } = await place.api.request("PATCH", path, body, { contentType }));
  if (status >= 300 && ![400, 422].includes(status)) throw new Error(`${path}: ${status}`);
}

/** Removes a field or gives a text another value, anywhere below the content. */
function jsonPatch(object: KubeObject, seed: number): unknown[] {
  const { apiVersion: _, kind: __, metadata, status: ___, ...content } = object;
  const paths = [...pointersOf(content, ""), ...pointersOf(metadata.annotations ?? {}, "/metadata/annotations")];
  const [pointer, value] = paths[seed % Math.max(paths.length, 1)] ?? ["/metadata/labels/patched", undefined];
  if (value === undefined) return [{ op: "add", path: pointer, value: "yes" }];
  if (typeof value === "string" && seed % 2 === 0) return [{ op: "replace", path: pointer, value: "b" }];
  return [{ op: "remove", path: pointer }];
}

function pointersOf(value: object, path: string): [string, unknown][] {
  return Object.entries(value).flatMap(([key, member]: [string, unknown]) => {
    const pointer = `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const below = typeof member === "object" && member !== null ? pointersOf(member, pointer) : [];
    return [[pointer, member] as [string, unknown], ...below];
  });
}
