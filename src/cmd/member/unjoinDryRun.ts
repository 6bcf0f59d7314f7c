import { CLUSTER_FINALIZER, counted, holdersOf } from "../../apis/index.ts";
import { describeError, EXIT, isManagerRunning } from "../shared/index.ts";
import type { MemberAccess } from "./memberAccess.ts";
import type { Leaving, Parting } from "./parting.ts";

/** Prints the steps, and returns the exit code of the command itself, as far as it is known. */
export async function describeUnjoin(leaving: Leaving, parting: Parting, hasSecret: boolean): Promise<number> {
  const { name, member, secret, options, hub, context } = leaving;
  const { terminal, signal } = context;
  const say = (text: string): void => terminal.out(`${text} (dry run)\n`);
  const drains = options.deletionPolicy === "Drain";
  const foreseen = await parting.foresee();
  if (foreseen.kind === "Reached") {
    const objects = counted(foreseen.objects, "object");
    say(
      drains
        ? `${objects} of Meridian on ${name}: deleted`
        : `${objects} of Meridian on ${name}: left running, no longer managed`,
    );
  }
  if (member !== undefined) say(`membercluster/${name}: removed from the hub`);
  // A member out of reach keeps some objects, so the Secret stays for a later try.
  const remembers = foreseen.kind === "Unreached" && !options.force;
  if (hasSecret && secret !== undefined && !parting.needsSecret && !remembers)
    say(`secret/${secret.metadata.name}: removed from namespace ${options.namespace} of the hub`);
  if (foreseen.kind === "Reached" && foreseen.account !== undefined)
    for (const what of partsOf(foreseen.account)) say(`${what}: removed from ${name}`);

  let exitCode: number = EXIT.ok;
  if (foreseen.kind === "Shared")
    terminal.err(
      `membercluster/${foreseen.with} stands for the same cluster: the copies there, and the objects that join made, stay for it.\n`,
    );
  if (foreseen.kind === "Unreached" && foreseen.failure !== undefined) {
    const kept = drains ? "What runs there, and what join made there," : "What join made there";
    terminal.err(`${kept} would be left: ${describeError(foreseen.failure)}\n`);
    exitCode = EXIT.found;
  }
  const isHeld = member !== undefined && holdersOf(CLUSTER_FINALIZER, member.metadata).length > 0;
  const waits = isHeld && !options.force;
  if (waits && !(await isManagerRunning(hub, options.namespace, options.leaseName, signal))) {
    const way = drains ? "start one first" : "start one first, or add --force";
    terminal.err(`No manager runs on the hub, and ${name} would wait for one: ${way}.\n`);
    exitCode = EXIT.found;
  }
  return exitCode;
}

function partsOf({ name, namespace }: MemberAccess): string[] {
  return [
    `clusterrole/${name}, with its binding`,
    `validatingadmissionpolicy/${name}, with its binding, if join made one`,
    `serviceaccount/${name} in namespace ${namespace}, with its role and binding`,
    `namespace/${namespace}, if join made it and nothing else is in it`,
  ];
}
