import { EvaluationError, ParseError, type Environment } from "@marcbachmann/cel-js";
import { authorize, type Attributes, type RoleSource } from "../authorization/index.ts";
import { kubernetesEnvironment } from "../schema/cel/environment.ts";
import type { UserInfo } from "../types.ts";
import { describe, type Invocation } from "./review.ts";
import type { Webhook } from "./types.ts";

/** Result of match conditions. Error: a condition could not be evaluated, and none was false. */
export type ConditionResult = { kind: "Match" } | { kind: "NoMatch" } | { kind: "Error"; message: string };

type Program = (variables: Record<string, unknown>) => unknown;

/** Compiled once per text, because configurations are few and requests many. */
const programs = new Map<string, Program | string>();
const MOST_PROGRAMS = 1000;

let environment: Environment | undefined;

/** Evaluates the match conditions of a webhook. One false condition means no match, even if others fail. */
export function checkConditions(
  webhook: Webhook,
  invocation: Invocation,
  roles: RoleSource | undefined,
): ConditionResult {
  const { matchConditions = [] } = webhook;
  if (matchConditions.length === 0) return { kind: "Match" };
  const variables = variablesOf(invocation, roles);
  const problems: string[] = [];
  for (const { expression } of matchConditions) {
    const program = compiled(expression);
    const result = typeof program === "string" ? new Error(program) : evaluate(program, variables);
    if (result === false) return { kind: "NoMatch" };
    if (result !== true) {
      const why = result instanceof Error ? lowerFirst(firstLine(result.message)) : "must evaluate to bool";
      problems.push(`expression '${expression}' resulted in error: ${why}`);
    }
  }
  if (problems.length === 0) return { kind: "Match" };
  return { kind: "Error", message: problems.length === 1 ? (problems[0] as string) : `[${problems.join(", ")}]` };
}

function compiled(expression: string): Program | string {
  let program = programs.get(expression);
  if (program === undefined) {
    if (programs.size >= MOST_PROGRAMS) programs.clear();
    program = compile(expression);
    programs.set(expression, program);
  }
  return program;
}

function compile(expression: string): Program | string {
  try {
    return conditionEnvironment().parse(expression) as Program;
  } catch (error) {
    if (error instanceof ParseError || error instanceof EvaluationError) return error.message;
    throw error;
  }
}

function evaluate(program: Program, variables: Record<string, unknown>): unknown {
  try {
    return program(variables);
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}

function conditionEnvironment(): Environment {
  if (environment !== undefined) return environment;
  environment = kubernetesEnvironment()
    .clone()
    .registerVariable("object", "dyn")
    .registerVariable("oldObject", "dyn")
    .registerVariable("request", "dyn")
    .registerType("kubernetes.authorization.Authorizer", { ctor: Authorizer, fields: {} })
    .registerType("kubernetes.authorization.Check", { ctor: Check, fields: {} })
    .registerType("kubernetes.authorization.Decision", { ctor: CheckDecision, fields: {} })
    .registerVariable("authorizer", "kubernetes.authorization.Authorizer");
  const check = "kubernetes.authorization.Check";
  const authorizer = "kubernetes.authorization.Authorizer";
  const decision = "kubernetes.authorization.Decision";
  const functions: [string, (...args: never[]) => unknown][] = [
    [`${authorizer}.group(string): ${check}`, (self: Authorizer, group: string) => self.check({ group })],
    [`${authorizer}.path(string): ${check}`, (self: Authorizer, path: string) => self.check({ path })],
    [
      `${authorizer}.serviceAccount(string, string): ${authorizer}`,
      (self: Authorizer, namespace: string, name: string) => self.as(namespace, name),
    ],
    [`${check}.resource(string): ${check}`, (self: Check, resource: string) => self.with({ resource })],
    [`${check}.subresource(string): ${check}`, (self: Check, subresource: string) => self.with({ subresource })],
    [`${check}.namespace(string): ${check}`, (self: Check, namespace: string) => self.with({ namespace })],
    [`${check}.name(string): ${check}`, (self: Check, name: string) => self.with({ name })],
    [`${check}.check(string): ${decision}`, (self: Check, verb: string) => self.decide(verb)],
    [`${decision}.allowed(): bool`, (self: CheckDecision) => self.allowed],
    [`${decision}.reason(): string`, (self: CheckDecision) => self.reason],
    [`${decision}.errored(): bool`, () => false],
  ];
  for (const [signature, handler] of functions)
    environment.registerFunction(signature, handler as (...args: unknown[]) => unknown);
  return environment;
}

interface Asked {
  group?: string;
  resource?: string;
  subresource?: string;
  namespace?: string;
  name?: string;
  path?: string;
}

/** The CEL variable `authorizer`. */
class Authorizer {
  readonly #user: UserInfo;
  readonly #roles: RoleSource | undefined;

  constructor(user: UserInfo, roles: RoleSource | undefined) {
    this.#user = user;
    this.#roles = roles;
  }

  check(asked: Asked): Check {
    return new Check(this.#user, this.#roles, asked);
  }

  as(namespace: string, name: string): Authorizer {
    const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
    return new Authorizer({ name: `system:serviceaccount:${namespace}:${name}`, groups }, this.#roles);
  }
}

/** The CEL value of `authorizer.group("apps").resource("deployments")`. */
class Check {
  readonly #user: UserInfo;
  readonly #roles: RoleSource | undefined;
  readonly #asked: Asked;

  constructor(user: UserInfo, roles: RoleSource | undefined, asked: Asked) {
    this.#user = user;
    this.#roles = roles;
    this.#asked = asked;
  }

  with(more: Asked): Check {
    return new Check(this.#user, this.#roles, { ...this.#asked, ...more });
  }

  decide(verb: string): CheckDecision {
    const { path, group = "", resource = "", ...rest } = this.#asked;
    const attributes: Attributes =
      path === undefined
        ? { kind: "Resource", verb, group, version: "*", resource, ...rest }
        : { kind: "NonResource", verb, path };
    const decision = this.#roles === undefined ? undefined : authorize(this.#user, attributes, this.#roles);
    return new CheckDecision(decision?.allowed ?? false, decision?.reason ?? "");
  }
}

class CheckDecision {
  readonly allowed: boolean;
  readonly reason: string;

  constructor(allowed: boolean, reason: string) {
    this.allowed = allowed;
    this.reason = reason;
  }
}

function variablesOf(invocation: Invocation, roles: RoleSource | undefined): Record<string, unknown> {
  const { object, oldObject, ...request } = describe(invocation);
  return {
    object: celValue(object),
    oldObject: celValue(oldObject),
    request: celValue(request),
    authorizer: new Authorizer(invocation.request.context.user, roles),
  };
}

/** CEL integers are BigInts, so whole numbers are converted. */
function celValue(value: unknown): unknown {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(celValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, celValue(part)]));
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? text;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
