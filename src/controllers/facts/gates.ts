import type { RolloutStatus } from "../../apis/index.ts";
import type { Logger } from "../../observability/index.ts";
import type { GateReply } from "../../rollout/index.ts";
import { type Clock, Emitter } from "../../runtime/index.ts";
import type { GateQuestion, ObjectStates, PartStore } from "../states/index.ts";

/** Sends the query of a gate to Prometheus. Rejects if there is no answer. */
export type AskGate = (query: string, signal: AbortSignal) => Promise<GateReply>;

export interface GatesOptions {
  ask: AskGate | undefined;
  states: PartStore<"gates"> & Pick<ObjectStates, "having">;
  clock: Pick<Clock, "after">;
  logger: Logger;
}

export interface GatedRun {
  owner: string;
  query: string | undefined;
  status: RolloutStatus | undefined;
}

export const ASK_AGAIN_MS = 30_000;
const MOST_AT_ONCE = 4;
const NO_SERVER = "the manager was started without --prometheus-url";
const NO_ANSWER = "Prometheus does not answer; see the manager's log";

/**
 * The queries that stages of rollouts wait for. A query is repeated while the answer is `Unknown`. An answer belongs to
 * one attempt of one stage, and does not outlive the process.
 */
export class Gates implements Disposable {
  readonly changes = new Emitter<string>();
  readonly #options: GatesOptions;
  readonly #end = new AbortController();
  /** Queries that wait to be sent, with the questions that each query answers. */
  readonly #waiting = new Map<string, Set<GateQuestion>>();
  #underWay = 0;

  constructor(options: GatesOptions) {
    this.#options = options;
  }

  get hasPrometheus(): boolean {
    return this.#options.ask !== undefined;
  }

  replies({ owner, query, status }: GatedRun): ReadonlyMap<string, GateReply> {
    const questions = this.#questionsOf(owner);
    const known = new Map<string, GateReply>();
    if (questions === undefined || query === undefined) return known;
    for (const { name } of status?.stages ?? []) {
      const reply = questions.get(aboutOf(query, status, name))?.reply;
      if (reply !== undefined) known.set(name, reply);
    }
    return known;
  }

  /** Sends the queries of these stages, and stops those of other stages. `status`: the rollout status on the hub. */
  ask({ owner, query, status }: GatedRun, stages: readonly string[]): void {
    if (query === undefined) {
      this.forget(owner);
      return;
    }
    const asked = new Set(stages.map((name) => aboutOf(query, status, name)));
    const current = new Set(status?.stages?.map(({ name }) => aboutOf(query, status, name)));
    const { states } = this.#options;
    const questions = this.#questionsOf(owner) ?? new Map<string, GateQuestion>();
    states.setPart(owner, "gates", questions);
    for (const [about, question] of questions) {
      const isAnswered = question.reply !== undefined && question.reply.answer !== "Unknown";
      if (asked.has(about) || (current.has(about) && isAnswered)) continue;
      this.#drop(question);
      questions.delete(about);
    }
    for (const about of asked) {
      if (questions.has(about)) continue;
      const question: GateQuestion = { owner, about, query };
      questions.set(about, question);
      this.#enqueue(question);
    }
    if (questions.size === 0) states.clear(owner, "gates");
  }

  forget(owner: string): void {
    for (const question of this.#questionsOf(owner)?.values() ?? []) this.#drop(question);
    this.#options.states.clear(owner, "gates");
  }

  [Symbol.dispose](): void {
    this.#end.abort(new Error("the rollouts end"));
    for (const owner of [...this.#options.states.having("gates")]) this.forget(owner);
  }

  #questionsOf(owner: string): Map<string, GateQuestion> | undefined {
    return this.#options.states.get(owner)?.gates;
  }

  #drop(question: GateQuestion): void {
    question.again?.[Symbol.dispose]();
    const waiting = this.#waiting.get(question.query);
    waiting?.delete(question);
    if (waiting?.size === 0) this.#waiting.delete(question.query);
  }

  #enqueue(question: GateQuestion): void {
    delete question.again;
    const { ask } = this.#options;
    if (ask === undefined) {
      this.#answer(question, { answer: "Unknown", why: NO_SERVER });
      return;
    }
    const waiting = this.#waiting.get(question.query);
    if (waiting === undefined) this.#waiting.set(question.query, new Set([question]));
    else waiting.add(question);
    this.#askNext(ask);
  }

  /** An answer counts for all questions that waited when the query was sent; for later ones it would be too old. */
  #askNext(ask: AskGate): void {
    const [next] = this.#waiting;
    if (next === undefined || this.#underWay >= MOST_AT_ONCE || this.#end.signal.aborted) return;
    const [query, questions] = next;
    this.#waiting.delete(query);
    this.#underWay += 1;
    void this.#asked(ask, query).then((reply) => {
      this.#underWay -= 1;
      if (this.#end.signal.aborted) return;
      for (const question of questions) this.#answer(question, reply);
      this.#askNext(ask);
    });
  }

  async #asked(ask: AskGate, query: string): Promise<GateReply> {
    try {
      return await ask(query, this.#end.signal);
    } catch (error) {
      if (!this.#end.signal.aborted)
        this.#options.logger.warn({ err: error }, "the query of a rollout's gate has no answer");
      return { answer: "Unknown", why: NO_ANSWER };
    }
  }

  #answer(question: GateQuestion, reply: GateReply): void {
    if (this.#questionsOf(question.owner)?.get(question.about) !== question) return;
    const before = question.reply;
    question.reply = reply;
    if (reply.answer === "Unknown" && this.#options.ask !== undefined)
      question.again = this.#options.clock.after(ASK_AGAIN_MS, () => this.#enqueue(question));
    if (before?.answer !== reply.answer || before.why !== reply.why) this.changes.emit(question.owner);
  }
}

function aboutOf(query: string, status: RolloutStatus | undefined, name: string): string {
  const stage = status?.stages?.find((one) => one.name === name);
  return JSON.stringify([status?.revision, status?.startedAt, name, stage?.startedAt, stage?.soakingSince, query]);
}
