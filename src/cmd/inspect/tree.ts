import { shortMessage } from "../../apis/index.ts";
import { type CommandContext, EXIT, structured } from "../shared/index.ts";
import type { ObjectReport } from "../view/index.ts";
import { fullNameOf } from "../view/index.ts";
import { withRows } from "./rows.ts";
import type { RowOptions } from "./verb.ts";

interface Branch {
  text: string;
  branches: Branch[];
}

/** `meridian tree`: an object, its placement, its change, and its clusters by region. */
export function tree(name: string, options: RowOptions, context: CommandContext): Promise<number> {
  return withRows(name, options, context, async ({ report, whole, source, partial }) => {
    const objects = report.objects.map(treeOf);
    const clusters =
      report.objects.length > 0 ? [] : report.clusters.map((one) => clusterTree(one.name, whole.objects));
    const trees = [...objects, ...clusters];
    context.terminal.out(structured({ source, partial, trees }, options.output) ?? trees.map(treeText).join("\n"));
    return EXIT.ok;
  });
}

function treeOf(object: ObjectReport): Branch {
  const { replicas, available, placement, change, clusters, unlistedClusters, finishedOn } = object;
  const regions = Map.groupBy(clusters, ({ region }) => region ?? "");
  const leaf = (text: string): Branch => ({ text, branches: [] });
  const rollout = change?.rollout;
  const staged = change?.stage === undefined ? "" : `, stage ${change.stage}/${change.stages}`;
  const said = rollout?.message === undefined ? "" : `: ${shortMessage(rollout.message)}`;
  return {
    text: `${fullNameOf(object)}   ready ${replicas.ready}/${replicas.desired}, clusters ${available}`,
    branches: [
      leaf(placement === "" ? "no placement" : placement),
      ...(change === undefined ? [] : [leaf(`generation ${change.generation}${staged}`)]),
      ...(rollout === undefined ? [] : [leaf(`rollout ${rollout.state}${said}`)]),
      ...[...regions]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([region, entries]) => ({
          text: region === "" ? "no region" : `region ${region}`,
          branches: entries.map((entry) => leaf(entryText(entry))),
        })),
      ...(unlistedClusters.length > 0 ? [leaf(`and ${unlistedClusters.length} clusters that the status sums up`)] : []),
      ...(finishedOn === undefined ? [] : [leaf(`finished on ${finishedOn.join(", ")}`)]),
    ],
  };
}

function entryText({ name, state, replicas, reason, message }: ObjectReport["clusters"][number]): string {
  const says = reason === undefined ? "" : `   ${reason}${message === undefined ? "" : `: ${shortMessage(message)}`}`;
  return `${name}   ${state} ${replicas.ready}/${replicas.desired}${says}`;
}

function clusterTree(cluster: string, objects: readonly ObjectReport[]): Branch {
  const branches = objects.flatMap((object) =>
    object.clusters
      .filter(({ name }) => name === cluster)
      .map((entry) => ({ text: entryText({ ...entry, name: fullNameOf(object) }), branches: [] })),
  );
  return { text: `cluster ${cluster}`, branches };
}

function treeText({ text, branches }: Branch): string {
  return `${text}\n${branches.map((branch, index) => branchText(branch, "", index === branches.length - 1)).join("")}`;
}

function branchText({ text, branches }: Branch, indent: string, isLast: boolean): string {
  const below = `${indent}${isLast ? "   " : "│  "}`;
  const rest = branches.map((branch, index) => branchText(branch, below, index === branches.length - 1));
  return `${indent}${isLast ? "└─ " : "├─ "}${text}\n${rest.join("")}`;
}
