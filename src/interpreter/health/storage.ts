import { type KubeObject, parseQuantity, valueAt } from "../../apis/index.ts";
import type { Health } from "../types.ts";
import { isFields, textOf } from "../values.ts";
import { available, because, conditionOf, conditionsOf, health, noReport, serving, statusOf } from "./report.ts";

/** Health of volumes and of the claims to them. */

/** Conditions of a bound claim whose change failed. Its volume still serves unchanged. */
const FAILED_CHANGE: ReadonlySet<string> = new Set(["ControllerResizeError", "NodeResizeError", "ModifyVolumeError"]);
/** Conditions of a bound claim whose change is under way. */
const CHANGING = ["Resizing", "FileSystemResizePending", "ModifyingVolume"];

export function claimHealth(object: KubeObject): Health {
  switch (statusOf(object)["phase"]) {
    case "Bound":
      return boundHealth(object);
    case "Pending":
      // The claim itself does not show if its storage class waits for a pod.
      return health(
        "Progressing",
        "VolumePending",
        "it has no volume yet; some storage classes wait for a pod that uses it",
      );
    case "Lost":
      return health("Failed", "VolumeLost", "the volume that it was bound to is not there any more");
    default:
      return noReport();
  }
}

function boundHealth(object: KubeObject): Health {
  const failed = conditionsOf(object).find(({ type, status }) => FAILED_CHANGE.has(type) && status === "True");
  if (failed !== undefined) return serving(because("Degraded", failed));
  for (const type of CHANGING) {
    const changing = conditionOf(object, type);
    if (changing?.status === "True") return serving(because("Progressing", changing));
  }
  const asked = valueAt(object, ["spec", "resources", "requests", "storage"]);
  const got = valueAt(object, ["status", "capacity", "storage"]);
  if (!isLess(got, asked)) return available;
  return serving(health("Progressing", "VolumeResizing", `${String(got)} of ${String(asked)} are there`));
}

function isLess(a: unknown, b: unknown): boolean {
  const [left, right] = [a, b].map((quantity) => (typeof quantity === "string" ? parseQuantity(quantity) : undefined));
  return left !== undefined && right !== undefined && left < right;
}

export function volumeHealth(object: KubeObject): Health {
  const status = statusOf(object);
  const message = textOf(status["message"]);
  switch (status["phase"]) {
    case "Available":
    case "Bound":
      return available;
    case "Pending":
      return health("Progressing", "VolumePending", message ?? "the volume is not available yet");
    case "Released":
      return health("Degraded", "VolumeReleased", message ?? claimedBefore(object));
    case "Failed":
      return health("Failed", "VolumeLost", message ?? "its reclamation failed");
    default:
      return noReport();
  }
}

function claimedBefore(object: KubeObject): string {
  const claim = valueAt(object, ["spec", "claimRef"]);
  const name = isFields(claim) ? `${String(claim["namespace"])}/${String(claim["name"])}` : "its claim";
  return `${name} is gone, and until the volume is reclaimed it serves nobody`;
}
