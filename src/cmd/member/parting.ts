import { counted, type KubeObject, type MemberCluster, joinCommand } from "../../apis/index.ts";
import { type Client, clusterConfigFromKubeconfig, MEMBERCLUSTERS, listAll } from "../../runtime/index.ts";
import { clusterUid, type CommandContext, CommandError, describeAnswer } from "../shared/index.ts";
import type { UnjoinOptions } from "./verb.ts";
import { joinedUid, knownMemberUid } from "./joinedMember.ts";
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

export interface Leaving {
  name: string;
  member: MemberCluster | undefined;
  /** With the member's kubeconfig, whoever made it. */
  secret: KubeObject | undefined;
  options: UnjoinOptions;
  hub: Client;
  context: CommandContext;
}

/** What `unjoin` would find on the member. `account`: what join made there, if anything. */
export type Foreseen =
  | { kind: "Reached"; objects: number; account: MemberAccess | undefined }
  /** `failure` is undefined if the hub has no credentials. */
  | { kind: "Unreached"; failure: unknown; account: MemberAccess | undefined }
  | { kind: "Shared"; with: string };

/**
 * The work of `unjoin` on the member itself, besides the manager's: removes the marks of what keeps running, and what
 * join made. If another MemberCluster stands for the same cluster, both stay.
 */
export class Parting implements AsyncDisposable {
  readonly #leaving: Leaving;
  readonly #hubId: string;
  readonly #reached: Reached | undefined;
  readonly #failure: unknown;
  readonly #sharing: readonly MemberCluster[];
  /** Number of objects with marks; undefined if nobody counted. */
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

  /** True if another MemberCluster connects with the same Secret. */
  get needsSecret(): boolean {
    const { secret } = this.#leaving;
    return this.#sharing.some(({ spec }) => spec.connection.kubeconfigSecretRef?.name === secret?.metadata.name);
  }

  /** True if join made an account, or an administrator's kubeconfig was given to remove the rest of one. */
  get #hasAccount(): boolean {
    const { secret, options } = this.#leaving;
    return options.memberKubeconfig !== undefined || secret?.metadata.labels?.[JOINED_TO_LABEL] !== undefined;
  }

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

  /**
   * Removes the marks that a manager should have removed by now. Returns what keeps its marks; {@link finish} names it.
   */
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

  /** Call after the MemberCluster is gone: nobody renews the credentials then. Returns what could not be removed. */
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
    const marked = this.#marked ?? 0;
    if (this.#reached === undefined) {
      // A member that was never reached has nothing of Meridian.
      const wasReached = hasAccount || (member !== undefined && knownMemberUid(member) !== undefined);
      if (this.#failure === undefined || !wasReached) return [];
      terminal.err(`${name} could not be cleaned: ${describeAnswer(this.#failure)}\n`);
      return [...(this.#isToLetGo ? [this.#marksLeft()] : []), ...(hasAccount ? everythingOf(access) : [])];
    }
    const unreleased = await this.takeMarksOff();
    if (unreleased.length > 0) {
      terminal.err(`some objects on ${name} were not released: ${describeUnreleased(unreleased)}\n`);
      // A later attempt needs the account, unless --force gives the marks up.
      const kept =
        hasAccount && !options.force ? everythingOf(access) : await this.#revoke(this.#reached.client, access);
      return [this.#marksLeft(), ...kept];
    }
    if (marked > 0) terminal.out(`${counted(marked, "object")} released on ${name}\n`);
    return await this.#revoke(this.#reached.client, access);
  }

  /** Returns what could not be removed. */
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
      what: `the copies there keep Meridian's marks, and a later join leaves them alone; once ${name} answers, this removes the marks`,
      command: secret?.metadata.labels?.[JOINED_TO_LABEL] === undefined ? `${joinCommand(name)} && ${again}` : again,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reached?.[Symbol.asyncDispose]();
  }
}

/** Throws if the person's own kubeconfig does not work. The one that the hub stores may have stopped working. */
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

/** Other MemberClusters with the same cluster UID or Secret, or the same server address if no UID is known. */
async function sharingWith(
  { name, member, secret, options, hub, context }: Leaving,
  reachedUid: string | undefined,
): Promise<MemberCluster[]> {
  const { signal } = context;
  const uid = reachedUid ?? joinedUid(member, secret);
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
    // An unreadable kubeconfig has no server address.
    return undefined;
  }
}
