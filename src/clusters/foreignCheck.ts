import { type KubeObject, MANAGED_BY_LABEL, type ObjectRef, type OwnerRef } from "../apis/index.ts";
import { type Client, type Clock, isNotFound, type ResourceType } from "../runtime/index.ts";
import { ownerOf } from "./observed.ts";

/** From this many questions about one namespace and kind within {@link BURST_MS}, one list answers them all. */
const LIST_FROM = 3;
const BURST_MS = 1_000;
/** How long a list answers for names that it did not contain. The first apply does not force, which covers the rest. */
const LIST_VALID_MS = 2_000;

interface Question {
  name: string;
  resolve: (found: KubeObject | undefined) => void;
  reject: (reason: unknown) => void;
}

/** One namespace and kind, for as long as there are questions about it. */
interface Scope {
  key: string;
  questions: Question[];
  busy: boolean;
  /** Questions since `burstSince`, monotonic milliseconds. Those that a list answered count too, so that a burst that goes on is answered by one list after the other. */
  asked: number;
  burstSince: number;
  /** Objects without our label by name, for as long as the list is valid. */
  foreign: ReadonlyMap<string, KubeObject> | undefined;
}

/**
 * Answers whether a name on the member is taken by an object that Meridian did not make, before the first apply. It reads
 * metadata only, from the API server's cache, and asks for a whole namespace at once when many names are pending: what
 * has our label is left out by the selector, so the answer is short however much Meridian runs there.
 */
export class ForeignCheck {
  readonly #client: Client;
  readonly #hubId: string;
  readonly #clock: Clock;
  readonly #scopes = new Map<string, Scope>();

  constructor(client: Client, hubId: string, clock: Clock) {
    this.#client = client;
    this.#hubId = hubId;
    this.#clock = clock;
  }

  /**
   * Who has that name. An object with our owner annotation is ours even if somebody took the label off. Throws what
   * the client throws.
   */
  async find(type: ResourceType, ref: ObjectRef, owner: OwnerRef): Promise<"Free" | "Ours" | "Foreign"> {
    const found = await this.#ask(type, ref);
    if (found === undefined) return "Free";
    return isOurs(found, owner, this.#hubId) ? "Ours" : "Foreign";
  }

  #ask(type: ResourceType, ref: ObjectRef): Promise<KubeObject | undefined> {
    const key = `${type.group}/${type.plural}/${ref.namespace ?? ""}`;
    let scope = this.#scopes.get(key);
    if (scope === undefined) {
      scope = { key, questions: [], busy: false, asked: 0, burstSince: this.#clock.monotonic(), foreign: undefined };
      this.#scopes.set(key, scope);
    }
    const asked = scope;
    this.#count(asked);
    if (asked.foreign !== undefined) return Promise.resolve(asked.foreign.get(ref.name));
    const { promise, resolve, reject } = Promise.withResolvers<KubeObject | undefined>();
    asked.questions.push({ name: ref.name, resolve, reject });
    if (!asked.busy) {
      asked.busy = true;
      // Everything that is asked in this turn of the event loop goes into the same answer.
      queueMicrotask(() => void this.#answer(type, ref.namespace, asked));
    }
    return promise;
  }

  async #answer(type: ResourceType, namespace: string | undefined, scope: Scope): Promise<void> {
    while (scope.questions.length > 0) {
      const questions = scope.questions;
      scope.questions = [];
      await (scope.asked < LIST_FROM
        ? Promise.all(questions.map((question) => this.#get(type, namespace, question)))
        : this.#list(type, namespace, scope, questions));
    }
    scope.busy = false;
    this.#clock.after(BURST_MS, () => this.#leave(scope));
  }

  #count(scope: Scope): void {
    const now = this.#clock.monotonic();
    if (now - scope.burstSince > BURST_MS) {
      scope.burstSince = now;
      scope.asked = 0;
    }
    scope.asked += 1;
  }

  /** The names of other people's objects are kept no longer than they count. */
  #leave(scope: Scope): void {
    if (scope.busy || scope.foreign !== undefined || this.#scopes.get(scope.key) !== scope) return;
    const left = BURST_MS - (this.#clock.monotonic() - scope.burstSince);
    if (left <= 0) this.#scopes.delete(scope.key);
    else this.#clock.after(left, () => this.#leave(scope));
  }

  async #get(type: ResourceType, namespace: string | undefined, question: Question): Promise<void> {
    try {
      question.resolve(
        await this.#client.get(type, namespace, question.name, { metadataOnly: true, resourceVersion: "0" }),
      );
    } catch (error) {
      if (isNotFound(error)) question.resolve(undefined);
      else question.reject(error);
    }
  }

  async #list(type: ResourceType, namespace: string | undefined, scope: Scope, questions: Question[]): Promise<void> {
    const startedAt = this.#clock.monotonic();
    try {
      const list = await this.#client.list(type, {
        ...(namespace === undefined ? {} : { namespace }),
        labelSelector: `${MANAGED_BY_LABEL}!=${this.#hubId}`,
        metadataOnly: true,
        resourceVersion: "0",
      });
      const foreign = new Map(list.items.map((item) => [item.metadata.name, item]));
      for (const question of questions) question.resolve(foreign.get(question.name));
      const left = LIST_VALID_MS - (this.#clock.monotonic() - startedAt);
      if (left <= 0) return;
      scope.foreign = foreign;
      this.#clock.after(left, () => {
        scope.foreign = undefined;
        this.#leave(scope);
      });
    } catch (error) {
      for (const question of questions) question.reject(error);
    }
  }
}

function isOurs(object: KubeObject, owner: OwnerRef, hubId: string): boolean {
  if (object.metadata.labels?.[MANAGED_BY_LABEL] === hubId) return true;
  return ownerOf(object)?.uid === owner.uid;
}
