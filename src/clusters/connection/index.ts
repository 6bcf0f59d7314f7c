/**
 * The connection to one member, and the status of its MemberCluster. Answers of a member are checked here; silence
 * becomes lost contact.
 */
export { NOT_YET_KNOWN, sameContact } from "./connection.ts";
export { DampedContact, type Damping } from "./dampedContact.ts";
export { ClusterPool } from "./pool.ts";
