/**
 * The dashboard: one page in the browser over the query API, and the server of its files.
 *
 * Promises: the files are the same for everybody and hold no data; the page reads and never writes, with the rights of
 * whoever signed in; no script or style from elsewhere runs in it.
 */
export { DashboardFiles } from "./serve.ts";
