/**
 * The connection to one member. Answers of a member are checked here; silence becomes lost contact. The facts about the
 * cluster go to the hub's side as {@link ClusterReport}, which writes the status of the MemberCluster.
 */
export { ClusterPool } from "./pool.ts";
