import type { Filter, ObjectPair, QueryEngine, RowKey, Scope } from "../../types.ts";
import { RequestError } from "../answers/index.ts";
import type { Reviewer } from "./reviewer.ts";
import type { User } from "./user.ts";

/** A kind of the hub whose objects may have rows. */
export interface ReadableKind {
  /** `group/Kind`. */
  kindKey: string;
  group: string;
  /** Plural. */
  resource: string;
}

export interface ScopesOptions {
  reviewer: Pick<Reviewer, "mayList">;
  /** Kinds as the hub serves them now. */
  kinds: () => Iterable<ReadableKind>;
}

/** Of one request. Whoever has rights in more namespaces names the ones that he wants. */
const MOST_REVIEWS = 1_024;
const CLUSTERS = { group: "federation.paas.cmft.com", resource: "memberclusters" };

/** What the hub lets a user read, as far as one request needs to know. */
export class ReviewedScope implements Scope {
  readonly subject: string;
  readonly mayReadClusters: boolean;
  readonly #everywhere: ReadonlySet<string>;
  readonly #pairs: ReadonlyMap<string, boolean>;
  /** Called for a pair that was not reviewed: an object came after the reviews. */
  onUnknown: (pair: string) => void = () => undefined;

  constructor(
    { key, name }: Pick<User, "key" | "name">,
    facts: { everywhere: ReadonlySet<string>; pairs: ReadonlyMap<string, boolean>; mayReadClusters: boolean },
  ) {
    this.subject = `${name}/${key}`;
    this.mayReadClusters = facts.mayReadClusters;
    this.#everywhere = facts.everywhere;
    this.#pairs = facts.pairs;
  }

  /** No kind of those in question may be read anywhere. */
  get isEmpty(): boolean {
    return this.#everywhere.size === 0 && [...this.#pairs.values()].every((allowed) => !allowed);
  }

  mayRead(namespace: string | undefined, kindKey: string): boolean {
    if (this.#everywhere.has(kindKey)) return true;
    const pair = pairKey({ namespace, kindKey });
    const answer = this.#pairs.get(pair);
    if (answer === undefined) this.onUnknown(pair);
    return answer ?? false;
  }
}

/**
 * Makes scopes from SubjectAccessReviews: a user reads the rows of objects that he may list on the hub. Each kind is
 * reviewed for the whole cluster first, then by namespace.
 */
export class Scopes {
  readonly #options: ScopesOptions;

  constructor(options: ScopesOptions) {
    this.#options = options;
  }

  /** What the user may read of the kind of one row. */
  async ofRow(user: User, key: RowKey, engine: Pick<QueryEngine, "pairs">): Promise<ReviewedScope> {
    // Without an object, the counts of a cluster's row are of every object.
    if (!("object" in key)) return this.of(user, {}, engine);
    const { group, kind, namespace } = key.object;
    const namespaces = namespace === undefined ? {} : { namespace: [namespace] };
    return this.of(user, { kind: [`${group}/${kind}`], ...namespaces }, engine);
  }

  /** @throws {RequestError} 403 if the request needs too many reviews, 503 if the hub does not answer */
  async of(user: User, filter: Filter, engine: Pick<QueryEngine, "pairs">): Promise<ReviewedScope> {
    const { reviewer } = this.#options;
    const kinds = [...this.#options.kinds()].filter((kind) => isWanted(kind, filter.kind));
    const [mayReadClusters, ...reviewed] = await Promise.all([
      reviewer.mayList(user, CLUSTERS),
      ...kinds.map(async (kind) => ({ kind, allowed: await reviewer.mayList(user, kind) })),
    ]);
    const everywhere = new Set(reviewed.filter(({ allowed }) => allowed).map(({ kind }) => kind.kindKey));
    const narrow = new Map(reviewed.filter(({ allowed }) => !allowed).map(({ kind }) => [kind.kindKey, kind]));
    const pairs = new Map<string, boolean>();
    // The right on objects without a namespace is the right on the whole cluster.
    for (const kindKey of narrow.keys()) pairs.set(pairKey({ namespace: undefined, kindKey }), false);
    const asked: { key: string; kind: ReadableKind; namespace: string }[] = [];
    for (const pair of wantedPairs(filter, narrow, engine)) {
      const kind = narrow.get(pair.kindKey);
      if (kind === undefined || pair.namespace === undefined) continue;
      asked.push({ key: pairKey(pair), kind, namespace: pair.namespace });
      if (asked.length > MOST_REVIEWS)
        throw new RequestError(
          403,
          `your rights would have to be checked in more than ${MOST_REVIEWS} places; name a namespace and a kind`,
        );
    }
    await Promise.all(
      asked.map(async ({ key, kind: { group, resource }, namespace }) => {
        pairs.set(key, await reviewer.mayList(user, { group, resource, namespace }));
      }),
    );
    return new ReviewedScope(user, { everywhere, pairs, mayReadClusters });
  }
}

/**
 * With named namespaces, every kind is reviewed there, whether or not there are objects: the time of an answer must not
 * tell which of them have objects.
 */
function* wantedPairs(
  filter: Filter,
  narrow: ReadonlyMap<string, ReadableKind>,
  engine: Pick<QueryEngine, "pairs">,
): Iterable<ObjectPair> {
  if (narrow.size === 0) return;
  if (filter.namespace === undefined) {
    yield* engine.pairs(filter);
    return;
  }
  for (const namespace of filter.namespace) for (const kindKey of narrow.keys()) yield { namespace, kindKey };
}

function isWanted({ kindKey }: ReadableKind, wanted: readonly string[] | undefined): boolean {
  if (wanted === undefined) return true;
  return wanted.some((kind) => kindKey === kind || kindKey.endsWith(`/${kind}`));
}

function pairKey({ namespace, kindKey }: ObjectPair): string {
  return namespace === undefined ? kindKey : `${namespace} ${kindKey}`;
}
