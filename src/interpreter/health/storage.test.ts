import { available, cases, condition, degraded, failed, progressing } from "../testing/workloadHealth.ts";

const asking = (storage: string): object => ({ resources: { requests: { storage } } });
const bound = (storage: unknown, ...conditions: object[]): object => ({
  phase: "Bound",
  capacity: { storage },
  conditions,
});

cases("v1 PersistentVolumeClaim", [
  { name: "nobody has seen it", want: progressing("NoReport") },
  { name: "a phase that nobody knows", status: { phase: "Odd" }, want: progressing("NoReport") },
  {
    name: "waits for a volume, or with WaitForFirstConsumer for a pod",
    status: { phase: "Pending" },
    want: progressing("VolumePending", "it has no volume yet; some storage classes wait for a pod that uses it"),
  },
  { name: "bound", spec: asking("1Gi"), status: bound("1Gi"), want: available },
  { name: "bound to more than was asked for", spec: asking("1Gi"), status: bound("10Gi"), want: available },
  { name: "no size is known", spec: asking("1Gi"), status: { phase: "Bound" }, want: available },
  { name: "the size that was asked for is unreadable", spec: asking("much"), status: bound("1Gi"), want: available },
  {
    name: "has to grow",
    spec: asking("2Gi"),
    status: bound("1Gi"),
    want: progressing("VolumeResizing", "1Gi of 2Gi are there", "Now"),
  },
  ...["Resizing", "FileSystemResizePending", "ModifyingVolume"].map((type) => ({
    name: `being changed: ${type}`,
    spec: asking("2Gi"),
    status: bound("1Gi", condition(type, "True", "", "soon")),
    want: progressing(type, "soon", "Now"),
  })),
  ...["ControllerResizeError", "NodeResizeError", "ModifyVolumeError"].map((type) => ({
    name: `could not be changed: ${type}`,
    status: bound("1Gi", condition(type, "False"), condition(type, "True", "", "no")),
    want: degraded(type, "no", "Now"),
  })),
  {
    name: "was changed",
    status: bound("1Gi", condition("Resizing", "False"), condition("NodeResizeError", "False")),
    want: available,
  },
  {
    name: "its volume is gone",
    status: { phase: "Lost" },
    want: failed("VolumeLost", "the volume that it was bound to is not there any more"),
  },
]);

cases("v1 PersistentVolume", [
  { name: "nobody has seen it", want: progressing("NoReport") },
  { name: "a phase that nobody knows", status: { phase: "Odd" }, want: progressing("NoReport") },
  {
    name: "not ready to be claimed",
    status: { phase: "Pending" },
    want: progressing("VolumePending", "the volume is not available yet"),
  },
  { name: "free", status: { phase: "Available" }, want: available },
  { name: "claimed", status: { phase: "Bound" }, want: available },
  {
    name: "its claim is gone",
    spec: { claimRef: { namespace: "shop", name: "data" } },
    status: { phase: "Released" },
    want: degraded("VolumeReleased", "shop/data is gone, and until the volume is reclaimed it serves nobody"),
  },
  { name: "could not be reclaimed", status: { phase: "Failed" }, want: failed("VolumeLost", "its reclamation failed") },
]);
