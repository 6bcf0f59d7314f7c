import type { IncomingMessage, ServerResponse } from "node:http";
import { defined } from "../../apis/index.ts";
import type { MemberSource } from "../members/index.ts";
import type { FullSource } from "../full/index.ts";
import { parseQuery } from "../ask/index.ts";
import { QueryError, type QueryEngine } from "../types.ts";
import { send, RequestError, itemOf, PART_KINDS, rowKeyOf } from "./answers/index.ts";
import { type Proof, type Scopes, type BucketLimits, TokenBuckets } from "./access/index.ts";
import type { MemberParts } from "./memberParts.ts";
import type { PartRoute } from "./requests.ts";

/** What answers subresources. A subresource without a source is answered with 404. */
export interface PartSources {
  full?: FullSource;
  members?: MemberSource;
}

export interface PartCall {
  route: PartRoute;
  request: IncomingMessage;
  response: ServerResponse;
  proof: Proof;
  parameters: URLSearchParams;
  engine: QueryEngine;
  sources: PartSources;
  /** Aborted at the end of the term. */
  signal: AbortSignal;
}

export interface PartsOptions {
  scopes: Scopes;
  /** Milliseconds that never run backwards. */
  now: () => number;
  full: BucketLimits;
  members: MemberParts;
}

/** Answers requests for subresources. Whoever may not read the row is answered as for the row. */
export class Parts {
  readonly #scopes: Scopes;
  readonly #full: TokenBuckets;
  readonly #members: MemberParts;

  constructor({ scopes, now, full, members }: PartsOptions) {
    this.#scopes = scopes;
    this.#members = members;
    this.#full = new TokenBuckets(full, now);
  }

  async answer(call: PartCall): Promise<void> {
    const { part, name, namespace } = call.route;
    if (part === "full") return await this.#whole(call);
    const source = call.sources.members;
    if (source === undefined) throw new RequestError(404, MEMBERS_ARE_NOT_READ);
    await this.#members.answer({ ...call, part, name, namespace, source });
  }

  async #whole({ route, response, proof, parameters, engine, sources }: PartCall): Promise<void> {
    const { resource, namespace, name } = route;
    const clusters = clustersOf(parameters);
    this.#full.take(proof.user.name);
    const key = rowKeyOf(resource, namespace, name);
    if (!("object" in key)) throw new RequestError(404, `${resource} has no such subresource`);
    const scope = await this.#scopes.ofRow(proof.user, key, engine);
    const row = engine.get("federatedobjects", key, scope);
    const { mayReadClusters } = scope;
    const full = await sources.full?.of(row, engine.history(row, scope), {
      ...{ mayReadClusters },
      ...defined({ clusters }),
    });
    if (full === undefined) throw new RequestError(404, "this manager does not answer with whole objects");
    send(response, { ...itemOf(resource, row), kind: PART_KINDS.full, status: full });
  }
}

const MEMBERS_ARE_NOT_READ =
  "members are not read for users: an administrator of the hub can turn it on with --query-members";

/** The parameter `cluster`, and no other one. */
function clustersOf(parameters: URLSearchParams): ReadonlySet<string> | undefined {
  const unknown = [...parameters.keys()].find((name) => name !== "cluster" && name !== "pretty");
  if (unknown !== undefined)
    throw new QueryError(
      400,
      "BadRequest",
      `full takes the parameter cluster, not ${JSON.stringify(unknown.slice(0, 64))}`,
    );
  const rows = [...parameters].filter(([name]) => name === "cluster");
  const { cluster } = parseQuery("placedobjects", rows).filter;
  return cluster === undefined ? undefined : new Set(cluster);
}
