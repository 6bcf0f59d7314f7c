import { expect, test } from "vitest";
import { CONVERSION_ANNOTATION } from "../../apis/index.ts";
import { staysOnHub } from "./hubMarks.ts";

test("notes of the hub's cluster, of kubectl and of Meridian stay on the hub", () => {
  const notes = [
    "kubectl.kubernetes.io/last-applied-configuration",
    "federation.paas.cmft.com/managed-by",
    "deployment.kubernetes.io/revision",
    "pv.kubernetes.io/bind-completed",
    CONVERSION_ANNOTATION,
  ];
  const others = ["kubectl.kubernetes.io/restartedAt", "volume.kubernetes.io/other", "team"];
  expect([...notes, ...others].filter(staysOnHub)).toEqual(notes);
});
