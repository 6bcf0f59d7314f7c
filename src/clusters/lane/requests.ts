import {
  type Emptiness,
  isNamespace,
  type ObservedObject,
  type RecordNamespace,
  withHubVersion,
} from "../model/index.ts";
import type { Attempt } from "./attempt.ts";
import type { LaneMember } from "./laneMember.ts";
import type { Written } from "../write/index.ts";

/** Answer of the member to the requests of an attempt. */
export type Answer =
  | { kind: "Written"; written: Written }
  /** Undefined: no object of ours has the name. */
  | { kind: "Found"; found: ObservedObject | undefined }
  | { kind: "Read"; read: ObservedObject | undefined }
  /** Deleted or released. */
  | { kind: "Removed"; uid: string }
  /** The namespace stays, since it was not the inspected version any more. */
  | { kind: "Changed" }
  | { kind: "Inspected"; emptiness: Emptiness }
  | { kind: "Labelled" };

/** Sends the requests of the attempt. Throws the client's errors. `record`: reports the creation of a namespace. */
export async function send(
  { object: { ref, row }, action }: Attempt,
  { writer, namespaces }: Pick<LaneMember, "writer" | "namespaces">,
  record: RecordNamespace,
): Promise<Answer> {
  switch (action.kind) {
    case "Create":
      return { kind: "Written", written: await writer.create(withHubVersion(action.row), record) };
    case "Update": {
      const { observed, drift } = action;
      return { kind: "Written", written: await writer.update(withHubVersion(action.row), observed, drift, action) };
    }
    case "Delete": {
      const { observed } = action;
      if (isNamespace(ref) && !(await namespaces.delete(ref.name, observed))) return { kind: "Changed" };
      if (!isNamespace(ref)) await writer.delete(ref, observed, row?.verb === "Delete" ? row : {});
      return { kind: "Removed", uid: observed.uid };
    }
    case "Release":
      await writer.release(ref, action.observed);
      return { kind: "Removed", uid: action.observed.uid };
    case "Confirm":
      return { kind: "Found", found: await writer.find(ref, action.owner) };
    case "Read":
      return { kind: "Read", read: await writer.read(ref) };
    case "Inspect":
      return { kind: "Inspected", emptiness: await namespaces.inspect(ref.name) };
    case "Label":
      await namespaces.label(ref.name, action.labels);
      return { kind: "Labelled" };
  }
}
