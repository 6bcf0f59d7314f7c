import { defined, inFull, type KubeObject, type ObjectRef, refKey, timestamp } from "../../apis/index.ts";
import { compareText } from "../../scheduler/index.ts";
import { type FieldChange, fieldChanges } from "../manifests/index.ts";
import { isInSync } from "../rows/index.ts";
import type { ClusterTarget, DesiredObject, Observation, Role, Row, Target, Why } from "../types.ts";

/**
 * - `None`: the copy is as desired; - `Create`, `Change`, `Remove`: the copy is to be written or removed; - `Wait`: the
 * cluster keeps the last good revision until its turn in the rollout; - `Keep`: the copy stays as it is, see `why`;
 * - `Unknown`: the objects of the kind on the cluster are not known.
 */
export type CopyChange = "None" | "Create" | "Change" | "Remove" | "Wait" | "Keep" | "Unknown";

/** One member object on one cluster: the desired state, and the copy as it was last seen. */
export interface CopyDifference {
  ref: ObjectRef;
  role: Role;
  change: CopyChange;
  /** Why the copy stays, or why it is removed. */
  why?: WhyText;
  /** Why the last write failed. */
  failure?: WhyText & { fields?: readonly string[] };
  /** Fields of the copy that differ from the desired object. Values of Secrets and of dependencies are not shown. */
  fields?: readonly FieldChange[];
  /** Set in place of `fields`: why the fields are not known. */
  fieldsUnknown?: string;
  /** The last correction of fields that somebody had changed on the member. */
  healed?: { at: string; fields: readonly string[]; contested: boolean };
}

export interface ClusterDifference {
  cluster: string;
  objects: readonly CopyDifference[];
}

interface WhyText {
  reason: string;
  message: string;
}

/** A member object with the row of the hub object, and the worker's last report. */
export interface ObservedCopy {
  cluster: string;
  ref: ObjectRef;
  row: Row | undefined;
  observation: Observation | undefined;
  /** False: the objects of the kind on the cluster are not known. */
  isKnown: boolean;
}

type Content = Pick<DesiredObject, "hash" | "object">;

/**
 * Compares desired objects with copies, from what the hub knows. No member is asked: the content of a copy is known only
 * if the copy has the hash of an object that the hub has, as during a rollout.
 */
export function copyDifferences(target: Target | undefined, copies: Iterable<ObservedCopy>): ClusterDifference[] {
  const targets = new Map(target?.clusters.map((cluster) => [cluster.name, cluster]));
  const byCluster = Map.groupBy(copies, ({ cluster }) => cluster);
  const fields = new FieldsByHash();
  const names = [...new Set([...targets.keys(), ...byCluster.keys()])].toSorted(compareText);
  return names.flatMap((cluster): ClusterDifference[] => {
    const objects = differencesOn(targets.get(cluster), byCluster.get(cluster) ?? [], fields);
    return objects.length === 0 ? [] : [{ cluster, objects }];
  });
}

function differencesOn(
  target: ClusterTarget | undefined,
  copies: readonly ObservedCopy[],
  fields: FieldsByHash,
): CopyDifference[] {
  const known = new Map(copies.map((copy) => [refKey(copy.ref), copy]));
  const present = new Map(target?.objects.map((one) => [refKey(one.ref), one]));
  const wanted = new Map((target?.wanted ?? target?.objects)?.map((one) => [refKey(one.ref), one]));
  const keys = [...new Set([...wanted.keys(), ...known.keys()])].toSorted(compareText);
  return keys.flatMap((key): CopyDifference[] => {
    const [desired, copy] = [wanted.get(key), known.get(key)];
    const named = desired ?? copy?.row;
    // Without either, the copy is another hub object's.
    if (named === undefined) return [];
    const { ref, role } = named;
    const change = changeOf(desired, copy);
    const row = copy?.row;
    const contents = [present.get(key), row?.verb === "Apply" ? row : undefined];
    return [
      {
        ...{ ref, role, change },
        ...reasonsOf(desired, copy),
        ...(desired !== undefined && (change === "Change" || change === "Wait" || change === "Keep")
          ? fields.between(copy?.observation?.present?.hash, contents, desired)
          : {}),
      },
    ];
  });
}

function changeOf(desired: DesiredObject | undefined, copy: ObservedCopy | undefined): CopyChange {
  const { row, observation, isKnown = false } = copy ?? {};
  const present = observation?.present;
  if (desired === undefined) {
    if (present === undefined) return isKnown ? "None" : "Unknown";
    return row?.verb === "Hold" || row?.verb === "Apply" ? "Keep" : "Remove";
  }
  if (row?.verb === "Apply" && row.hash === desired.hash && isInSync(row, observation)) return "None";
  if (present === undefined) return isKnown || observation !== undefined ? "Create" : "Unknown";
  if (row?.verb === "Hold") return row.wanted && present.hash === desired.hash ? "None" : "Keep";
  return row?.verb === "Apply" && row.hash !== desired.hash ? "Wait" : "Change";
}

function reasonsOf(
  desired: DesiredObject | undefined,
  copy: ObservedCopy | undefined,
): Pick<CopyDifference, "why" | "failure" | "healed"> {
  const { row, observation } = copy ?? {};
  const why = row === undefined || row.verb === "Apply" ? desired?.held : row.why;
  const { failure, healed } = observation ?? {};
  return {
    ...(why === undefined ? {} : { why: inWords(why) }),
    ...(failure === undefined ? {} : { failure: { ...inWords(failure), ...defined({ fields: failure.fields }) } }),
    ...(healed === undefined
      ? {}
      : {
          healed: {
            at: timestamp(healed.at),
            fields: healed.lost.map(({ path }) => path),
            contested: healed.contested,
          },
        }),
  };
}

function inWords({ reason, message }: Why): WhyText {
  return inFull({ reason, message });
}

/** Clusters share objects, so that each pair of contents is compared once. */
class FieldsByHash {
  readonly #known = new Map<string, readonly FieldChange[]>();

  /** Undefined `hash`: there is no copy, or nobody knows what was applied. */
  between(
    hash: string | undefined,
    contents: readonly (Content | undefined)[],
    desired: DesiredObject,
  ): Pick<CopyDifference, "fields" | "fieldsUnknown"> {
    if (hash === desired.hash) return { fieldsUnknown: CHANGED_THERE };
    const content = contents.find((one) => one?.hash === hash);
    if (hash === undefined || content === undefined) return { fieldsUnknown: ANOTHER_REVISION };
    const key = `${refKey(desired.ref)} ${hash} ${desired.hash}`;
    let fields = this.#known.get(key);
    if (fields === undefined) this.#known.set(key, (fields = shownChanges(content.object, desired)));
    return { fields };
  }
}

const CHANGED_THERE =
  "Meridian applied the desired object, and somebody changed it on the cluster since; kubectl on the cluster shows it";
const ANOTHER_REVISION =
  "the copy is of a revision that the hub does not have any more; kubectl on the cluster shows it";

/** Whoever may read an object of the hub may not always read its dependencies. */
function shownChanges(before: KubeObject, { object, role }: DesiredObject): readonly FieldChange[] {
  const changes = fieldChanges(before, object);
  return role === "dependency" ? changes.map(({ path }) => ({ path, masked: true as const })) : changes;
}
