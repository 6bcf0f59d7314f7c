/**
 * The connection to one member: contact, capacity, version, and what its MemberCluster says of it.
 *
 * Promises: what a member answers is checked here before anything else reads it; silence becomes lost contact.
 */
export { NOT_YET_KNOWN, sameContact } from "./connection.ts";
export { DampedContact, type Damping } from "./dampedContact.ts";
export { ClusterPool } from "./pool.ts";
