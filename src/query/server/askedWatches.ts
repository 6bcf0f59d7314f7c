import { QUERY_PATH } from "../../apis/index.ts";
import { quoted } from "../ask/index.ts";
import { badRequest } from "../types.ts";
import { type Asked, askedBy, parametersOf, routeOf } from "./requests.ts";
import type { NamedWatch } from "./watches/index.ts";

const MOST_WATCHES = 8;
const NAME = /^[a-z][a-z0-9-]{0,31}$/;

/**
 * The watches that a request names: the name of each parameter is the name of a watch, its value is the address of the
 * watch after the path of the API, such as `namespaces/shop/causes?reason=OOMKilled`.
 *
 * @throws {QueryError} 400 if the request as a whole is wrong
 */
export function askedWatches(parameters: URLSearchParams): NamedWatch[] {
  const names = [...parameters.keys()];
  if (names.length === 0 || names.length > MOST_WATCHES)
    throw badRequest(`watches takes 1 to ${MOST_WATCHES} parameters, such as a=causes, and not ${names.length}`);
  for (const name of names) {
    if (!NAME.test(name)) throw badRequest(`${quoted(name)} is no name of a watch; use a-z, 0-9 and -, up to 32`);
    if (parameters.getAll(name).length > 1) throw badRequest(`watch ${name} is there twice; give each its own name`);
  }
  return [...parameters].map(([name, address]) => ({ name, parse: () => parsed(address) }));
}

function parsed(address: string): Asked {
  const [path = ""] = address.split("?", 1);
  const route = routeOf(`${QUERY_PATH}/${path}`);
  if (route?.to !== "Resource" || route.name !== undefined)
    throw badRequest("a watch is of a resource, such as causes or namespaces/NAME/placedobjects");
  return askedBy(route, parametersOf(address), undefined);
}
