import { defined, nextStep, type ObjectRef, parseApiVersion } from "../../apis/index.ts";
import type { ExplainedCluster, Explanation, SaidWait } from "../../desiredstate/index.ts";
import type { ObjectIdentity } from "../../query/index.ts";
import { type CommandContext, CommandError, connectHub, EXIT, structured } from "../shared/index.ts";
import { explanationOnHub, policyTypeNamed } from "../explain/index.ts";
import { splitName } from "../status/index.ts";
import type { WhyOptions } from "./verb.ts";
import { completedBy, openQueryApi, waitsOfObject } from "../view/index.ts";
import { whyText } from "./whyText.ts";

/**
 * `meridian why`: the manager's own decision, as `explain` has it, on one screen. Exits with 1 when the object runs
 * nowhere, or with `--cluster`, not on that cluster.
 */
export async function why(name: string, options: WhyOptions, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const { cluster, output } = options;
  const named = splitName(name);
  if (policyTypeNamed(named) !== undefined)
    throw new CommandError(`${name} is a policy: \`meridian explain ${name}\` says if the policy is in force`);
  const explanations = await explanationOnHub(name, { ...options, filename: [], recursive: false }, context);
  const { source, waits } = await waitsOf(explanations, options, context);
  const shown = explanations.map((one, index) => onlyOn({ ...one, ...defined({ waits: waits[index] }) }, cluster));
  terminal.out(
    structured({ source, explanations: shown }, output) ??
      shown
        .map((one) => whyText(one, { cluster, color: terminal.color, nextStep: stepAfter(one, named.name) }))
        .join("\n"),
  );
  return explanations.every((one) => isPlaced(one, cluster)) ? EXIT.ok : EXIT.found;
}

/** By the query API, if there is one: the manager alone knows. */
async function waitsOf(
  explanations: readonly Explanation[],
  { source, systemNamespace, ...options }: WhyOptions,
  context: CommandContext,
): Promise<{ source: "query" | "objects"; waits: (readonly SaidWait[] | undefined)[] }> {
  await using hub = connectHub(options, context);
  using opened = await openQueryApi(hub, { source, systemNamespace }, context.signal);
  const { api, notes } = opened;
  for (const note of api === undefined ? notes : [completedBy(api)]) context.terminal.err(`${note}\n`);
  if (api === undefined) return { source: "objects", waits: [] };
  const waits: (readonly SaidWait[] | undefined)[] = [];
  for (const { object } of explanations) waits.push(await waitsOfObject(identityIn(object), api));
  return { source: "query", waits };
}

function identityIn({ apiVersion, kind, namespace, name }: ObjectRef): ObjectIdentity {
  return { kind, group: parseApiVersion(apiVersion).group, ...defined({ namespace }), name };
}

function onlyOn(explanation: Explanation, cluster: string | undefined): Explanation {
  if (cluster === undefined) return explanation;
  return { ...explanation, clusters: explanation.clusters.filter(({ name }) => name === cluster) };
}

function isPlaced({ scheduled, clusters }: Explanation, cluster: string | undefined): boolean {
  if (cluster === undefined) return scheduled.status === "True";
  return clusters.some(({ name, chosen }) => name === cluster && chosen);
}

/** What a person does about the health of a copy. */
function stepAfter({ object }: Explanation, name: string): (cluster: ExplainedCluster) => string {
  const { namespace } = object;
  const called = namespace === undefined ? name : `${name} -n ${namespace}`;
  return ({ name: cluster, health }) =>
    health?.reason === undefined ? "" : nextStep(health.reason, { cluster, object: called, namespace });
}
