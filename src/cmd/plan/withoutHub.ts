import { type KubeObject, refKey, refOf } from "../../apis/index.ts";
import { CommandError } from "../shared/index.ts";
import type { PlanOptions } from "./verb.ts";
import { type FileObject, inPlaceOf, objectsOfFiles, type PlannerHubState, put, stateOf } from "./state/index.ts";

export interface BeforeAndAfter {
  before: PlannerHubState;
  after: PlannerHubState;
}

type Given = Pick<PlanOptions, "from" | "recursive" | "without" | "cordon" | "drain" | "serverSide">;

/** `from` gives the present state. Throws {@link CommandError} if these files do not allow a plan. */
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
  // Marks on member objects name the hub. Without the hub's ID the marks are still compared with each other.
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
