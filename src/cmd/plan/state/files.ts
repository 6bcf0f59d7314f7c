import {
  convertObject,
  type FieldsV1,
  isRecord,
  kindOf,
  type KubeObject,
  PAAS_GROUP,
  parseApiVersion,
  parseObject,
} from "../../../apis/index.ts";
import { groupKindOf, isClusterScopedBuiltIn } from "../../../interpreter/index.ts";
import { documentsIn, itemsIn, objectIn, type SourceDocument } from "../../bundle/index.ts";
import { CommandError } from "../../shared/index.ts";
import { PlannerHubState, put } from "./hubState.ts";

/** An object as the file has it. */
export interface GivenObject {
  from: string;
  /** With its namespace. */
  given: KubeObject;
}

export interface FileObject extends GivenObject {
  /** The object as a hub would store it: with defaults, and in the stored version. */
  object: KubeObject;
}

export interface FilesOptions {
  files: readonly string[];
  recursive: boolean;
  /** Namespace of objects that name none. */
  namespace: string;
}

/**
 * Objects of Meridian's kinds get their defaults and the stored version. Throws {@link CommandError} with file and
 * field for an object that a hub would refuse.
 */
export async function objectsOfFiles(options: FilesOptions): Promise<FileObject[]> {
  return (await givenObjects(options)).map(({ from, given }) => {
    const read = readGiven(given);
    if ("problems" in read)
      throw new CommandError(`${from}: ${given.kind} ${given.metadata.name}: ${read.problems.join("; ")}`);
    return { from, given, object: read.object };
  });
}

/** Throws {@link CommandError} for files that hold no object. */
export async function givenObjects({ files, recursive, namespace }: FilesOptions): Promise<GivenObject[]> {
  const documents = await documentsIn(files, { recursive });
  const objects = documents.flatMap(({ from, read }) => read.flatMap((one) => itemsOf(one, from)));
  if (objects.length === 0) throw new CommandError(`${files.join(", ")}: there is no object in it`);
  return objects.map(({ from, object }) => ({ from, given: homed(object, namespace) }));
}

/** A state from files alone. Clusters have the form of `kubectl get memberclusters -o yaml`, status included. */
export function stateOf(objects: readonly Pick<FileObject, "object">[]): PlannerHubState {
  const state = new PlannerHubState();
  for (const { object } of objects) put(state, withOwners(object));
  return state;
}

function itemsOf(source: SourceDocument, from: string): { from: string; object: KubeObject }[] {
  const document = objectIn(source);
  if (document === undefined) return [];
  const { place } = source;
  if (document.kind.endsWith("List") && Array.isArray(document["items"]))
    return itemsIn(document["items"], place).flatMap((item) => itemsOf(item, from));
  const { metadata } = document;
  if (!isRecord(metadata) || typeof metadata["name"] !== "string" || metadata["name"] === "")
    throw new CommandError(`${place}: a ${document.kind} has no metadata.name; give it one`);
  return [{ from, object: document as unknown as KubeObject }];
}

function homed(object: KubeObject, namespace: string): KubeObject {
  const known = kindOf(object);
  const isNamespaced = known === undefined ? !isClusterScopedBuiltIn(groupKindOf(object)) : known.kind.namespaced;
  const { namespace: own, ...metadata } = object.metadata;
  if (!isNamespaced) return own === undefined ? object : { ...object, metadata };
  return own === undefined ? { ...object, metadata: { ...object.metadata, namespace } } : object;
}

/** The object as a hub would store it, or why a hub would refuse it: field and message of each problem. */
export function readGiven(object: KubeObject): { object: KubeObject } | { problems: string[] } {
  const parsed = parseObject(object);
  if (!parsed.ok) return { problems: parsed.problems.map(({ field, message }) => said(field, message)) };
  return { object: inStoredVersion(parsed.object) };
}

export function inStoredVersion(object: KubeObject): KubeObject {
  const isApplication = parseApiVersion(object.apiVersion).group === PAAS_GROUP && object.kind === "DemoApplication";
  return isApplication ? convertObject(object, `${PAAS_GROUP}/v1`) : object;
}

/** The messages of some rules begin with their field, because the server has no other place for it. */
function said(field: string, message: string): string {
  return message.startsWith(`${field}: `) ? message : `${field} ${message}`;
}

/** Adds managedFields: the person owns every field of the file, because no server has recorded the owners. */
function withOwners(object: KubeObject): KubeObject {
  const { metadata, apiVersion, kind: _kind, status: _status, ...content } = object;
  if (metadata.managedFields !== undefined) return object;
  const leaves = (map: object): FieldsV1 => Object.fromEntries(Object.keys(map).map((key) => [`f:${key}`, {}]));
  const { labels, annotations } = metadata;
  const marks: FieldsV1 = {
    ...(labels === undefined ? {} : { "f:labels": leaves(labels) }),
    ...(annotations === undefined ? {} : { "f:annotations": leaves(annotations) }),
  };
  const fieldsV1: FieldsV1 = {
    ...leaves(content),
    ...(Object.keys(marks).length === 0 ? {} : { "f:metadata": marks }),
  };
  const entry = { manager: "kubectl", operation: "Apply" as const, apiVersion, fieldsType: "FieldsV1", fieldsV1 };
  return { ...object, metadata: { ...metadata, managedFields: [entry] } };
}

/** An object of a file in place of the live object; it keeps the metadata that only the hub knows. */
export function inPlaceOf(live: KubeObject | undefined, object: KubeObject): KubeObject {
  if (live === undefined) return withOwners(object);
  const { uid, resourceVersion, generation, deletionTimestamp } = live.metadata;
  const kept = Object.entries({ uid, resourceVersion, generation, deletionTimestamp }).filter(
    ([, value]) => value !== undefined,
  );
  const status = live["status"] === undefined ? {} : { status: live["status"] };
  return withOwners({ ...object, ...status, metadata: { ...object.metadata, ...Object.fromEntries(kept) } });
}
