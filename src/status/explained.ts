import { defined } from "../apis/index.ts";
import { type Explanation, explain, type Snapshot } from "../desiredstate/index.ts";
import { deletionText } from "./conditions/index.ts";
import { runningText } from "./entries/index.ts";

/** The planner's decision with what the object's status adds: the running versions, and the wait of a deletion. */
export function explained(snapshot: Snapshot, now: number): Explanation {
  const runs = runningText(snapshot.previous);
  const explanation = { ...explain(snapshot, now), ...defined({ runs }) };
  const { deletionTimestamp: since } = snapshot.object.metadata;
  if (since === undefined) return explanation;
  return { ...explanation, deletion: { since, message: deletionText(snapshot.previous, since) ?? "" } };
}
