import { type KubeObject, refKey, refOf } from "../../apis/index.ts";
import { CommandError, type PlanOptions } from "../shared/index.ts";
import { type FileObject, inPlaceOf, objectsOfFiles, type PlannerHubState, put, stateOf } from "./state/index.ts";

/** What is, and what would be. */
export interface BeforeAndAfter {
  before: PlannerHubState;
  after: PlannerHubState;
}

type Given = Pick<PlanOptions, "from" | "recursive" | "without" | "cordon" | "drain" | "serverSide">;

/**
 * Both from files alone: `from` says what is there now, and each of `files` comes in the place of the object of that name, as it stands there.
 * Throws {@link CommandError} where nobody could plan from that.
 */
export async function statesOfFiles(
  options: Given,
  files: readonly FileObject[],
  namespace: string,
): Promise<BeforeAndAfter> {
  const { from, recursive, serverSide } = options;
  if (serverSide)
    throw new CommandError("--server-side is about how a hub merges: with --without-hub the files count as they stand");
  const present = from.length === 0 ? [] : await objectsOfFiles({ files: from, recursive, namespace });
  const before = stateOf(present);
  // Marks of member objects name the hub; without it they are compared with each other all the same.
  before.hubId = hubIdIn(present.map(({ object }) => object));
  const after = before.clone();
  for (const { object } of files) put(after, inPlaceOf(standingIn(before, object), object));
  if (after.clusters.length === 0)
    throw new CommandError(
      "the files hold no MemberCluster: write them with `kubectl get memberclusters -o yaml`, and give that file with --from",
    );
  return { before, after };
}

function hubIdIn(objects: readonly KubeObject[]): string {
  const system = objects.find(({ kind, metadata }) => kind === "Namespace" && metadata.name === "kube-system");
  return system?.metadata.uid ?? "";
}

function standingIn({ objects, clusters }: PlannerHubState, object: KubeObject): KubeObject | undefined {
  const key = refKey(refOf(object));
  return (
    objects.get(key) ?? clusters.map((one) => one as unknown as KubeObject).find((one) => refKey(refOf(one)) === key)
  );
}
