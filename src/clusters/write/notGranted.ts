import { type Message, type MessageParts, renewCommand } from "../../apis/index.ts";
import { memberKinds } from "../../interpreter/index.ts";
import {
  isApiError,
  isForbidden,
  isMisbehaviour,
  NAMESPACES,
  type ResourceType,
  WentBackError,
} from "../../runtime/index.ts";
import type { Outcome } from "./outcome.ts";

type Kind = Pick<ResourceType, "group" | "plural">;

/** True for kinds that `meridian join` grants to every account. */
export function isAlwaysGranted({ group, plural }: Kind): boolean {
  return [...memberKinds(), NAMESPACES].some((kind) => kind.group === group && kind.plural === plural);
}

/** Message that a kind is not granted on a member, with the command that grants it. */
export function notGranted(cluster: string, { group, plural }: Kind): Message {
  const isFixed = isAlwaysGranted({ group, plural });
  const name = nameOf({ group, plural });
  const command = renewCommand(cluster, ...(isFixed ? [] : [`--kinds ${name}`]));
  return { what: `${plural} are not granted`, remedy: `run \`${command}\`` };
}

/** Message with one command that grants all of these kinds. */
export function allNotGranted(cluster: string, kinds: readonly Kind[]): MessageParts {
  const namesOf = (some: readonly Kind[]): string[] => [...new Set(some.map(nameOf))].toSorted();
  const asked = namesOf(kinds.filter((kind) => !isAlwaysGranted(kind)));
  const flags = asked.length === 0 ? [] : [`--kinds ${asked.join(",")}`];
  return { what: "not granted:", where: namesOf(kinds), remedy: `run \`${renewCommand(cluster, ...flags)}\`` };
}

function nameOf({ group, plural }: Kind): string {
  return group === "" ? plural : `${plural}.${group}`;
}

/** Missing permission named by an RBAC refusal. Other refusals have other messages. */
function lackOf(error: unknown): (Kind & { verb: string }) | undefined {
  if (!isApiError(error) || error.status !== 403) return undefined;
  const text = error.apiMessage.slice(0, LONGEST_READ);
  const [, verb = "", resource = "", group = ""] =
    /cannot (\w+) resource "([^"]+)" in API group "([^"]*)"/.exec(text) ?? [];
  const [plural = ""] = resource.split("/");
  return plural === "" ? undefined : { group, plural, verb };
}

/** True when the account may not write the object. The server checks that before it looks for the object. */
export function isWriteForbidden(error: unknown): boolean {
  const { verb } = lackOf(error) ?? {};
  return verb === "patch" || verb === "create";
}

/** Characters of a server's message that are read. */
const LONGEST_READ = 1_000;

/** Tells a missing permission by the command that grants it. `cluster`: undefined when `join` cannot grant it. */
export function withGrant(
  outcome: Outcome | undefined,
  error: unknown,
  cluster: string | undefined,
): Outcome | undefined {
  if (cluster === undefined || outcome?.kind !== "Refused") return outcome;
  const lack = lackOf(error);
  return lack === undefined ? outcome : { ...outcome, message: notGranted(cluster, lack) };
}

/** Message why a kind cannot be watched. `cluster`: undefined when `meridian join` cannot grant the kind. */
export function whyUnwatched(type: ResourceType, error: unknown, cluster: string | undefined): Message {
  if (error instanceof WentBackError) return `the member went back in time; its ${type.plural} are being read anew`;
  const unwatched = `${type.plural} cannot be watched on the member`;
  // The error's endpoint already names the kind.
  if (isMisbehaviour(error)) return { lead: `${unwatched}: `, what: error.message };
  if (cluster !== undefined && isForbidden(error)) return notGranted(cluster, type);
  return isApiError(error) ? { what: unwatched, why: error.apiMessage } : unwatched;
}
