import {
  defined,
  FEDERATION_API_VERSION,
  FEDERATION_GROUP,
  type KubeObject,
  type MemberCluster,
  REGION_LABEL,
  timestamp,
  ZONE_LABEL,
  renewCommand,
} from "../../apis/index.ts";
import {
  SERVICE_ACCOUNT_ANNOTATION,
  TOKEN_EXPIRES_AT_ANNOTATION,
  TOKEN_ISSUED_AT_ANNOTATION,
} from "../../clusters/index.ts";
import { JOINED_TO_LABEL, type MemberAccess } from "./memberAccess.ts";
import { CommandError, type Whereabouts } from "../shared/index.ts";
import type { JoinOptions } from "./verb.ts";

/** The objects that join writes on the hub. Pure. */

/** Annotation of the Secret and the MemberCluster that join made: UID of the member's kube-system namespace. */
export const MEMBER_UID_ANNOTATION = `${FEDERATION_GROUP}/joined-cluster-uid`;
/**
 * Annotation of the Secret: the only namespaces that its account reaches, as `a,b`, for when the MemberCluster is gone.
 */
const NAMESPACES_ANNOTATION = `${FEDERATION_GROUP}/namespaces`;
export const KUBECONFIG_KEY = "kubeconfig";

/** Times in epoch milliseconds. */
interface Credentials {
  access: MemberAccess;
  memberUid: string;
  kubeconfig: string;
  issuedAt: number;
  expiresAt: number;
}

/** The Secret with a member's kubeconfig, in Meridian's namespace. */
export function kubeconfigSecret(
  cluster: string,
  namespace: string,
  { access, memberUid, kubeconfig, issuedAt, expiresAt }: Credentials,
): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: cluster,
      namespace,
      labels: { [JOINED_TO_LABEL]: access.hubId },
      annotations: {
        [MEMBER_UID_ANNOTATION]: memberUid,
        [SERVICE_ACCOUNT_ANNOTATION]: `${access.namespace}/${access.name}`,
        [TOKEN_ISSUED_AT_ANNOTATION]: timestamp(issuedAt),
        [TOKEN_EXPIRES_AT_ANNOTATION]: timestamp(expiresAt),
        ...defined({ [NAMESPACES_ANNOTATION]: access.namespaces?.join(",") }),
      },
    },
    type: "Opaque",
    data: { [KUBECONFIG_KEY]: Buffer.from(kubeconfig).toString("base64") },
  };
}

export function memberCluster(
  name: string,
  memberUid: string,
  options: Pick<JoinOptions, "region" | "zone" | "provider" | "labels" | "taints">,
  namespaces: readonly string[] | undefined,
): KubeObject {
  const { region, zone, provider, labels, taints } = options;
  return {
    apiVersion: FEDERATION_API_VERSION,
    kind: "MemberCluster",
    metadata: {
      name,
      labels: { ...labels, ...defined({ [REGION_LABEL]: region, [ZONE_LABEL]: zone }) },
      annotations: { [MEMBER_UID_ANNOTATION]: memberUid },
    },
    spec: {
      ...defined({ provider }),
      connection: { kubeconfigSecretRef: { name, key: KUBECONFIG_KEY } },
      ...(taints.length === 0 ? {} : { taints }),
      ...defined({ namespaces }),
    },
  };
}

/** The only namespaces of the member that the stored credentials reach; undefined: the whole cluster. */
export function reachedNamespaces(
  member: Pick<MemberCluster, "spec"> | undefined,
  secret: KubeObject | undefined,
): readonly string[] | undefined {
  const annotation = secret?.metadata.annotations?.[NAMESPACES_ANNOTATION];
  return member?.spec.namespaces ?? (annotation === undefined ? undefined : annotation.split(","));
}

/** UID of the member; undefined while neither join nor a manager has recorded it. */
export function knownMemberUid({ metadata, status }: MemberCluster): string | undefined {
  return status?.clusterUID ?? metadata.annotations?.[MEMBER_UID_ANNOTATION];
}

/** The same, also when only the Secret is left. */
export function joinedUid(member: MemberCluster | undefined, secret: KubeObject | undefined): string | undefined {
  const uid = member === undefined ? undefined : knownMemberUid(member);
  return uid ?? secret?.metadata.annotations?.[MEMBER_UID_ANNOTATION];
}

/** A cluster that wants to join. */
interface Candidate {
  name: string;
  memberUid: string;
  hubUid: string;
  where: Whereabouts;
  /** A cluster that is leaving may need new credentials to be drained. */
  renew: boolean;
}

/** Throws {@link CommandError} unless one cluster has one name, and the name means one cluster. */
export function checkIdentity(
  { name, memberUid, hubUid, where, renew }: Candidate,
  members: readonly MemberCluster[],
): void {
  const which = `${where.server} (${where.origin})`;
  if (memberUid === hubUid) {
    throw new CommandError(
      `${which} is the hub itself: give --member-kubeconfig or --member-context of another cluster, or, to run applications on the hub, apply a MemberCluster with "spec: {connection: {local: {}}}"`,
    );
  }
  for (const member of members) {
    const known = knownMemberUid(member);
    const { name: other, deletionTimestamp } = member.metadata;
    if (other !== name) {
      if (known !== memberUid) continue;
      throw new CommandError(
        `${which} is a member already, as ${other}; \`meridian unjoin ${other}\` first, or renew it with \`${renewCommand(other)}\``,
      );
    }
    if (known !== undefined && known !== memberUid) {
      throw new CommandError(
        `${name} is another cluster than ${which} (kube-system UID ${known}, not ${memberUid}); choose another name, or \`meridian unjoin ${name}\` first`,
      );
    }
    if (deletionTimestamp !== undefined && !renew) {
      throw new CommandError(
        `${name} is being removed; wait until it is gone (\`meridian status membercluster/${name}\`), or give --renew to renew only the credentials`,
      );
    }
  }
}
