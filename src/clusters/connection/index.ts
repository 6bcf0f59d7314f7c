/**
 * The connection to one member: contact, capacity, version, and the status of its MemberCluster.
 *
 * Promises: answers of a member are checked here before other code reads them; silence becomes lost contact.
 */
export { NOT_YET_KNOWN, sameContact } from "./connection.ts";
export { DampedContact, type Damping } from "./dampedContact.ts";
export { ClusterPool } from "./pool.ts";
