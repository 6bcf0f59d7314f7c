/**
 * The audit trail: a record for each request that writes to a member.
 *
 * Promises: who, which object, verb and result are in each record, and no content of any object. Recording never delays a
 * write; records that reach no reader are counted.
 */
export * from "./auditTrail.ts";
