/** Parsers of server answers, for tests of the code that reads their results. */
export { eventFrom, storable } from "../client/wire.ts";
