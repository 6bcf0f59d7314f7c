import { quoted } from "../shared/index.ts";
import { FAULT_ANNOTATION, type QuickstartFleet } from "./fleet/index.ts";

/** Next steps for a person. Pure. */

export interface Hint {
  text: string;
  commands: string[];
}

export const APPLICATION = "nginx-demo";

/** Four things to try, as commands that work unchanged in any shell of this machine. */
export function hints(
  fleet: Pick<QuickstartFleet, "kind" | "hub" | "members">,
  sampleRegions: readonly string[],
): Hint[] {
  const hub = `kubectl --kubeconfig ${quoted(fleet.hub.kubeconfigFile)}`;
  // A region that is missing in placements/ has no policy of its own to change.
  const own = fleet.members.flatMap(({ region }) =>
    region !== undefined && sampleRegions.includes(region) ? region : [],
  );
  const regions = [...new Set(own)];
  const [first, last] = [regions[0], regions.at(-1)];
  const broken = fleet.members.find(({ region }) => region === regions.at(2)) ?? fleet.members.at(-1);
  const list: Hint[] = [];
  if (fleet.kind !== "given" && broken !== undefined) {
    list.push({
      text: `Break a region: ${broken.name} is cut off, is Unknown within half a minute and keeps its last numbers; the others run on. Then mend it.`,
      commands: [
        `${hub} annotate membercluster ${broken.name} ${FAULT_ANNOTATION}=partition`,
        `${hub} annotate membercluster ${broken.name} ${FAULT_ANNOTATION}-`,
      ],
    });
  } else if (last !== undefined) {
    list.push({
      text: `Break a region: an image that nobody has, in ${last} only; the others run on. Then mend it.`,
      commands: [
        patch(hub, last, [{ op: "add", path: "/spec/rules/0/image", value: { tag: "does-not-exist" } }]),
        patch(hub, last, [{ op: "remove", path: "/spec/rules/0/image" }]),
      ],
    });
  }
  if (first !== undefined) {
    list.push({
      text: `Change a policy: let ${first} run 8 replicas.`,
      commands: [patch(hub, first, [{ op: "replace", path: "/spec/rules/0/replicas", value: 8 }])],
    });
  }
  if (last !== undefined) {
    list.push({
      text: `Scale: without a policy of its own ${last} runs as many as the application says, and that can be scaled.`,
      commands: [`${hub} delete overridepolicy ${last}`, `${hub} scale demoapplication ${APPLICATION} --replicas 6`],
    });
  }
  const canary = fleet.members[0];
  if (canary !== undefined && fleet.members.length > 1) list.push(brokenRollout(hub, canary.name));
  return list;
}

/** A change that reaches one cluster first, fails there, and never reaches the others. */
function brokenRollout(hub: string, canary: string): Hint {
  const stages = [{ name: "canary", targetClusters: { clusterNames: [canary] } }, { name: "rest" }];
  const rollout = { stages, gate: { timeout: "20s" }, onFailure: "Rollback" };
  const merge = (what: string, spec: object): string =>
    `${hub} patch ${what} --type merge -p '${JSON.stringify({ spec })}'`;
  return {
    text: `Roll out a broken image, stage by stage: ${canary} gets it first, cannot pull it, and goes back by itself; the others never see it. Then mend it.`,
    commands: [
      merge("placement everywhere", { rollout }),
      merge(`demoapplication ${APPLICATION}`, { image: "nginx:does-not-exist" }),
      merge(`demoapplication ${APPLICATION}`, { image: "nginx:latest" }),
    ],
  };
}

function patch(hub: string, policy: string, operations: unknown[]): string {
  return `${hub} patch overridepolicy ${policy} --type json -p '${JSON.stringify(operations)}'`;
}

export function closingHints(
  fleet: Pick<QuickstartFleet, "kind" | "hub" | "members">,
  sampleRegions: readonly string[],
  { logFile, ending, dashboard }: { logFile: string; ending: string; dashboard: string | undefined },
): string {
  const clusters = [fleet.hub, ...fleet.members];
  const width = Math.max(...clusters.map(({ name }) => name.length));
  const lines = [
    "",
    "Kubeconfigs (for kubectl --kubeconfig):",
    ...clusters.map(({ name, kubeconfigFile }) => `  ${name.padEnd(width)}  ${kubeconfigFile}`),
    "",
    ...(dashboard === undefined ? [] : [`Dashboard:\n  ${dashboard}`, ""]),
    "Four things to try, in another terminal:",
    ...hints(fleet, sampleRegions).flatMap(({ text, commands }, index) => [
      "",
      `  ${index + 1}. ${text}`,
      ...commands.map((command) => `     ${command}`),
    ]),
    "",
    `The manager's log is ${logFile}`,
    ending,
    "",
  ];
  return lines.join("\n");
}
