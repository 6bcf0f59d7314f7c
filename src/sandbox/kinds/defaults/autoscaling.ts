import { isFields, isMissing } from "../values.ts";
import { complete, inner, optionalInner, type Struct, type StructDefaults } from "./struct.ts";

const percent = () => ({ type: "Percent", value: 100, periodSeconds: 15 });

const behavior: StructDefaults = (struct) => {
  rules(inner(struct, "scaleUp"), [{ type: "Pods", value: 4, periodSeconds: 15 }, percent()]);
  complete(inner(struct, "scaleUp"), { stabilizationWindowSeconds: 0 });
  rules(inner(struct, "scaleDown"), [percent()]);
};

function rules(struct: Struct, policies: unknown[]): void {
  complete(struct, { selectPolicy: "Max", policies });
}

/** Without metrics the target is 80 % of the requested CPU. */
const v2Spec: StructDefaults = (struct) => {
  complete(struct, {
    minReplicas: 1,
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } }],
  });
  const given = optionalInner(struct, "behavior");
  if (given !== undefined) behavior(given);
};

const webhook: StructDefaults = (struct) => {
  complete(struct, {
    failurePolicy: "Fail",
    matchPolicy: "Equivalent",
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
  });
};

const port443: StructDefaults = (struct) => complete(struct, { port: 443 });

/** The schema folder completes a CRD's list of versions. */
const customResourceDefinition: StructDefaults = (struct) => {
  const spec = optionalInner(struct, "spec");
  if (spec === undefined) return;
  const names = optionalInner(spec, "names");
  const kind = names?.["kind"];
  if (names !== undefined && typeof kind === "string" && kind !== "") {
    complete(names, { singular: kind.toLowerCase(), listKind: `${kind}List` });
  }
  complete(spec, { conversion: { strategy: "None" } });
  const status = inner(struct, "status");
  const stored = Array.isArray(spec["versions"])
    ? (spec["versions"] as unknown[]).find((version) => isFields(version) && version["storage"] === true)
    : undefined;
  const known = status["storedVersions"];
  if (isFields(stored) && (isMissing(known) || (Array.isArray(known) && known.length === 0))) {
    status["storedVersions"] = [stored["name"]];
  }
};

export const autoscalingDefaults: Readonly<Record<string, StructDefaults>> = {
  "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec": v2Spec,
  "io.k8s.api.admissionregistration.v1.ValidatingWebhook": webhook,
  "io.k8s.api.admissionregistration.v1.MutatingWebhook": (struct) => {
    webhook(struct);
    complete(struct, { reinvocationPolicy: "Never" });
  },
  "io.k8s.api.admissionregistration.v1.RuleWithOperations": (struct) => complete(struct, { scope: "*" }),
  "io.k8s.api.admissionregistration.v1.ServiceReference": port443,
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReference": port443,
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition": customResourceDefinition,
};
