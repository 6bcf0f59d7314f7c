import { expect, test } from "vitest";
import { CONVERSION_ANNOTATION } from "../../apis/index.ts";
import { staysOnHub } from "./hubMarks.ts";

test.each([
  { key: "kubectl.kubernetes.io/last-applied-configuration", stays: true },
  { key: "federation.paas.cmft.com/managed-by", stays: true },
  { key: "deprecated.daemonset.template.generation", stays: true },
  { key: "deployment.kubernetes.io/desired-replicas", stays: true },
  { key: "deployment.kubernetes.io/max-replicas", stays: true },
  { key: "deployment.kubernetes.io/revision", stays: true },
  { key: "deployment.kubernetes.io/revision-history", stays: true },
  { key: "pv.kubernetes.io/bind-completed", stays: true },
  { key: "pv.kubernetes.io/bound-by-controller", stays: true },
  { key: "volume.beta.kubernetes.io/storage-provisioner", stays: true },
  { key: "volume.kubernetes.io/selected-node", stays: true },
  { key: "volume.kubernetes.io/storage-provisioner", stays: true },
  { key: CONVERSION_ANNOTATION, stays: true },
  { key: "kubectl.kubernetes.io/restartedAt", stays: false },
  { key: "volume.kubernetes.io/other", stays: false },
  { key: "team", stays: false },
])("$key stays on the hub: $stays", ({ key, stays }) => {
  expect(staysOnHub(key)).toBe(stays);
});
