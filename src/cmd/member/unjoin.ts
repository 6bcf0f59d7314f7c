import {
  CLUSTER_FINALIZER,
  defined,
  finalizersPatch,
  holdersOf,
  type KubeObject,
  type MemberCluster,
} from "../../apis/index.ts";
import { type Client, isNotFound, MEMBERCLUSTERS, SECRETS } from "../../runtime/index.ts";
import {
  type CommandContext,
  CommandError,
  commandLogger,
  connectHub,
  EXIT,
  find,
  follow,
  isManagerRunning,
  noSuchMember,
  Progress,
  tolerating,
} from "../shared/index.ts";
import type { UnjoinOptions } from "./verb.ts";
import { reachedNamespaces } from "./joinedMember.ts";
import { JOINED_TO_LABEL } from "./memberAccess.ts";
import type { Leftover } from "./memberCleanup.ts";
import { findMember, memberSecret } from "./memberMarks.ts";
import { type Leaving, Parting } from "./parting.ts";
import { describeUnjoin } from "./unjoinDryRun.ts";
import { describeRemembered, needsChoice, removalOf, unjoinAgain, whatStays } from "./unjoinWords.ts";

/**
 * Ends a membership. The MemberCluster goes first: the manager drains or releases objects while the credentials work.
 * Then what join made goes, unless another MemberCluster stands for the same cluster. Can be repeated.
 */
export async function unjoin(name: string, options: UnjoinOptions, context: CommandContext): Promise<number> {
  const { terminal, signal } = context;
  await using hub = connectHub(options, context);
  const member = await findMember(hub.client, name, signal);
  const secret = await memberSecret(name, member, options.namespace, hub.client, signal);
  if (member === undefined && !isJoined(secret)) throw await noSuchMember(name, hub, signal);
  if (options.force && options.deletionPolicy === "Drain") {
    throw new CommandError(
      `--force gives up waiting for a manager, and only a manager can drain ${name}: use --orphan --force, or start a manager`,
    );
  }
  const choice = needsChoice(member, options);
  if (choice !== undefined) throw new CommandError(choice);
  const leaving: Leaving = { name, member, secret, options, hub: hub.client, context };
  await using parting = await Parting.begin(leaving);
  if (options.dryRun) return await describeUnjoin(leaving, parting, isJoined(secret));
  if (member !== undefined) {
    const gone = await removeMemberCluster(member, parting, leaving);
    if (!gone) return EXIT.found;
    terminal.out(`membercluster/${name} removed\n`);
  }
  const leftovers = await parting.finish();
  // While the member may still have the account, the Secret stays: it holds the credentials for another try.
  const remembers = isJoined(secret) && leftovers.length > 0 && !options.force;
  if (isJoined(secret) && !parting.needsSecret && !remembers) {
    const { namespace, name: secretName, uid } = secret.metadata;
    await tolerating(isNotFound, () =>
      hub.client.delete(SECRETS, namespace, secretName, { signal, ...defined({ uid }) }),
    );
    terminal.out(`secret/${secret.metadata.name} removed from namespace ${options.namespace}\n`);
  }
  const stays = whatStays(name, reachedNamespaces(member, secret));
  if (stays !== undefined && !parting.needsSecret) terminal.out(`${stays}\n`);
  reportLeftovers(name, leftovers, context);
  if (remembers) terminal.err(`${describeRemembered(name, secret.metadata.name, options)}\n`);
  return leftovers.length === 0 ? EXIT.ok : EXIT.found;
}

/** A person's own Secret stays, so that no credentials vanish unasked. */
function isJoined(secret: KubeObject | undefined): secret is KubeObject {
  return secret?.metadata.labels?.[JOINED_TO_LABEL] !== undefined;
}

/** False when a finalizer waits for a manager. Throws {@link CommandError} on timeout. */
async function removeMemberCluster(
  member: MemberCluster,
  parting: Parting,
  { options, hub, context }: Leaving,
): Promise<boolean> {
  const { terminal, signal } = context;
  const { name, uid } = member.metadata;
  terminal.err(
    options.deletionPolicy === "Drain"
      ? `Draining ${name}: what Meridian put there is deleted.\n`
      : `Orphaning ${name}: what Meridian put there keeps running, and is no longer managed (--drain deletes it).\n`,
  );
  const managed = await isManagerRunning(hub, options.namespace, options.leaseName, signal);
  await tolerating(isNotFound, async () => {
    const patch = { spec: { deletionPolicy: options.deletionPolicy } };
    await hub.patch(MEMBERCLUSTERS, undefined, name, "application/merge-patch+json", patch, { signal });
    await hub.delete(MEMBERCLUSTERS, undefined, name, { signal, ...defined({ uid }) });
    if (options.force) {
      await parting.takeMarksOff();
      await giveUpFinalizers(hub, name, signal);
    }
  });
  if (!managed && (await find(hub, MEMBERCLUSTERS, undefined, name, signal)) !== undefined) {
    terminal.err(
      `No manager runs on the hub, so ${name} stays marked for deletion until one does; then run \`${unjoinAgain(name, options)}\` again to remove the rest.` +
        (options.deletionPolicy === "Orphan" ? ` With --force it goes now.\n` : "\n"),
    );
    return false;
  }
  return untilGone(name, options, hub, context);
}

/** On behalf of a manager. */
async function giveUpFinalizers(hub: Client, name: string, signal: AbortSignal): Promise<void> {
  const member = await find(hub, MEMBERCLUSTERS, undefined, name, signal);
  if (member === undefined) return;
  const { finalizers = [] } = member.metadata;
  const rest = finalizers.filter((one) => holdersOf(CLUSTER_FINALIZER, { finalizers: [one] }).length === 0);
  if (rest.length === finalizers.length) return;
  const patch = finalizersPatch(member.metadata, rest);
  await hub.patch(MEMBERCLUSTERS, undefined, name, "application/json-patch+json", patch, { signal });
}

async function untilGone(
  name: string,
  options: UnjoinOptions,
  hub: Client,
  { terminal, signal }: CommandContext,
): Promise<boolean> {
  using progress = new Progress(terminal);
  const logger = commandLogger(options.logLevel, terminal);
  let state = "";
  const gone = await follow(
    { client: hub, type: MEMBERCLUSTERS, name, timeoutMs: options.timeout, signal, logger },
    (object) => {
      if (object === undefined) return true;
      state = removalOf(object as unknown as MemberCluster);
      progress.show(`${name}: ${state}`);
      return false;
    },
  );
  if (gone) return true;
  throw new CommandError(
    `${name} is not gone in time${state === "" ? "" : ` (${state})`}; its credentials stay until then: run \`${unjoinAgain(name, options)}\` again`,
    { exitCode: EXIT.timeout },
  );
}

function reportLeftovers(name: string, leftovers: Leftover[], { terminal }: CommandContext): void {
  if (leftovers.length === 0) return;
  terminal.err(`Left on ${name}; remove it with that cluster's own credentials:\n`);
  for (const { what, command } of leftovers) terminal.err(`  ${what}\n    ${command}\n`);
}
