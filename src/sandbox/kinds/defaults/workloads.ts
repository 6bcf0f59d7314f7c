import { isFields, isMissing } from "../values.ts";
import { complete, inner, innerList, optionalInner, type StructDefaults } from "./struct.ts";

const APPS = "io.k8s.api.apps.v1.";
const BATCH = "io.k8s.api.batch.v1.";
const MANY = 2 ** 31 - 1;

const deploymentSpec: StructDefaults = (struct) => {
  complete(struct, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
  const strategy = inner(struct, "strategy");
  complete(strategy, { type: "RollingUpdate" });
  if (strategy["type"] !== "RollingUpdate") return;
  complete(inner(strategy, "rollingUpdate"), { maxUnavailable: "25%", maxSurge: "25%" });
};

const daemonSetSpec: StructDefaults = (struct) => {
  complete(struct, { revisionHistoryLimit: 10 });
  const strategy = inner(struct, "updateStrategy");
  complete(strategy, { type: "RollingUpdate" });
  if (strategy["type"] !== "RollingUpdate") return;
  complete(inner(strategy, "rollingUpdate"), { maxUnavailable: 1, maxSurge: 0 });
};

const statefulSetSpec: StructDefaults = (struct) => {
  complete(struct, { podManagementPolicy: "OrderedReady", replicas: 1, revisionHistoryLimit: 10 });
  const strategy = inner(struct, "updateStrategy");
  if (isMissing(strategy["type"])) {
    strategy["type"] = "RollingUpdate";
    inner(strategy, "rollingUpdate");
  }
  const rollingUpdate = optionalInner(strategy, "rollingUpdate");
  if (strategy["type"] === "RollingUpdate" && rollingUpdate !== undefined) {
    complete(rollingUpdate, { partition: 0 });
  }
  complete(inner(struct, "persistentVolumeClaimRetentionPolicy"), { whenDeleted: "Retain", whenScaled: "Retain" });
  for (const claim of innerList(struct, "volumeClaimTemplates")) {
    complete(claim, { apiVersion: "v1", kind: "PersistentVolumeClaim" });
  }
};

const jobSpec: StructDefaults = (struct) => {
  if (isMissing(struct["completions"]) && isMissing(struct["parallelism"])) struct["completions"] = 1;
  complete(struct, {
    parallelism: 1,
    backoffLimit: isMissing(struct["backoffLimitPerIndex"]) ? 6 : MANY,
    completionMode: "NonIndexed",
    suspend: false,
    podReplacementPolicy: isMissing(struct["podFailurePolicy"]) ? "TerminatingOrFailed" : "Failed",
    manualSelector: false,
  });
};

/** A Job without labels takes its template's label map, the same object, so that later steps can recognise it. */
const job: StructDefaults = (struct) => {
  const spec = optionalInner(struct, "spec");
  if (spec === undefined) return;
  jobSpec(spec);
  const labels = optionalInner(optionalInner(spec, "template") ?? {}, "metadata")?.["labels"];
  const metadata = inner(struct, "metadata");
  if (isFields(labels) && isMissing(metadata["labels"])) metadata["labels"] = labels;
};

export const workloadDefaults: Readonly<Record<string, StructDefaults>> = {
  [`${APPS}DeploymentSpec`]: deploymentSpec,
  [`${APPS}ReplicaSetSpec`]: (struct) => complete(struct, { replicas: 1 }),
  [`${APPS}DaemonSetSpec`]: daemonSetSpec,
  [`${APPS}StatefulSetSpec`]: statefulSetSpec,
  [`${BATCH}Job`]: job,
  // The template of a CronJob gets its defaults when a Job is created from it.
  [`${BATCH}CronJobSpec`]: (struct) =>
    complete(struct, {
      concurrencyPolicy: "Allow",
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    }),
  [`${BATCH}PodFailurePolicyOnPodConditionsPattern`]: (struct) => complete(struct, { status: "True" }),
};
