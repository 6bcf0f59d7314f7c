import { available, cases, condition, degraded, failed, progressing } from "../testing/workloadHealth.ts";

const accepted = condition("NamesAccepted", "True");
const established = condition("Established", "True");
const having = (...conditions: object[]): object => ({ conditions });

cases("apiextensions.k8s.io/v1 CustomResourceDefinition", [
  { name: "nobody has seen it", want: progressing("NoReport") },
  { name: "not known to be served", status: having(accepted), want: progressing("NoReport") },
  {
    name: "served, without the trouble of before",
    status: having(accepted, established, condition("Terminating", "False"), condition("NonStructuralSchema", "False")),
    want: available,
  },
  {
    name: "another definition has its names",
    status: having(
      condition("NamesAccepted", "False", "PluralConflict", '"widgets" is already in use'),
      condition("Established", "False", "NotAccepted"),
    ),
    want: failed("PluralConflict", '"widgets" is already in use'),
  },
  {
    name: "being installed",
    status: having(accepted, condition("Established", "False", "Installing", "the initial names")),
    want: progressing("RollingOut", "the initial names"),
  },
  {
    name: "its objects are being deleted",
    status: having(accepted, established, condition("Terminating", "True", "InstanceDeletionInProgress")),
    want: progressing("InstanceDeletionInProgress"),
  },
  {
    name: "its schema cannot be used",
    status: having(accepted, established, condition("NonStructuralSchema", "True", "Violations", "spec")),
    want: degraded("Violations", "spec"),
  },
]);
