import { kindKeyOf, type ObjectRef, parseApiVersion } from "../../apis/index.ts";

type Kind = Pick<ObjectRef, "apiVersion" | "kind">;

/** As `group/Kind`. A volume with the reclaim policy Delete and a snapshot take their data along. */
const HOLDS_DATA: ReadonlySet<string> = new Set([
  "/PersistentVolume",
  "/PersistentVolumeClaim",
  "groupsnapshot.storage.k8s.io/VolumeGroupSnapshot",
  "groupsnapshot.storage.k8s.io/VolumeGroupSnapshotContent",
  "snapshot.storage.k8s.io/VolumeSnapshot",
  "snapshot.storage.k8s.io/VolumeSnapshotContent",
]);

/** Whether data goes with the object that nobody can bring back. */
export function holdsData({ apiVersion, kind }: Kind): boolean {
  return HOLDS_DATA.has(kindKeyOf({ apiVersion, kind }));
}

/** Whether the object may have volume claims made, and taken along when it is deleted. */
export function makesClaims({ apiVersion, kind }: Kind): boolean {
  return kind === "StatefulSet" && parseApiVersion(apiVersion).group === "apps";
}
