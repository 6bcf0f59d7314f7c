import { defined, type KubeObject, type PolicyStatus } from "../../apis/index.ts";
import {
  CLUSTEROVERRIDEPOLICIES,
  CLUSTERPLACEMENTS,
  OVERRIDEPOLICIES,
  PLACEMENTS,
  type ResourceType,
} from "../../runtime/index.ts";
import { type CommandContext, CommandError, connectHub, EXIT, find, structured, within } from "../shared/index.ts";
import type { ExplainOptions } from "./verb.ts";
import { type NamedKind } from "../status/index.ts";

/** `meridian explain placement/NAME` says if the policy is in force, and for which objects. */

const POLICIES: readonly ResourceType[] = [PLACEMENTS, CLUSTERPLACEMENTS, OVERRIDEPOLICIES, CLUSTEROVERRIDEPOLICIES];

export function policyTypeNamed({ kind, group }: NamedKind): ResourceType | undefined {
  return POLICIES.find(
    (type) => (kind === type.kind.toLowerCase() || kind === type.plural) && (group ?? type.group) === type.group,
  );
}

/** Exits with 1 when the policy is not in force. */
export async function explainPolicy(
  type: ResourceType,
  name: string,
  options: ExplainOptions,
  context: CommandContext,
): Promise<number> {
  await using hub = connectHub(options, context);
  const namespace = type.namespaced ? (options.namespace ?? hub.config.currentNamespace) : undefined;
  const policy = await find(hub.client, type, namespace, name, context.signal);
  if (policy === undefined) throw new CommandError(`the hub has no ${type.kind} "${name}"${within(namespace)}`);
  context.terminal.out(format(policy, options));
  return statusOf(policy).isInForce ? EXIT.ok : EXIT.found;
}

function format(policy: KubeObject, { output }: ExplainOptions): string {
  const { apiVersion, kind, metadata, status } = policy as KubeObject & { status?: PolicyStatus };
  const { name, namespace } = metadata;
  const answer = {
    policies: [{ apiVersion, kind, ...defined({ namespace }), name, status: status ?? {} }],
  };
  return structured(answer, output) ?? policyExplanation(policy);
}

function statusOf({ metadata, status = {} }: KubeObject & { status?: PolicyStatus }): {
  isInForce: boolean;
  text: string;
} {
  const ready = status.conditions?.find(({ type }) => type === "Ready");
  if (ready === undefined) return { isInForce: false, text: "not known, no manager has reported on it yet" };
  const isOld = (status.observedGeneration ?? 0) < (metadata.generation ?? 0);
  const isInForce = ready.status === "True" && !isOld;
  const why = ready.message === "" ? ready.reason : `${ready.reason}: ${ready.message}`;
  return {
    isInForce,
    text: `${isInForce ? "yes" : "no"}, ${isOld ? `the last change is not seen yet; before it ${why}` : why}`,
  };
}

export function policyExplanation(policy: KubeObject & { status?: PolicyStatus }): string {
  const { kind, metadata, status = {} } = policy;
  const decisions = (status.decisions ?? []).map(
    ({ clusters, objects }) => `${objects} on ${clusters.length === 0 ? "no cluster" : clusters.join(", ")}`,
  );
  const lines = [["In force", statusOf(policy).text]];
  if (status.matchedObjects !== undefined) lines.push(["Objects", String(status.matchedObjects)]);
  for (const text of decisions) lines.push(["Decided", text]);
  if (status.lastError !== undefined) lines.push(["Error", status.lastError]);
  lines.push([
    "Note",
    "a policy runs nowhere itself: `meridian explain NAME` says which policies an object has, and why",
  ]);
  return `${kind.toLowerCase()}/${metadata.name}${within(metadata.namespace)}\n${lines.map(([name = "", text]) => `${name.padEnd(13)}${text}\n`).join("")}`;
}
