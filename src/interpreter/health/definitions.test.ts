import { available, cases, condition, degraded, failed, progressing } from "../testing/workloadHealth.ts";

const accepted = condition("NamesAccepted", "True");
const established = condition("Established", "True");
const having = (...conditions: object[]): object => ({ conditions });

cases("apiextensions.k8s.io/v1 CustomResourceDefinition", [
  ["nobody has seen it", {}, progressing("NoReport")],
  ["not known to be served", { status: having(accepted) }, progressing("NoReport")],
  [
    "served, without the trouble of before",
    {
      status: having(
        accepted,
        established,
        condition("Terminating", "False"),
        condition("NonStructuralSchema", "False"),
      ),
    },
    available,
  ],
  [
    "another definition has its names",
    {
      status: having(
        condition("NamesAccepted", "False", "PluralConflict", '"widgets" is already in use'),
        condition("Established", "False", "NotAccepted"),
      ),
    },
    failed("PluralConflict", '"widgets" is already in use'),
  ],
  [
    "being installed",
    { status: having(accepted, condition("Established", "False", "Installing", "the initial names")) },
    progressing("RollingOut", "the initial names"),
  ],
  [
    "its objects are being deleted",
    { status: having(accepted, established, condition("Terminating", "True", "InstanceDeletionInProgress")) },
    progressing("InstanceDeletionInProgress"),
  ],
  [
    "its schema cannot be used",
    { status: having(accepted, established, condition("NonStructuralSchema", "True", "Violations", "spec")) },
    degraded("Violations", "spec"),
  ],
]);
