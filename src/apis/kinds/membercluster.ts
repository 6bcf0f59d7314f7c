import { z } from "zod";
import {
  conditions,
  count,
  DATA_KEY,
  DNS_LABEL,
  exactlyOneOf,
  labelKey,
  labelValue,
  listMap,
  listSet,
  observedGeneration,
  subdomainName,
  timestamp,
  withRules,
} from "../schema/index.ts";
import { type ObjectMeta } from "../metadata/index.ts";

export const taintEffect = z.enum(["NoSchedule", "PreferNoSchedule", "NoExecute"]);

export const taint = z.object({
  key: labelKey,
  value: labelValue.optional(),
  effect: taintEffect,
  timeAdded: timestamp
    .optional()
    .describe("From when tolerationSeconds are counted; where the manager saw the taint come, not from before that."),
});

export const connection = withRules(
  z.object({
    kubeconfigSecretRef: z
      .object({
        name: subdomainName,
        key: z.string().min(1).max(253).regex(DATA_KEY, "must be a key of a Secret").default("kubeconfig"),
      })
      .optional()
      .describe("A Secret in Meridian's own namespace, never elsewhere, that holds a kubeconfig for the cluster."),
    local: z.object({}).optional().describe("The hub itself."),
    pull: z
      .object({})
      .optional()
      .describe("An agent in the cluster does the work; Meridian opens no connection to it."),
  }),
  exactlyOneOf("kubeconfigSecretRef", "local", "pull"),
  {
    rule: "has(self.local) == has(oldSelf.local)",
    message:
      "local: it cannot be added or removed, that would be another cluster; delete this MemberCluster and make a new one",
  },
);

export const memberClusterSpec = z.object({
  provider: labelValue.optional().describe("Who runs it; selected with fieldSelector."),
  connection,
  taints: listMap(z.array(taint).max(64), "key", "effect")
    .optional()
    .describe("Keep objects away whose Placement does not tolerate them."),
  namespaces: listSet(
    z.array(z.string().min(1).max(63).regex(DNS_LABEL, "must be the name of a namespace")).min(1).max(256),
  )
    .optional()
    .describe(
      "The namespaces that Meridian's account has rights in there, as `meridian join --namespaces` writes them: nothing else is placed there, read or removed. Absent: the whole cluster.",
    ),
  emptyNamespaces: z
    .enum(["Keep", "Remove"])
    .optional()
    .describe(
      "What becomes of a namespace that Meridian made there once nothing is in it. Absent: it is kept. With Remove it is deleted after it was seen empty twice, half a minute apart; Kubernetes has no way to delete a namespace only if it is empty, so what somebody puts there in the last milliseconds goes with it.",
    ),
  deletionPolicy: z
    .enum(["Drain", "Orphan"])
    .optional()
    .describe(
      "What becomes of the member's objects when this MemberCluster is deleted. Drain: they are deleted. Orphan: they are left running, without any mark of Meridian. Absent: the deletion waits until it is said, unless nothing of Meridian is there.",
    ),
});

export type Taint = z.infer<typeof taint>;
export type MemberClusterSpec = z.infer<typeof memberClusterSpec>;

export const memberClusterStatus = z.object({
  observedGeneration: observedGeneration.exactOptional(),
  conditions: conditions.exactOptional(),
  latency: z
    .string()
    .max(16)
    .exactOptional()
    .describe("About how long answers take, such as 2.5s. Said while the condition Slow is True."),
  lastContact: timestamp.exactOptional().describe("When the cluster answered last. Said while it does not answer."),
  kubernetesVersion: z.string().max(253).exactOptional(),
  clusterUID: z
    .string()
    .max(128)
    .exactOptional()
    .describe("UID of its kube-system namespace. When it changes, writing stops until a person agrees."),
  /** `group/version` of every API the cluster serves, sorted. */
  apis: z.array(z.string().max(317)).exactOptional(),
  capacity: z
    .object({
      nodes: count,
      cpu: z.string().max(64).exactOptional(),
      memory: z.string().max(64).exactOptional(),
      pods: z.string().max(64).exactOptional(),
    })
    .exactOptional(),
  credentials: z.object({ expiresAt: timestamp.exactOptional(), renewAt: timestamp.exactOptional() }).exactOptional(),
});

export type MemberClusterStatus = z.infer<typeof memberClusterStatus>;

export interface MemberCluster {
  apiVersion: string;
  kind: "MemberCluster";
  metadata: ObjectMeta;
  spec: MemberClusterSpec;
  status?: MemberClusterStatus;
}
