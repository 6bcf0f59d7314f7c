import { expect, test } from "vitest";
import { CONVERSION_ANNOTATION } from "../../apis/index.ts";
import { staysOnHub } from "./hubMarks.ts";

test("notes of the hub's cluster, of kubectl and of Meridian stay on the hub", () => {
  const notes = [
    "kubectl.kubernetes.io/last-applied-configuration",
    "federation.paas.cmft.com/managed-by",
    "deprecated.daemonset.template.generation",
    ...["desired-replicas", "max-replicas", "revision", "revision-history"].map(
      (name) => `deployment.kubernetes.io/${name}`,
    ),
    ...["bind-completed", "bound-by-controller"].map((name) => `pv.kubernetes.io/${name}`),
    "volume.beta.kubernetes.io/storage-provisioner",
    ...["selected-node", "storage-provisioner"].map((name) => `volume.kubernetes.io/${name}`),
    CONVERSION_ANNOTATION,
  ];
  const others = ["kubectl.kubernetes.io/restartedAt", "volume.kubernetes.io/other", "team"];
  expect([...notes, ...others].filter(staysOnHub)).toEqual(notes);
});
