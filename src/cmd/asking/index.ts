/**
 * The query API, as a command asks it. Promises: it is asked with the person's own credentials, over a connection that
 * the hub's certificate proves or that stays on this machine; nobody waits for it for long; a reason says why it is not
 * there.
 */
export { findQueryApi, isOfThisMachine, type Place } from "./find.ts";
export { LOCAL_ADDRESS } from "./names.ts";
export { linesOf, QueryApi } from "./queryApi.ts";
