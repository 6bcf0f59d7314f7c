import { defined, isRecord, type KubeObject, type MemberCluster } from "../../apis/index.ts";
import { memberRights, memberRightsInNamespace } from "../../hub/index.ts";
import { type Client, isForbidden, SECRETS, systemClock } from "../../runtime/index.ts";
import { type Reached, reachMember } from "../member/index.ts";
import { CommandError, describeAnswer } from "../shared/index.ts";
import type { PolicyRule } from "../workload/index.ts";
import { type ClockReading, readClock } from "./clock.ts";
import type { Probe } from "./members.ts";
import type { PreflightReader } from "./reading.ts";
import { missingRights } from "./rights.ts";

const PATIENCE_MS = 10_000;
/** A member may answer anything, and the text goes to a terminal. */
const VERSION = /^v?\d[\w.+-]{0,62}$/;

/** Version and clock of a server, from one small answer; an empty version if the server says none. */
export async function askVersion(
  client: Client,
  signal: AbortSignal,
): Promise<{ version: string; clock: ClockReading | undefined }> {
  let serverTime: number | undefined;
  const asked = systemClock.now();
  const answer = await client.raw("GET", "/version", { signal, onDate: (time) => (serverTime = time) });
  const answered = systemClock.now();
  const text = isRecord(answer) ? answer["gitVersion"] : undefined;
  const version = typeof text === "string" && VERSION.test(text) ? text : "";
  return { version, clock: serverTime === undefined ? undefined : readClock({ asked, answered, serverTime }) };
}

/** Asks a member by the credentials that the hub stores. A failure is an answer. */
export async function probeMember(
  reader: PreflightReader,
  member: MemberCluster,
  systemNamespace: string,
): Promise<Probe> {
  const { name } = member.metadata;
  const { connection } = member.spec;
  const signal = AbortSignal.any([reader.signal, AbortSignal.timeout(PATIENCE_MS)]);
  if (connection.pull !== undefined) return { kind: "NotAsked" };
  const secret = connection.local === undefined ? await secretOf(reader, member, systemNamespace) : undefined;
  if (secret === "NotShown") return { kind: "NotAsked" };
  try {
    await using reached = await reachMember(name, member, secret, {}, reader.client, signal);
    if (reached === undefined) return { kind: "NotAsked" };
    // Without the first request, which opens the connection, the clock is read more exactly.
    const { version, clock } = await askVersion(reached.client, signal);
    // The connection of a local member has the person's rights, not those of Meridian's account.
    const missing = connection.local === undefined ? await rightsMissingOn(reached, signal) : undefined;
    return { kind: "Reached", version: version === "" ? undefined : version, clock, missingRights: missing };
  } catch (error) {
    reader.signal.throwIfAborted();
    return { kind: "Unreached", why: describeAnswer(error), isOther: error instanceof CommandError };
  }
}

function secretOf(
  reader: PreflightReader,
  { metadata, spec }: MemberCluster,
  namespace: string,
): Promise<KubeObject | "NotShown" | undefined> {
  const name = spec.connection.kubeconfigSecretRef?.name ?? metadata.name;
  return reader.shownOne(SECRETS, namespace, name, `what ${metadata.name} itself says (clock, version, rights)`);
}

/** Undefined if the member does not say. */
async function rightsMissingOn(
  { client, namespaces }: Pick<Reached, "client" | "namespaces">,
  signal: AbortSignal,
): Promise<string[] | undefined> {
  if (namespaces === undefined) {
    const granted = await rightsIn(client, "default", signal);
    return granted === undefined ? undefined : missingRights(memberRights(), granted);
  }
  const missing: string[] = [];
  for (const namespace of namespaces) {
    const granted = await rightsIn(client, namespace, signal);
    if (granted === undefined) return undefined;
    const wanted = memberRightsInNamespace();
    missing.push(...missingRights(wanted, granted).map((right) => `${right} in namespace ${namespace}`));
  }
  return missing;
}

/** Undefined if the answer is incomplete: an authorizer beside RBAC may grant more. */
async function rightsIn(client: Client, namespace: string, signal: AbortSignal): Promise<PolicyRule[] | undefined> {
  try {
    const review = (await client.raw("POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {
      body: {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectRulesReview",
        spec: { namespace },
      },
      signal,
    })) as { status?: { resourceRules?: Partial<PolicyRule>[] | null; incomplete?: boolean } };
    if (review.status?.incomplete === true) return undefined;
    return (review.status?.resourceRules ?? []).map(
      ({ apiGroups = [], resources = [], verbs = [], resourceNames }): PolicyRule => ({
        apiGroups,
        resources,
        verbs,
        ...defined({ resourceNames }),
      }),
    );
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}
