import { fc } from "@fast-check/vitest";
import { expect } from "vitest";
import {
  ALLOWED_BUNDLE_KINDS_ANNOTATION,
  FEDERATION_API_VERSION,
  type FederatedStatus,
  type KubeObject,
  type ResourceBinding,
} from "../../src/apis/index.ts";
import { eventually, kubectl } from "../envtest/index.ts";
import { type Edit, editAll, type History, objectIn, pathIn, type Place, randomHistories } from "./documentEdits.ts";
import type { Federation } from "./federation.ts";
import { collectionPath, objectPath } from "./objects.ts";
import { comparable, differences } from "./plainComparison.ts";
import { DOCUMENT_KINDS, type DocumentKind, documentDefinitions, documentOf } from "./randomDocuments.ts";

/** Random documents on a hub, and beside them what plain kubectl makes of the same documents on a member, in a namespace of its own. */

export interface Size {
  documents: number;
  edits: number;
  seed: number;
}

/** Two of each kind: few enough that a failure names little. */
export const DOCUMENTS_OF_A_ROUND = 2 * DOCUMENT_KINDS.length;

const CRDS = collectionPath("CustomResourceDefinition");
const kinds = DOCUMENT_KINDS.map(({ apiVersion, kind }) => ({ apiVersion, kind }));
const selected = { labelSelector: { matchLabels: { documents: "yes" } } };

/** Gives both clusters the custom kinds, and places every document, and every bundle of documents, on every member. */
export async function placeDocuments(federation: Federation, member: string): Promise<void> {
  for (const api of [federation.api, federation.memberApi(member)])
    for (const crd of documentDefinitions) await api.create(CRDS, crd);
  for (const { cluster } of [hubPlace(federation, "x"), plainPlace(federation, member, "x")]) {
    const names = documentDefinitions.map(({ metadata }) => `crd/${metadata.name}`);
    await kubectl(cluster, ["wait", "--for=condition=Established", ...names]);
  }
  const bundles = { apiVersion: FEDERATION_API_VERSION, kind: "ManifestBundle" };
  await federation.apply({
    apiVersion: FEDERATION_API_VERSION,
    kind: "ClusterPlacement",
    metadata: { name: "documents" },
    spec: {
      resourceSelectors: [...kinds, bundles].map((kind) => ({ ...kind, ...selected })),
      dependencies: { mode: "None" },
    },
  } as KubeObject);
}

const hubPlace = (federation: Federation, namespace: string): Place => ({
  cluster: federation.hub,
  api: federation.api,
  namespace,
});

function plainPlace(federation: Federation, member: string, namespace: string): Place {
  const { plane } = federation.member(member);
  return { cluster: plane, api: plane.api, namespace: `plain-${namespace}` };
}

/** After each edit the member has of each document what plain kubectl made of it. */
export async function expectSameAsPlain(federation: Federation, member: string, size: Size): Promise<void> {
  const namespace = `documents-${size.seed}`;
  const hub = hubPlace(federation, namespace);
  const plain = plainPlace(federation, member, namespace);
  const copies: Place = { ...plain, namespace };
  for (const { cluster, namespace: name } of [hub, plain]) await kubectl(cluster, ["create", "namespace", name]);
  const histories = randomHistories(size.documents, size.edits, size.seed);
  for (let step = 0; step <= size.edits; step++) {
    const edits = histories.flatMap((history) => {
      const edit = history.edits[step];
      return edit === undefined ? [] : [[history, edit] as const];
    });
    await editAll(edits, [hub, plain]);
    const want = await contentsIn(plain, histories);
    const onHub = await contentsIn(hub, histories);
    expectNone(changesOf(histories, onHub, want, step), `the hub, seed ${size.seed}`);
    await eventually(
      async () => {
        await expectSettled(hub);
        expectNone(changesOf(histories, await contentsIn(copies, histories), want, step));
      },
      { timeout: 60_000, interval: 300, message: `seed ${size.seed}, edit ${step}` },
    );
  }
}

/** The same of documents that travel in a bundle: each edit is a new version of the whole document. */
export async function expectBundleSameAsPlain(federation: Federation, member: string, size: Size): Promise<void> {
  const namespace = `bundled-${size.seed}`;
  const plain = plainPlace(federation, member, namespace);
  const copies: Place = { ...plain, namespace };
  await federation.apply({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespace, annotations: { [ALLOWED_BUNDLE_KINDS_ANNOTATION]: "*" } },
  } as KubeObject);
  await kubectl(plain.cluster, ["create", "namespace", plain.namespace]);
  const versions = wholeVersions(size);
  for (let step = 0; step <= size.edits; step++) {
    const now = versions.map(({ kind, edits }): History => ({ kind, edits: [edits[step] as Edit] }));
    await editAll(
      now.map((history) => [history, history.edits[0] as Edit] as const),
      [plain],
    );
    const manifests = now.map((history) => {
      const { metadata, ...content } = objectIn(copies, history, (history.edits[0] as { object: KubeObject }).object);
      return { ...content, metadata };
    });
    await federation.apply({
      apiVersion: FEDERATION_API_VERSION,
      kind: "ManifestBundle",
      metadata: { name: "all", namespace, labels: { documents: "yes" } },
      spec: { manifests },
    } as KubeObject);
    const want = await contentsIn(plain, now);
    await eventually(
      async () => {
        expectNone(await unsettledBundle(federation, namespace));
        expectNone(changesOf(now, await contentsIn(copies, now), want, 0));
      },
      { timeout: 60_000, interval: 300, message: `bundle, seed ${size.seed}, edit ${step}` },
    );
  }
}

type Contents = Map<History, Record<string, unknown> | undefined>;

async function contentsIn(place: Place, histories: readonly History[]): Promise<Contents> {
  const found = histories.map(async (history) => {
    const object = await place.api.find(pathIn(place, history));
    return [history, object && withoutNames(comparable(object), place)] as const;
  });
  return new Map(await Promise.all(found));
}

/** Objects of the whole cluster have the namespace of their place in their names. */
function withoutNames(content: Record<string, unknown>, { namespace }: Place): Record<string, unknown> {
  const metadata = content["metadata"] as { name: string };
  return { ...content, metadata: { ...metadata, name: metadata.name.replace(`${namespace}.`, "") } };
}

/** For each document that differs: where, and everything that was done to it until then. */
function changesOf(histories: readonly History[], got: Contents, want: Contents, step: number): string[] {
  return histories.flatMap((history) => {
    const found = differences(got.get(history), want.get(history));
    if (found.length === 0) return [];
    const past = history.edits.slice(0, step + 1).map((edit) => JSON.stringify(edit));
    return [[`${history.kind.kind} of edit ${step}`, ...found, ...past].join("\n    ")];
  });
}

/** A failure names what was found: an array would be cut to its length. */
function expectNone(found: readonly string[], message?: string): void {
  expect(found.join("\n"), message).toBe("");
}

/** Meridian has nothing left to do with any of the documents. */
async function expectSettled(hub: Place): Promise<void> {
  const bindings = await hub.api.list<ResourceBinding>(collectionPath("ResourceBinding", hub.namespace));
  expectNone(bindings.flatMap(({ metadata, status }) => unsettled(metadata.name, status)));
}

function unsettled(name: string, status: FederatedStatus | undefined): string[] {
  const entries = status?.clusters ?? [];
  if (entries.length === 0) return [`${name}: no cluster`];
  return entries
    .filter((entry) => entry.desiredHash === undefined || entry.desiredHash !== entry.observedHash)
    .map(({ state, reason, message }) => `${name}: ${state} ${reason}: ${message}`);
}

async function unsettledBundle(federation: Federation, namespace: string): Promise<string[]> {
  const path = objectPath("ManifestBundle", namespace, "all");
  const { metadata, status } = await federation.api.get<KubeObject & { status?: FederatedStatus }>(path);
  const isCurrent = status?.observedGeneration === metadata["generation"];
  return isCurrent ? unsettled("bundle", status) : ["the bundle has not been seen"];
}

/** Of each document one version after the other, each written as a whole. */
function wholeVersions({ documents, edits, seed }: Size): History[] {
  return Array.from({ length: documents }, (_, at) => {
    const kind = DOCUMENT_KINDS[at % DOCUMENT_KINDS.length] as DocumentKind;
    const document = documentOf(kind, `${kind.kind.toLowerCase()}-${at}`);
    const versions = fc.sample(document, { numRuns: edits + 1, seed: seed + at });
    const [first, next] = writtenBy(kind);
    return { kind, edits: versions.map((object, version) => ({ verb: [version === 0 ? first : next], object })) };
  });
}

/**
 * How kubectl writes a document first and again: a replacement says all that the document says, nulls and removals too. A Job has to have what
 * the server gave it; and of a NetworkPolicy that names no `policyTypes` a replacement has the server count them anew, which no apply does.
 */
function writtenBy({ kind }: DocumentKind): [first: string, next: string] {
  return kind === "Job" || kind === "NetworkPolicy" ? ["apply", "apply"] : ["create", "replace"];
}
