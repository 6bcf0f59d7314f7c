import { kindKeyOf, type ObjectRef, parseApiVersion } from "../../apis/index.ts";

type Kind = Pick<ObjectRef, "apiVersion" | "kind">;

/** Keys are `group/Kind`. Deleting a volume with the reclaim policy Delete, or a snapshot, deletes its data. */
const HOLDS_DATA: ReadonlySet<string> = new Set([
  "/PersistentVolume",
  "/PersistentVolumeClaim",
  "groupsnapshot.storage.k8s.io/VolumeGroupSnapshot",
  "groupsnapshot.storage.k8s.io/VolumeGroupSnapshotContent",
  "snapshot.storage.k8s.io/VolumeSnapshot",
  "snapshot.storage.k8s.io/VolumeSnapshotContent",
]);

/** True if deleting the object deletes data that nobody can restore. */
export function holdsData({ apiVersion, kind }: Kind): boolean {
  return HOLDS_DATA.has(kindKeyOf({ apiVersion, kind }));
}

/** True if the object can create volume claims, and can delete them together with itself. */
export function makesClaims({ apiVersion, kind }: Kind): boolean {
  return kind === "StatefulSet" && parseApiVersion(apiVersion).group === "apps";
}
