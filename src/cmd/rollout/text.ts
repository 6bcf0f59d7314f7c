import type { PolicyStatus, RolloutStatus } from "../../apis/index.ts";
import { refText } from "../shared/index.ts";

type StoppedRollouts = NonNullable<PolicyStatus["stoppedRollouts"]>;

/** `stopped`: rollouts that this rollout may wait for. */
export function rolloutText(object: string, status: RolloutStatus | undefined, stopped: StoppedRollouts = []): string {
  if (status === undefined) return `${object} is not rolled out in stages\n`;
  const { state, reason = "", message, revision = 0, lastGoodRevision, stages = [] } = status;
  const good = lastGoodRevision === undefined || lastGoodRevision === revision ? "" : `, last good ${lastGoodRevision}`;
  const head = `${object}: ${state}${reason === "" ? "" : ` (${reason})`}, revision ${revision}${good}`;
  const rows = stages.flatMap((stage) => {
    const unverified = stage.approverVerified === false ? " (not verified)" : "";
    const by = stage.approvedBy === undefined ? "" : `approved by ${stage.approvedBy}${unverified}`;
    const clusters = stage.clusters ?? [];
    return [[stage.name, "", stage.state, by], ...clusters.map((one) => ["", one.name, one.state, one.reason ?? ""])];
  });
  const lines = [head, ...(message === undefined || message === "" ? [] : [message])];
  for (const { since, yieldsAt, ...who } of stopped)
    lines.push(`  ${refText(who)} has stopped since ${since}, and yields its turn to other namespaces at ${yieldsAt}`);
  if (rows.length > 0) lines.push("", ...aligned([["STAGE", "CLUSTER", "STATE", "REASON"], ...rows]));
  return `${lines.join("\n")}\n`;
}

export interface RevisionLine {
  revision: number;
  createdAt: string;
  /** Images of the containers; empty if there are none, or the revision cannot be read. */
  image: string;
  clusters?: number;
  /** State of the rollout with its cause, `last good`, `good`, or `not usable` with the reason. */
  is: string;
}

export function historyText(revisions: readonly RevisionLine[]): string {
  const header = ["REVISION", "CREATED", "IMAGE", "CLUSTERS", "IS"];
  const rows = revisions.map(({ revision, createdAt, image, clusters = "-", is }) => [
    String(revision),
    createdAt,
    image,
    String(clusters),
    is,
  ]);
  return `${aligned([header, ...rows]).join("\n")}\n`;
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
