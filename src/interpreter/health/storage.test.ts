import { type Case, available, cases, condition, degraded, failed, progressing } from "../testing/workloadHealth.ts";

const asking = (storage: string): object => ({ resources: { requests: { storage } } });
const bound = (storage: unknown, ...conditions: object[]): object => ({
  phase: "Bound",
  capacity: { storage },
  conditions,
});

cases("v1 PersistentVolumeClaim", [
  ["nobody has seen it", {}, progressing("NoReport")],
  ["a phase that nobody knows", { status: { phase: "Odd" } }, progressing("NoReport")],
  [
    "waits for a volume, or with WaitForFirstConsumer for a pod",
    { status: { phase: "Pending" } },
    progressing("VolumePending", "it has no volume yet; some storage classes wait for a pod that uses it"),
  ],
  ["bound", { spec: asking("1Gi"), status: bound("1Gi") }, available],
  ["bound to more than was asked for", { spec: asking("1Gi"), status: bound("10Gi") }, available],
  ["no size is known", { spec: asking("1Gi"), status: { phase: "Bound" } }, available],
  ["the size that was asked for is unreadable", { spec: asking("much"), status: bound("1Gi") }, available],
  [
    "has to grow",
    { spec: asking("2Gi"), status: bound("1Gi") },
    progressing("VolumeResizing", "1Gi of 2Gi are there", "Now"),
  ],
  ...["Resizing", "FileSystemResizePending", "ModifyingVolume"].map((type): Case => [
    `being changed: ${type}`,
    { spec: asking("2Gi"), status: bound("1Gi", condition(type, "True", "", "soon")) },
    progressing(type, "soon", "Now"),
  ]),
  ...["ControllerResizeError", "NodeResizeError", "ModifyVolumeError"].map((type): Case => [
    `could not be changed: ${type}`,
    { status: bound("1Gi", condition(type, "False"), condition(type, "True", "", "no")) },
    degraded(type, "no", "Now"),
  ]),
  [
    "was changed",
    { status: bound("1Gi", condition("Resizing", "False"), condition("NodeResizeError", "False")) },
    available,
  ],
  [
    "its volume is gone",
    { status: { phase: "Lost" } },
    failed("VolumeLost", "the volume that it was bound to is not there any more"),
  ],
]);

cases("v1 PersistentVolume", [
  ["nobody has seen it", {}, progressing("NoReport")],
  ["a phase that nobody knows", { status: { phase: "Odd" } }, progressing("NoReport")],
  [
    "not ready to be claimed",
    { status: { phase: "Pending" } },
    progressing("VolumePending", "the volume is not available yet"),
  ],
  ["free", { status: { phase: "Available" } }, available],
  ["claimed", { status: { phase: "Bound" } }, available],
  [
    "its claim is gone",
    { spec: { claimRef: { namespace: "shop", name: "data" } }, status: { phase: "Released" } },
    degraded("VolumeReleased", "shop/data is gone, and until the volume is reclaimed it serves nobody"),
  ],
  ["could not be reclaimed", { status: { phase: "Failed" } }, failed("VolumeLost", "its reclamation failed")],
]);
