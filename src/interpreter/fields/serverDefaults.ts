import { isFields } from "../values.ts";

/**
 * Defaults of built-in kinds, by field name; if kinds differ, each value counts. A client that creates an object owns
 * these values like those that it wrote.
 */
const SERVER_DEFAULTS: Readonly<Record<string, readonly unknown[]>> = {
  // Workloads
  backoffLimit: [6],
  completionMode: ["NonIndexed"],
  completions: [1],
  concurrencyPolicy: ["Allow"],
  failedJobsHistoryLimit: [1],
  manualSelector: [false],
  maxSurge: ["25%", 0],
  maxUnavailable: ["25%", 1],
  minReplicas: [1],
  parallelism: [1],
  partition: [0],
  podManagementPolicy: ["OrderedReady"],
  podReplacementPolicy: ["TerminatingOrFailed"],
  progressDeadlineSeconds: [600],
  replicas: [1],
  revisionHistoryLimit: [10],
  successfulJobsHistoryLimit: [3],
  suspend: [false],
  whenDeleted: ["Retain"],
  whenScaled: ["Retain"],
  // Pods
  defaultMode: [420],
  dnsPolicy: ["ClusterFirst"],
  enableServiceLinks: [true],
  failureThreshold: [3],
  imagePullPolicy: ["Always", "IfNotPresent"],
  periodSeconds: [10],
  protocol: ["TCP"],
  restartPolicy: ["Always"],
  schedulerName: ["default-scheduler"],
  scheme: ["HTTP"],
  successThreshold: [1],
  terminationGracePeriodSeconds: [30],
  terminationMessagePath: ["/dev/termination-log"],
  terminationMessagePolicy: ["File"],
  timeoutSeconds: [1, 10],
  // Services
  externalTrafficPolicy: ["Cluster"],
  internalTrafficPolicy: ["Cluster"],
  ipFamilyPolicy: ["SingleStack"],
  allocateLoadBalancerNodePorts: [true],
  sessionAffinity: ["None"],
  type: ["RollingUpdate", "ClusterIP"],
  // Webhooks and definitions
  failurePolicy: ["Fail"],
  matchPolicy: ["Equivalent"],
  port: [443],
  reinvocationPolicy: ["Never"],
  scope: ["*"],
  strategy: ["None"],
  // Storage
  persistentVolumeReclaimPolicy: ["Retain"],
  reclaimPolicy: ["Delete"],
  volumeBindingMode: ["Immediate"],
  volumeMode: ["Filesystem"],
};

/** `element`: the field as in `fieldsV1`. */
export function isServerDefault(element: string, value: unknown): boolean {
  const name = element.slice(2);
  if (!element.startsWith("f:")) return false;
  // The server fills in empty structures: `resources`, `securityContext`.
  if (isFields(value)) return Object.keys(value).length === 0;
  return Object.hasOwn(SERVER_DEFAULTS, name) && SERVER_DEFAULTS[name]?.includes(value) === true;
}
