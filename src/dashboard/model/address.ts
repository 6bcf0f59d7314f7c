import { QUERY_PATH } from "../../apis/index.ts";

/** A page that the hub's API server brings from the Service, as behind `kubectl proxy`. */
const BY_SERVICE = /^(.*)\/api\/v1\/namespaces\/[^/]+\/services\/[^/]+\/proxy\/dashboard\/$/;

/**
 * Where the page asks. By default beside the page, so that a prefix of a proxy does not matter. A request by way of a
 * Service loses its user; so a page that came this way asks the hub itself, which knows the user of `kubectl proxy`.
 */
export function queryAddress(pathname: string): { address: string; isOfHub: boolean } {
  const prefix = BY_SERVICE.exec(pathname)?.[1];
  return prefix === undefined
    ? { address: `..${QUERY_PATH}`, isOfHub: false }
    : { address: `${prefix}${QUERY_PATH}`, isOfHub: true };
}
