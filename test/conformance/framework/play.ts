import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, Client, OpenWatch, Sent } from "./client.ts";
import { Normalizer } from "./normalize.ts";
import { completed, fullPath } from "./paths.ts";
import type { Ask, AskOptions, Edit, Step, Watch } from "./requests.ts";

/** The answer of one server to one step, without what differs between any two servers. */
export interface Outcome {
  request: string;
  code: number;
  contentType?: string;
  warnings?: string[];
  retryAfter?: string;
  answer: unknown;
}

/** The real server's answer is not as the step says. */
export class BrokenPromise extends Error {
  override readonly name = "BrokenPromise";
}

/** Timeout of `until` and of watches, in milliseconds. */
const PATIENCE = 15_000;

/** Sends the steps of one case to one server. */
export class Play {
  readonly #client: Client;
  readonly #words: Record<string, string>;
  readonly #normalizer = new Normalizer();
  readonly #checked: boolean;

  /** With `checked`, an answer that is not as the step says is an error: so it is on the real server. */
  constructor(client: Client, words: Record<string, string>, checked: boolean) {
    this.#client = client;
    this.#words = { addresses: client.side.addresses, ...words };
    this.#checked = checked;
  }

  async run(steps: readonly Step[]): Promise<Outcome[]> {
    const raw: { step: Step; request: string; answer: Answer; events?: unknown[] }[] = [];
    const watches: { step: Watch; open: OpenWatch; events: Promise<unknown[]>; index: number }[] = [];
    try {
      for (const step of steps) {
        const sent = await this.#sent(step);
        const request = titleOf(step);
        if (step.step === "watch") {
          const open = await this.#client.watch(sent);
          watches.push({ step, open, events: this.#collect(open, step.events), index: raw.length });
          const answer = { code: open.code, contentType: "", warnings: [], retryAfter: undefined, body: open.body };
          this.#check(step, request, answer);
          raw.push({ step, request, answer });
        } else {
          const answer = await this.#ask(step, sent);
          this.#check(step, request, answer);
          this.#keep(step, answer);
          raw.push({ step, request, answer });
        }
      }
      for (const { step, events, index } of watches) {
        const entry = raw[index];
        if (entry === undefined) continue;
        entry.events = await events;
        this.#checkEvents(step, entry.request, entry.events);
      }
    } finally {
      for (const { open } of watches) open.close();
    }
    return raw.map(({ step, request, answer, events }) => this.#outcome(step, request, answer, events));
  }

  async #ask(step: Ask | Edit, first: Sent): Promise<Answer> {
    const deadline = performance.now() + PATIENCE;
    let sent = first;
    for (;;) {
      const answer = await this.#client.send(sent);
      if (step.until !== true || this.#broken(step, answer) === undefined || performance.now() > deadline)
        return answer;
      await sleep(50);
      // An edit reads the object again before it retries.
      if (step.step === "edit") sent = await this.#sent(step);
    }
  }

  async #sent(step: Step): Promise<Sent> {
    const path = this.#path(step);
    const headers: Record<string, string> = {
      accept: step.accept ?? "application/json",
      "user-agent": step.userAgent ?? "conformance/1.0",
    };
    const token = step.token === undefined ? this.#client.side.token : this.#filled(step.token);
    if (token !== "") headers["authorization"] = `Bearer ${token as string}`;
    if (step.step === "watch") return { method: "GET", path, headers };
    const method = step.step === "edit" ? "PUT" : step.method;
    const body = step.step === "edit" ? await this.#edited(step, headers) : this.#body(step);
    if (body !== undefined) headers["content-type"] = step.contentType ?? "application/json";
    return { method, path, headers, ...(body === undefined ? {} : { body }) };
  }

  #path(step: Step): string {
    const query = new URLSearchParams();
    for (const [name, value] of parametersOf(step)) query.set(name, this.#filled(value) as string);
    const path = this.#filled(fullPath(step.path, "{ns}")) as string;
    return query.size === 0 ? path : `${path}${path.includes("?") ? "&" : "?"}${query.toString()}`;
  }

  #body(step: Ask): string | undefined {
    if (step.body === undefined) return undefined;
    const filled = this.#filled(step.raw === true ? step.body : completed(step.path, step.body));
    return typeof filled === "string" ? filled : JSON.stringify(filled);
  }

  async #edited(step: Edit, headers: Record<string, string>): Promise<string> {
    const { body, code } = await this.#client.send({
      method: "GET",
      path: this.#filled(fullPath(step.path, "{ns}")) as string,
      headers: { ...headers, authorization: `Bearer ${this.#client.side.token}`, accept: "application/json" },
    });
    const changes = this.#filled(step.changes);
    // If the object does not exist, the update itself answers so.
    return JSON.stringify(code === 200 ? merged(body, changes) : this.#filled(completed(step.path, changes)));
  }

  /** Puts kept values where `{name}` stands; `{#name}` alone in a string becomes a number. */
  #filled(value: unknown): unknown {
    if (typeof value === "string") {
      const number = /^\{#(\w+)\}$/.exec(value)?.[1];
      if (number !== undefined && number in this.#words) return Number(this.#words[number]);
      return value.replace(/\{(\w+)\}/g, (whole, name: string) => this.#words[name] ?? whole);
    }
    if (Array.isArray(value)) return value.map((item) => this.#filled(item));
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).map(([name, member]) => [this.#filled(name), this.#filled(member)]);
    return Object.fromEntries(entries) as unknown;
  }

  #keep(step: AskOptions, answer: Answer): void {
    for (const [name, path] of Object.entries(step.keep ?? {})) {
      let value = answer.body;
      for (const field of path.split(".")) value = (value as Record<string, unknown> | undefined)?.[field];
      if (value === undefined || value === null)
        throw new BrokenPromise(`the answer has no ${path} to keep: ${said(answer)}`);
      this.#words[name] = typeof value === "string" ? value : JSON.stringify(value);
    }
  }

  #check(step: Step, request: string, answer: Answer): void {
    if (!this.#checked) return;
    const broken = this.#broken(step, answer);
    if (broken !== undefined) throw new BrokenPromise(`${request}: ${broken}`);
  }

  #broken(step: Step, answer: Answer): string | undefined {
    const wanted = step.gives ?? (step.step === "ask" && step.method === "POST" ? 201 : 200);
    if (answer.code !== wanted) return `the answer is ${answer.code}, not ${wanted}: ${said(answer)}`;
    if (step.saying === undefined || (step.step === "watch" && wanted === 200)) return undefined;
    const text = this.#filled(step.saying) as string;
    return said(answer).includes(text) ? undefined : `the answer does not say ${text}: ${said(answer)}`;
  }

  #checkEvents(step: Watch, request: string, events: unknown[]): void {
    if (!this.#checked || (step.gives ?? 200) !== 200) return;
    if (events.length !== step.events)
      throw new BrokenPromise(`${request}: ${events.length} events, not ${step.events}: ${JSON.stringify(events)}`);
    const text = step.saying === undefined ? "" : (this.#filled(step.saying) as string);
    if (!JSON.stringify(events).includes(text))
      throw new BrokenPromise(`${request}: no event says ${text}: ${JSON.stringify(events)}`);
  }

  async #collect(open: OpenWatch, count: number): Promise<unknown[]> {
    const events: unknown[] = [];
    if (open.code !== 200 || count === 0) return events;
    const giveUp = setTimeout(() => open.close(), PATIENCE);
    try {
      for await (const line of open.lines) {
        events.push(line);
        if (events.length === count) break;
      }
    } finally {
      clearTimeout(giveUp);
      open.close();
    }
    return events;
  }

  #outcome(step: Step, request: string, answer: Answer, events: unknown[] | undefined): Outcome {
    const body = events === undefined ? answer.body : events.length > 0 ? events : answer.body;
    const seen = step.see === undefined ? body : step.see(body);
    const { warnings, retryAfter } = answer;
    const type = answer.contentType.split(";")[0] ?? "";
    return {
      request,
      code: answer.code,
      ...(type === "" ? {} : { contentType: type }),
      ...(warnings.length === 0 ? {} : { warnings: warnings.map((text) => this.#normalizer.of(text) as string) }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
      answer: this.#normalizer.of(seen),
    };
  }
}

function parametersOf(step: Step): [string, string][] {
  const { manager, force, dryRun, fieldValidation } = step;
  const parameters = {
    watch: step.step === "watch" ? "true" : undefined,
    fieldManager: manager,
    force: force === undefined ? undefined : `${force}`,
    dryRun,
    fieldValidation,
    ...step.query,
  };
  return Object.entries(parameters).filter((parameter): parameter is [string, string] => parameter[1] !== undefined);
}

/** The step's request with the placeholders of the case, because kept values differ from server to server. */
function titleOf(step: Step): string {
  const method = step.step === "ask" ? step.method : step.step === "edit" ? "PUT" : "GET";
  const parameters = parametersOf(step).map(([name, value]) => `${name}=${value}`);
  return [`${method} ${step.path}`, ...(parameters.length === 0 ? [] : [parameters.join("&")])].join("?");
}

/** Text of an answer, for failure messages and for `saying`. */
function said({ body, warnings }: Answer): string {
  const message =
    typeof body === "object" && body !== null && (body as { kind?: unknown }).kind === "Status"
      ? (body as { message?: string }).message
      : undefined;
  const text = message ?? (typeof body === "string" ? body : JSON.stringify(body));
  return [text, ...warnings].join("\n");
}

function merged(target: unknown, changes: unknown): unknown {
  if (typeof changes !== "object" || changes === null || Array.isArray(changes)) return changes;
  const base = typeof target === "object" && target !== null && !Array.isArray(target) ? target : {};
  const result: Record<string, unknown> = { ...base };
  for (const [name, change] of Object.entries(changes)) {
    if (change === null) delete result[name];
    else result[name] = merged(result[name], change);
  }
  return result;
}
