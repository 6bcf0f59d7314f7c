import { counted, type KubeObject, type MemberCluster, joinCommand } from "../../apis/index.ts";
import { type Client, clusterConfigFromKubeconfig, MEMBERCLUSTERS, listAll } from "../../runtime/index.ts";
import { clusterUid, type CommandContext, CommandError, describeAnswer, type UnjoinOptions } from "../shared/index.ts";
import { knownMemberUid, MEMBER_UID_ANNOTATION } from "./joinedMember.ts";
import { JOINED_TO_LABEL, type MemberAccess, memberAccess } from "./memberAccess.ts";
import { everythingOf, type Leftover, revokeAccess } from "./memberCleanup.ts";
import {
  describeUnreleased,
  markedBy,
  memberSecret,
  type Reached,
  reachMember,
  releaseAll,
  storedKubeconfig,
  type Unreleased,
} from "./memberMarks.ts";

/** A cluster that is to leave, and who asks for it. */
export interface Leaving {
  name: string;
  member: MemberCluster | undefined;
  /** The Secret with its kubeconfig, whoever made it. */
  secret: KubeObject | undefined;
  options: UnjoinOptions;
  hub: Client;
  context: CommandContext;
}

/** What `unjoin` would find on the member. `account` is what join made there, if it made any. */
export type Foreseen =
  | { kind: "Reached"; objects: number; account: MemberAccess | undefined }
  /** Nobody knows what is there; `failure` says why, unless the hub has no credentials at all. */
  | { kind: "Unreached"; failure: unknown; account: MemberAccess | undefined }
  /** Another MemberCluster is the same cluster, and needs what is there. */
  | { kind: "Shared"; with: string };

/**
 * What `unjoin` does on the member itself, beside the manager: sees to it that what keeps running has no mark of Meridian, and removes
 * what join made. Both are left alone where another MemberCluster of the hub stands for the same cluster.
 */
export class Parting implements AsyncDisposable {
  readonly #leaving: Leaving;
  readonly #hubId: string;
  readonly #reached: Reached | undefined;
  /** Why the member was not reached. */
  readonly #failure: unknown;
  readonly #sharing: readonly MemberCluster[];
  /** How many objects on the member had Meridian's marks; undefined when nobody has counted. */
  #marked: number | undefined;

  private constructor(
    leaving: Leaving,
    hubId: string,
    reached: { member: Reached | undefined; failure: unknown },
    sharing: readonly MemberCluster[],
  ) {
    this.#leaving = leaving;
    this.#hubId = hubId;
    this.#reached = reached.member;
    this.#failure = reached.failure;
    this.#sharing = sharing;
  }

  static async begin(leaving: Leaving): Promise<Parting> {
    const { hub, context } = leaving;
    const { signal } = context;
    const reached = await reach(leaving);
    try {
      const hubId = await clusterUid(hub, signal);
      const parting = new Parting(leaving, hubId, reached, await sharingWith(leaving, reached.member?.uid));
      if (parting.#isToLetGo && reached.member !== undefined)
        parting.#marked = (await markedBy(hubId, reached.member, signal)).marked.length;
      return parting;
    } catch (error) {
      await reached.member?.[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Another MemberCluster connects with the same Secret. */
  get needsSecret(): boolean {
    const { secret } = this.#leaving;
    return this.#sharing.some(({ spec }) => spec.connection.kubeconfigSecretRef?.name === secret?.metadata.name);
  }

  /** Join made an account on the member, or a person has come with an administrator's kubeconfig to remove what is left of one. */
  get #hasAccount(): boolean {
    const { secret, options } = this.#leaving;
    return options.memberKubeconfig !== undefined || secret?.metadata.labels?.[JOINED_TO_LABEL] !== undefined;
  }

  /** What becomes of the member itself, for a person who asks before anything is done. */
  async foresee(): Promise<Foreseen> {
    const { options, context } = this.#leaving;
    const [other] = this.#sharing;
    if (other !== undefined) return { kind: "Shared", with: other.metadata.name };
    const account = this.#hasAccount ? memberAccess(this.#hubId, options.namespace) : undefined;
    if (this.#reached === undefined) return { kind: "Unreached", failure: this.#failure, account };
    const objects = this.#marked ?? (await markedBy(this.#hubId, this.#reached, context.signal)).marked.length;
    return { kind: "Reached", objects, account };
  }

  get #isToLetGo(): boolean {
    return this.#sharing.length === 0 && this.#leaving.options.deletionPolicy === "Orphan";
  }

  /** In place of a manager, which would have done so by now. Returns the objects that keep their marks; {@link finish} names them. */
  async takeMarksOff(): Promise<readonly Unreleased[]> {
    const { signal } = this.#leaving.context;
    if (!this.#isToLetGo || this.#reached === undefined) return [];
    try {
      return (await releaseAll(this.#hubId, this.#reached, signal)).left;
    } catch (error) {
      signal.throwIfAborted();
      return [{ what: "everything", error }];
    }
  }

  /** The MemberCluster is gone, and with it what would renew the credentials. Returns what could not be removed. */
  async finish(): Promise<Leftover[]> {
    const { name, member, options, context } = this.#leaving;
    const { terminal } = context;
    const [other] = this.#sharing;
    if (other !== undefined) {
      terminal.err(
        `membercluster/${other.metadata.name} stands for the same cluster: the objects that join made there stay for it.\n`,
      );
      return [];
    }
    const access = memberAccess(this.#hubId, options.namespace);
    const hasAccount = this.#hasAccount;
    if (this.#reached === undefined) {
      // Nothing of Meridian is on a member that nobody has ever reached.
      const wasReached = hasAccount || (member !== undefined && knownMemberUid(member) !== undefined);
      if (this.#failure === undefined || !wasReached) return [];
      terminal.err(`${name} could not be cleaned: ${describeAnswer(this.#failure)}\n`);
      return [...(this.#isToLetGo ? [this.#marksLeft()] : []), ...(hasAccount ? everythingOf(access) : [])];
    }
    const unreleased = await this.takeMarksOff();
    if (unreleased.length > 0) {
      terminal.err(`some objects on ${name} were not released: ${describeUnreleased(unreleased)}\n`);
      // The account is what takes the marks off the next time, unless a person gives that up.
      const kept =
        hasAccount && !options.force ? everythingOf(access) : await this.#revoke(this.#reached.client, access);
      return [this.#marksLeft(), ...kept];
    }
    if ((this.#marked ?? 0) > 0) terminal.out(`${counted(this.#marked ?? 0, "object")} released on ${name}\n`);
    return await this.#revoke(this.#reached.client, access);
  }

  /** Removes what join made on the member, if it made anything. Returns what could not be removed. */
  async #revoke(client: Client, access: MemberAccess): Promise<Leftover[]> {
    const { name, options, context } = this.#leaving;
    const { terminal, signal } = context;
    if (!this.#hasAccount) return [];
    try {
      const asAdmin = options.memberKubeconfig !== undefined;
      const cleanup = await revokeAccess(client, access, asAdmin, signal);
      for (const what of cleanup.removed) terminal.out(`${what} removed from ${name}\n`);
      return cleanup.left;
    } catch (error) {
      signal.throwIfAborted();
      terminal.err(`${name} could not be cleaned: ${describeAnswer(error)}\n`);
      return everythingOf(access);
    }
  }

  #marksLeft(): Leftover {
    const { name, secret } = this.#leaving;
    const again = `meridian unjoin ${name} --orphan`;
    return {
      what: `what Meridian put there keeps Meridian's marks, and a later join leaves it alone; once ${name} answers, this takes the marks off`,
      command: secret?.metadata.labels?.[JOINED_TO_LABEL] === undefined ? `${joinCommand(name)} && ${again}` : again,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reached?.[Symbol.asyncDispose]();
  }
}

/** A person's own kubeconfig has to work; what the hub stores may have ceased to. */
async function reach(leaving: Leaving): Promise<{ member: Reached | undefined; failure: unknown }> {
  const { name, member, secret, options, hub, context } = leaving;
  try {
    return { member: await reachMember(name, member, secret, options, hub, context.signal), failure: undefined };
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof CommandError && options.memberKubeconfig !== undefined) throw error;
    return { member: undefined, failure: error };
  }
}

/** The other MemberClusters that stand for the same cluster: by its UID, by the Secret, or by the server's address where no UID is known yet. */
async function sharingWith(
  { name, member, secret, options, hub, context }: Leaving,
  reachedUid: string | undefined,
): Promise<MemberCluster[]> {
  const { signal } = context;
  const uid =
    reachedUid ??
    (member === undefined ? undefined : knownMemberUid(member)) ??
    secret?.metadata.annotations?.[MEMBER_UID_ANNOTATION];
  const server = serverOf(name, secret, member);
  const items = await listAll({ client: hub, type: MEMBERCLUSTERS }, { signal });
  const sharing: MemberCluster[] = [];
  for (const other of items as unknown as MemberCluster[]) {
    const secretName = other.spec.connection.kubeconfigSecretRef?.name;
    if (other.metadata.name === name) continue;
    const known = knownMemberUid(other);
    const isSame =
      (secretName !== undefined && secretName === secret?.metadata.name) ||
      (known !== undefined && uid !== undefined
        ? known === uid
        : server !== undefined &&
          server ===
            serverOf(name, await memberSecret(other.metadata.name, other, options.namespace, hub, signal), other));
    if (isSame) sharing.push(other);
  }
  return sharing;
}

function serverOf(name: string, secret: KubeObject | undefined, member: MemberCluster | undefined): string | undefined {
  const text = storedKubeconfig(secret, member?.spec.connection.kubeconfigSecretRef?.key);
  if (text === undefined) return undefined;
  try {
    return clusterConfigFromKubeconfig(text, { cluster: name }).server;
  } catch {
    // A kubeconfig that cannot be read leads nowhere.
    return undefined;
  }
}
