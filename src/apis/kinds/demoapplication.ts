import { z } from "zod";
import {
  conditions,
  count,
  DNS_LABEL,
  IMAGE,
  LABEL_KEY,
  listMap,
  observedGeneration,
  timestamp,
  withRules,
} from "../schema/index.ts";
import {
  command,
  envFromSource,
  envVars,
  imagePullSecrets,
  livenessProbe,
  portReference,
  readinessProbe,
  resourceRequirements,
  volumeMounts,
  volumes,
} from "./container.ts";
import { finishedRecord } from "./finished.ts";
import { ingress } from "./ingress.ts";
import { memberAddress, memberCondition } from "./memberReport.ts";
import { type ObjectMeta } from "../metadata/index.ts";
import { reasonDescription } from "../reasons/index.ts";
import { running, runningThere } from "./running.ts";

export const servicePort = z.object({
  name: z
    .string()
    .min(1)
    .max(63)
    .regex(DNS_LABEL, "must be a DNS label: lower-case letters, digits and '-'")
    .optional()
    .describe("Default, when there is more than one port: its protocol and number, such as tcp-80."),
  port: z.int().min(1).max(65535).describe("The port of the Service."),
  targetPort: portReference
    .optional()
    .describe("The port of the container, by number or name. Default: the same as port."),
  nodePort: z
    .int()
    .min(1)
    .max(65535)
    .optional()
    .describe("The port on every node; makes the Service a NodePort unless serviceType says otherwise."),
  protocol: z.enum(["TCP", "UDP", "SCTP"]).default("TCP"),
  appProtocol: z
    .string()
    .min(1)
    .max(317)
    .regex(LABEL_KEY, "must be a name, such as http or kubernetes.io/h2c")
    .optional(),
});

const servicePorts = withRules(
  listMap(z.array(servicePort).max(64), "port", "protocol"),
  {
    rule: "self.all(p, !has(p.name) || self.exists_one(q, has(q.name) && q.name == p.name))",
    message: "ports: every name may be there only once; rename one or remove it",
    holds: (ports) => allDistinct(ports.flatMap(({ name }) => name ?? [])),
  },
  {
    rule: "self.all(p, !has(p.nodePort) || self.exists_one(q, has(q.nodePort) && q.nodePort == p.nodePort && q.protocol == p.protocol))",
    message: "ports: every nodePort may be there only once for each protocol; choose another or remove it",
    holds: (ports) =>
      allDistinct(ports.flatMap((p) => (p.nodePort === undefined ? [] : `${p.nodePort}/${p.protocol}`))),
  },
);

function allDistinct(values: string[]): boolean {
  return new Set(values).size === values.length;
}

export const demoApplicationSpecV1beta1 = z.object({
  image: z
    .string()
    .min(1)
    .max(1024)
    .regex(IMAGE, "must be an image, such as registry.example.com/team/web:1.2")
    .describe("What the container runs: [registry/]repository[:tag][@digest]."),
  replica: z
    .int()
    .min(0)
    .max(1000)
    .default(1)
    .describe("Pods in each cluster, or in all together, as the Placement divides them."),
  ports: servicePorts.optional().describe("The ports of the Service, and by their targetPort those of the container."),
});

export const demoApplicationSpec = withRules(
  demoApplicationSpecV1beta1.extend({
    command: command.optional().describe("Instead of the image's entrypoint."),
    args: command.optional().describe("Instead of the image's own arguments."),
    serviceType: z
      .enum(["ClusterIP", "NodePort", "LoadBalancer"])
      .optional()
      .describe("Default: NodePort when a port names a nodePort, else ClusterIP."),
    env: envVars.optional().describe("Variables of the container; a ConfigMap or Secret they refer to travels along."),
    envFrom: z.array(envFromSource).max(64).optional().describe("Every key of a ConfigMap or Secret as a variable."),
    volumes: volumes.optional().describe("Files from ConfigMaps and Secrets, which travel along, or empty folders."),
    volumeMounts: volumeMounts.optional().describe("Where the container finds the volumes."),
    resources: resourceRequirements.optional().describe("What the container asks for and may use."),
    livenessProbe: livenessProbe.optional().describe("The container is restarted when this fails."),
    readinessProbe: readinessProbe.optional().describe("The pod gets no traffic while this fails."),
    imagePullSecrets: imagePullSecrets.optional().describe("Secrets for the image's registry; they travel along."),
    ingress: ingress.optional().describe("The way in for people outside of the cluster: becomes an Ingress there."),
  }),
  {
    rule: "!has(self.volumeMounts) || self.volumeMounts.all(m, has(self.volumes) && self.volumes.exists(v, v.name == m.name))",
    message: "volumeMounts: every name must be the name of an entry of volumes; add that entry or correct the name",
    field: "volumeMounts",
    holds: ({ volumes = [], volumeMounts = [] }) =>
      volumeMounts.every((mount) => volumes.some(({ name }) => name === mount.name)),
  },
  {
    rule: "!has(self.serviceType) || self.serviceType != 'ClusterIP' || !has(self.ports) || self.ports.all(p, !has(p.nodePort))",
    message: "serviceType: a Service of type ClusterIP has no nodePort; remove the nodePort or choose NodePort",
    field: "serviceType",
    holds: ({ serviceType, ports = [] }) =>
      serviceType !== "ClusterIP" || ports.every(({ nodePort }) => nodePort === undefined),
  },
  {
    rule: "!has(self.ingress) || (has(self.ports) && self.ports.exists(p, p.protocol == 'TCP'))",
    message: "ingress: it leads to a TCP port of the application, and ports has none; add one, or remove the ingress",
    field: "ingress",
    holds: ({ ingress: wanted, ports = [] }) =>
      wanted === undefined || ports.some(({ protocol }) => protocol === "TCP"),
  },
  {
    rule: "!has(self.ingress) || !has(self.ingress.port) || !has(self.ports) || self.ports.exists(p, p.protocol == 'TCP' && (type(self.ingress.port) == int ? p.port == self.ingress.port : has(p.name) && p.name == self.ingress.port))",
    message: "ingress: its port must be the number or the name of a TCP port in ports; correct it, or leave it out",
    field: "ingress",
    holds: ({ ingress: wanted, ports = [] }) =>
      wanted?.port === undefined ||
      ports.length === 0 ||
      ports.some(({ port, name, protocol }) => protocol === "TCP" && (wanted.port === port || wanted.port === name)),
  },
);

export type ServicePort = z.infer<typeof servicePort>;
export type DemoApplicationSpecV1beta1 = z.infer<typeof demoApplicationSpecV1beta1>;
export type DemoApplicationSpec = z.infer<typeof demoApplicationSpec>;

export const clusterState = z.enum([
  "Pending",
  "Progressing",
  "Available",
  "Degraded",
  "Failed",
  "Unknown",
  "Removing",
  "Held",
]);

export const replicaCounts = z.object({ desired: count, updated: count, ready: count, available: count });

export const clusterStatusEntry = z
  .object({
    name: z.string().min(1).max(253),
    region: z.string().max(253).exactOptional(),
    state: clusterState,
    reason: z
      .string()
      .max(1024)
      .exactOptional()
      .describe(reasonDescription("ClusterUnreachable", "AlreadyExists", "QuotaExceeded")),
    message: z.string().max(32768).exactOptional(),
    replicas: replicaCounts,
    overrides: z
      .array(z.string().max(320))
      .exactOptional()
      .describe(
        "Override policies that took effect there, as Kind/name, in the order in which they apply, so that the last one has the last word.",
      ),
    moreOverrides: count.exactOptional().describe("How many policies that apply earlier `overrides` leaves out."),
    conditions: z
      .array(memberCondition)
      .exactOptional()
      .describe(
        "What controllers of the cluster say of the object there: of kinds that Meridian knows, while something is wrong; of others, always. Left out above 100 clusters.",
      ),
    addresses: z
      .array(memberAddress)
      .exactOptional()
      .describe("Where the object can be reached on the cluster. Left out above 100 clusters."),
    desiredHash: z.string().max(64).exactOptional(),
    observedHash: z.string().max(64).exactOptional(),
    runs: runningThere.exactOptional(),
    unhealthySince: timestamp
      .exactOptional()
      .describe(
        "Since when the object is unhealthy there. Said only where its Placement has `failover.unhealthyAfter`.",
      ),
    unschedulableSince: timestamp
      .exactOptional()
      .describe(
        "Since when pods of the object find no node there, or the last time that some of its replicas left for that. Said only where its Placement has `replicaScheduling.rescheduling`.",
      ),
    since: timestamp
      .exactOptional()
      .describe(
        "Since when the object has this reason there. Said of an entry that is not Available and has a reason.",
      ),
    observedAt: timestamp
      .exactOptional()
      .describe("When this entry last changed or, while contact with the cluster is lost, the last moment of contact."),
  })
  .meta({ "x-kubernetes-map-type": "atomic" });

/** `revisionHistoryLimit` is 100 at most; more revisions are in use. */
const MOST_REVISIONS = 128;

/** Proof that a ControllerRevision is genuine: tenants may write these, and only Meridian writes this status. */
export const keptRevision = z.object({
  revision: count.describe("Its number. Equal content has one number."),
  name: z.string().min(1).max(253).describe("Of the ControllerRevision beside the object."),
  hash: z.string().max(64).describe("SHA-256 of what decides what is made of the object."),
  digest: z.string().max(64).describe("SHA-256 of all that the ControllerRevision holds."),
  succeededAt: timestamp.exactOptional().describe("When it was last rolled out to the end."),
});

export type KeptRevision = z.infer<typeof keptRevision>;

export const rolloutStatus = z.object({
  state: z.enum(["Planned", "Progressing", "Paused", "RollingBack", "RolledBack", "Succeeded", "Superseded"]),
  reason: z
    .enum(["", "Gate", "User", "Unknown", "Failures", "RollbackFailed"])
    .exactOptional()
    .describe(
      "Why it is paused; `User` where it is Planned and was paused before it began; empty in every other state.",
    ),
  message: z.string().max(32768).exactOptional(),
  revision: count
    .exactOptional()
    .describe("That is being rolled out: the revision of a ControllerRevision on the hub."),
  lastGoodRevision: count
    .exactOptional()
    .describe("That a rollback returns to, and that clusters run until their turn."),
  startedAt: timestamp.exactOptional(),
  since: timestamp.exactOptional().describe("Since when it is in its state."),
  resumedAt: timestamp.exactOptional().describe("The last `meridian rollout resume` that was obeyed."),
  revisions: z
    .array(keptRevision)
    .max(MOST_REVISIONS)
    .meta({ "x-kubernetes-list-type": "atomic" })
    .exactOptional()
    .describe(
      "The revisions that are kept, the oldest first. A ControllerRevision that is not as it says here counts as missing.",
    ),
  stages: listMap(
    z.array(
      z.object({
        name: z.string().max(63),
        state: z.enum(["Waiting", "Progressing", "Soaking", "Paused", "Succeeded", "Failed", "RolledBack"]),
        startedAt: timestamp.exactOptional(),
        soakingSince: timestamp.exactOptional(),
        approvedBy: z.string().max(1024).exactOptional(),
        approverVerified: z
          .boolean()
          .exactOptional()
          .describe("False where no webhook made sure that `approvedBy` is who approved."),
        clusters: z
          .array(
            z.object({
              name: z.string().max(63),
              state: z.enum([
                "Waiting",
                "Deferred",
                "Applying",
                "Verifying",
                "Done",
                "Failed",
                "Skipped",
                "RolledBack",
              ]),
              reason: z.string().max(1024).exactOptional(),
              since: timestamp.exactOptional().describe("Since when it is in the state, where a clock runs."),
            }),
          )
          .meta({ "x-kubernetes-list-type": "atomic" })
          .exactOptional(),
      }),
    ),
    "name",
  ).exactOptional(),
});

export type RolloutStatus = z.infer<typeof rolloutStatus>;

export const federatedStatus = z.object({
  observedGeneration: observedGeneration.exactOptional(),
  controllerClass: z
    .string()
    .max(63)
    .exactOptional()
    .describe("Class of controllers that owns the object now, where that is not the default class."),
  conditions: conditions.exactOptional(),
  placement: z
    .object({ kind: z.string().max(63), namespace: z.string().max(63).exactOptional(), name: z.string().max(253) })
    .meta({ "x-kubernetes-map-type": "atomic" })
    .exactOptional()
    .describe("The Placement that applies to the object."),
  deletionPolicy: z
    .literal("Orphan")
    .exactOptional()
    .describe(
      "Set when deleting the object leaves what runs on the clusters; stands here because the policy that said so may be gone by then.",
    ),
  replicas: replicaCounts.exactOptional().describe("Over all clusters."),
  staleReplicas: replicaCounts
    .exactOptional()
    .describe("How much of `replicas` is only last known, since contact with the clusters is lost."),
  /** Label selector of the pods, as text, for the scale subresource. */
  selector: z.string().max(4096).exactOptional(),
  availableClusters: z
    .string()
    .max(32)
    .exactOptional()
    .describe("On how many of the chosen clusters the object is available: 2/3."),
  runs: running
    .exactOptional()
    .describe("What the clusters run. Absent while they run nothing, or only what is wanted and has no image."),
  clusters: listMap(z.array(clusterStatusEntry), "name").exactOptional(),
  /** Set above 100 clusters: those that `clusters` leaves out, by region. No `states`: all are Available. */
  summary: listMap(
    z.array(
      z.object({
        region: z.string().max(253),
        clusters: count,
        replicas: replicaCounts,
        states: z.partialRecord(clusterState, count).exactOptional(),
      }),
    ),
    "region",
  ).exactOptional(),
  kinds: z
    .array(z.string().min(1).max(320))
    .meta({ "x-kubernetes-list-type": "atomic" })
    .exactOptional()
    .describe(
      "The kinds of which a bundle may have objects on clusters, as Deployment.apps, also of those that have left it since; of an application those that only some applications become.",
    ),
  departures: listMap(
    z.array(
      z.object({
        cluster: z.string().max(63),
        reason: z.enum(["ClusterLost", "ObjectUnhealthy"]),
        at: timestamp.describe("When the object left it."),
      }),
    ),
    "cluster",
  )
    .exactOptional()
    .describe("Clusters that the object left by failover and has not returned to."),
  finished: finishedRecord
    .exactOptional()
    .describe(
      "Work that has come to its end for good: what a Job asks for, say. Until its spec asks for other work it is neither made anew nor moved. Kept here, since the TTL of a Job may remove it from a cluster.",
    ),
  rollout: rolloutStatus
    .exactOptional()
    .describe("The rollout that is under way, or the last one. Absent where the policy rolls nothing out in stages."),
  plannedClusters: z
    .array(z.string().min(1).max(253))
    .meta({ "x-kubernetes-list-type": "atomic" })
    .exactOptional()
    .describe(
      "Clusters that may get the object and for which no report was written yet. Recorded before anything is sent there.",
    ),
  unlistedClusters: z
    .array(z.string().min(1).max(253))
    .meta({ "x-kubernetes-list-type": "atomic" })
    .exactOptional()
    .describe(
      "Clusters on which something of the object may be and that `clusters` leaves out. With these the status names all of them.",
    ),
});

export type ClusterState = z.infer<typeof clusterState>;
export type ReplicaCounts = z.infer<typeof replicaCounts>;
export type ClusterStatusEntry = z.infer<typeof clusterStatusEntry>;
/** Status that Meridian writes on any object that it places. */
export type FederatedStatus = z.infer<typeof federatedStatus>;

export interface DemoApplication {
  apiVersion: string;
  kind: "DemoApplication";
  metadata: ObjectMeta;
  spec: DemoApplicationSpec;
  status?: FederatedStatus;
}

export interface DemoApplicationV1beta1 {
  apiVersion: string;
  kind: "DemoApplication";
  metadata: ObjectMeta;
  spec: DemoApplicationSpecV1beta1;
  status?: FederatedStatus;
}
