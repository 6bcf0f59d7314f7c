import PQueue from "p-queue";
import { defined } from "../../../apis/index.ts";
import type { Client, Clock } from "../../../runtime/index.ts";
import { RequestError } from "../answers/index.ts";
import { Recent } from "./recent.ts";
import { isAnonymousUser, type User, userOf } from "./user.ts";

export interface ReviewedResource {
  group: string;
  /** Plural. */
  resource: string;
  subresource?: string;
  /** Undefined: in the whole cluster. */
  namespace?: string;
}

export interface ReviewerOptions {
  client: Client;
  clock: Clock;
  /** Keyed hash of a text, so that no token is a key of a map. */
  digest: (text: string) => string;
}

const CACHED_MS = 10_000;
const REVIEWS_AT_ONCE = 16;
const MOST_WAITING = 2_048;
const MOST_TOKENS = 4_096;
const MOST_RIGHTS = 50_000;
const REVIEW_WITHIN_MS = 10_000;

/** Asks the hub who a token belongs to, and what a user may do. Answers are kept for 10 seconds. */
export class Reviewer {
  readonly #options: ReviewerOptions;
  readonly #queue = new PQueue({ concurrency: REVIEWS_AT_ONCE });
  readonly #users: Recent<Promise<User | undefined>>;
  readonly #rights: Recent<Promise<boolean>>;

  constructor(options: ReviewerOptions) {
    this.#options = options;
    const now = (): number => options.clock.monotonic();
    this.#users = new Recent(MOST_TOKENS, now);
    this.#rights = new Recent(MOST_RIGHTS, now);
  }

  /** True if {@link userOf} costs no call. */
  knows(token: string): boolean {
    return this.#users.get(this.#options.digest(token)) !== undefined;
  }

  /** Undefined if the hub does not accept the token. */
  async userOf(token: string): Promise<User | undefined> {
    return this.#once(this.#users, this.#options.digest(token), async () => {
      const { status = {} } = (await this.#post("/apis/authentication.k8s.io/v1/tokenreviews", {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenReview",
        spec: { token },
      })) as { status?: { authenticated?: unknown; error?: unknown; user?: unknown } };
      if (status.authenticated !== true || (status.error ?? "") !== "") return undefined;
      return userFrom(status.user);
    });
  }

  async mayList(user: User, resource: ReviewedResource): Promise<boolean> {
    return this.#may(user, "list", resource);
  }

  async mayGet(user: User, resource: ReviewedResource): Promise<boolean> {
    return this.#may(user, "get", resource);
  }

  async #may(user: User, verb: string, reviewed: ReviewedResource): Promise<boolean> {
    const { group, resource, subresource, namespace } = reviewed;
    const key = JSON.stringify([user.key, verb, group, resource, subresource ?? null, namespace ?? null]);
    return this.#once(this.#rights, key, async () => {
      const { name, uid, groups, extra } = user;
      const attributes = { verb, group, resource, ...defined({ subresource, namespace }) };
      const { status = {} } = (await this.#post("/apis/authorization.k8s.io/v1/subjectaccessreviews", {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SubjectAccessReview",
        spec: { user: name, groups, extra, ...defined({ uid }), resourceAttributes: attributes },
      })) as { status?: { allowed?: unknown; denied?: unknown } };
      return status.allowed === true && status.denied !== true;
    });
  }

  /** Simultaneous questions share one call. A failure is not kept. */
  async #once<V>(known: Recent<Promise<V>>, key: string, ask: () => Promise<V>): Promise<V> {
    const before = known.get(key);
    if (before !== undefined) return before;
    if (this.#queue.size >= MOST_WAITING)
      throw new RequestError(429, "too many reviews of rights wait for the hub; ask again in 1 s", 1);
    const answer = this.#queue.add(ask);
    known.set(key, answer, CACHED_MS);
    answer.catch(() => known.delete(key, answer));
    return answer;
  }

  async #post(path: string, body: unknown): Promise<object> {
    let answer: unknown;
    try {
      answer = await this.#options.client.raw("POST", path, { body, timeoutMs: REVIEW_WITHIN_MS });
    } catch {
      // The error may quote the request, and the request holds the token.
      throw new RequestError(503, "the hub did not answer a review of your token or rights; ask again in 2 s", 2);
    }
    if (typeof answer === "object" && answer !== null) return answer;
    throw new RequestError(503, "the hub answered a review with something else; ask again in 2 s", 2);
  }
}

function userFrom(value: unknown): User | undefined {
  const { username, uid, groups, extra } = (value ?? {}) as Record<string, unknown>;
  if (typeof username !== "string" || username === "") return undefined;
  const user = userOf(username, {
    ...(typeof uid === "string" && uid !== "" ? { uid } : {}),
    groups: texts(groups),
    extra: Object.fromEntries(Object.entries((extra ?? {}) as object).map(([key, values]) => [key, texts(values)])),
  });
  return isAnonymousUser(user) ? undefined : user;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
