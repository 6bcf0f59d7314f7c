import { nextStep } from "../../apis/index.ts";
import type { ExplainedCluster, Explanation } from "../../desiredstate/index.ts";
import { type CommandContext, CommandError, EXIT, structured } from "../shared/index.ts";
import { explanationOnHub, policyTypeNamed } from "../explain/index.ts";
import { splitName } from "../status/index.ts";
import type { WhyOptions } from "./verb.ts";
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
  const shown = explanations.map((one) => onlyOn(one, cluster));
  terminal.out(
    structured({ explanations: shown }, output) ??
      shown
        .map((one) => whyText(one, { cluster, color: terminal.color, nextStep: stepAfter(one, named.name) }))
        .join("\n"),
  );
  return explanations.every((one) => isPlaced(one, cluster)) ? EXIT.ok : EXIT.found;
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
