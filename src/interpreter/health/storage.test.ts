import { available, cases, condition } from "./testing.ts";

cases("v1 PersistentVolumeClaim", [
  { name: "nobody has seen it", want: { state: "Progressing", reason: "NoReport" } },
  {
    name: "waits for a volume, or with WaitForFirstConsumer for a pod",
    status: { phase: "Pending" },
    want: {
      state: "Progressing",
      reason: "VolumePending",
      message: "it has no volume yet; some storage classes wait for a pod that uses it",
    },
  },
  {
    name: "bound",
    spec: { resources: { requests: { storage: "1Gi" } } },
    status: { phase: "Bound", capacity: { storage: "1Gi" } },
    want: available,
  },
  { name: "bound, without a word on its size", status: { phase: "Bound" }, want: available },
  {
    name: "bound to more than was asked for",
    spec: { resources: { requests: { storage: "1Gi" } } },
    status: { phase: "Bound", capacity: { storage: "10Gi" } },
    want: available,
  },
  {
    name: "is to grow",
    spec: { resources: { requests: { storage: "2Gi" } } },
    status: { phase: "Bound", capacity: { storage: "1Gi" } },
    want: { state: "Progressing", reason: "VolumeResizing", message: "1Gi of 2Gi are there", serves: "Now" },
  },
  {
    name: "grows, as its controller says",
    spec: { resources: { requests: { storage: "2Gi" } } },
    status: {
      phase: "Bound",
      capacity: { storage: "1Gi" },
      conditions: [condition("FileSystemResizePending", "True", "", "waits for a pod")],
    },
    want: { state: "Progressing", reason: "FileSystemResizePending", message: "waits for a pod", serves: "Now" },
  },
  {
    name: "cannot grow",
    status: { phase: "Bound", conditions: [condition("ControllerResizeError", "True", "", "no room")] },
    want: { state: "Degraded", reason: "ControllerResizeError", message: "no room", serves: "Now" },
  },
  { name: "its volume is gone", status: { phase: "Lost" }, want: { state: "Failed", reason: "VolumeLost" } },
]);

cases("v1 PersistentVolume", [
  { name: "nobody has seen it", want: { state: "Progressing", reason: "NoReport" } },
  {
    name: "not ready to be claimed",
    status: { phase: "Pending" },
    want: { state: "Progressing", reason: "VolumePending" },
  },
  { name: "free", status: { phase: "Available" }, want: available },
  { name: "claimed", status: { phase: "Bound" }, want: available },
  {
    name: "its claim is gone",
    spec: { claimRef: { namespace: "shop", name: "data" } },
    status: { phase: "Released" },
    want: {
      state: "Degraded",
      reason: "VolumeReleased",
      message: "shop/data is gone, and until the volume is reclaimed it serves nobody",
    },
  },
  {
    name: "could not be reclaimed",
    status: { phase: "Failed", message: "the disk is in use" },
    want: { state: "Failed", reason: "VolumeLost", message: "the disk is in use" },
  },
]);
