/** The boundary itself, for tests of what lies behind it. */
export { eventFrom, storable } from "../client/wire.ts";
