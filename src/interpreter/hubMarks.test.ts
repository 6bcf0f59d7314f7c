import { expect, test } from "vitest";
import { staysOnHub } from "./hubMarks.ts";

test.each([
  { key: "kubectl.kubernetes.io/last-applied-configuration", stays: true },
  { key: "federation.paas.cmft.com/managed-by", stays: true },
  { key: "deprecated.daemonset.template.generation", stays: true },
  { key: "deployment.kubernetes.io/revision", stays: true },
  { key: "pv.kubernetes.io/bind-completed", stays: true },
  { key: "volume.kubernetes.io/selected-node", stays: true },
  { key: "kubectl.kubernetes.io/restartedAt", stays: false },
  { key: "volume.kubernetes.io/other", stays: false },
  { key: "team", stays: false },
])("$key stays on the hub: $stays", ({ key, stays }) => {
  expect(staysOnHub(key)).toBe(stays);
});
