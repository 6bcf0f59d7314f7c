import type { KubeObject } from "../../types.ts";
import { count, fields, type Fields, fieldsList, isEqual, isFields, isMissing, without } from "../values.ts";

/**
 * autoscaling/v1 knows CPU only. What else there is travels in annotations, in which older servers wrote it too, so that nothing is lost on
 * the way there and back.
 */
const METRICS = "autoscaling.alpha.kubernetes.io/metrics";
const CURRENT_METRICS = "autoscaling.alpha.kubernetes.io/current-metrics";
const BEHAVIOR = "autoscaling.alpha.kubernetes.io/behavior";
const CONDITIONS = "autoscaling.alpha.kubernetes.io/conditions";
const TRAVELLING = [METRICS, CURRENT_METRICS, BEHAVIOR, CONDITIONS];

const isCpu = ({ type, resource }: Fields) => type === "Resource" && fields(resource)["name"] === "cpu";
const utilization = (source: unknown, field: string) => fields(fields(source)[field])["averageUtilization"];

/** The same when it is of v1 already. */
export function asV1(object: KubeObject): KubeObject {
  if (object.apiVersion === "autoscaling/v1") return object;
  const spec = fields(object["spec"]);
  const status = fields(object["status"]);
  const metrics = fieldsList(spec["metrics"]);
  const cpu = metrics.find((metric) => isCpu(metric) && !isMissing(utilization(metric["resource"], "target")));
  const others = metrics.filter((metric) => !isCpu(metric) || isMissing(utilization(metric["resource"], "target")));
  const current = fieldsList(status["currentMetrics"]);
  const currentCpu = current.findLast(
    (metric) => isCpu(metric) && !isMissing(utilization(metric["resource"], "current")),
  );
  const conditions = fieldsList(status["conditions"]);
  const annotations: Record<string, string> = {};
  if (others.length > 0) annotations[METRICS] = JSON.stringify(others.map((metric) => flat(metric, "target")));
  if (current.length > 0) {
    annotations[CURRENT_METRICS] = JSON.stringify(current.map((metric) => flat(metric, "current")));
  }
  if (isFields(spec["behavior"])) annotations[BEHAVIOR] = JSON.stringify(capitals(spec["behavior"]));
  if (conditions.length > 0) annotations[CONDITIONS] = JSON.stringify(conditions);
  return {
    apiVersion: "autoscaling/v1",
    kind: object.kind,
    metadata: withAnnotations(object.metadata, annotations),
    spec: {
      ...kept(spec, ["scaleTargetRef", "minReplicas", "maxReplicas"]),
      ...(cpu === undefined ? {} : { targetCPUUtilizationPercentage: utilization(cpu["resource"], "target") }),
    },
    status: {
      ...kept(status, ["observedGeneration", "lastScaleTime", "currentReplicas", "desiredReplicas"]),
      currentReplicas: status["currentReplicas"] ?? 0,
      ...(currentCpu === undefined
        ? {}
        : { currentCPUUtilizationPercentage: utilization(currentCpu["resource"], "current") }),
    },
  };
}

/** The same when it is of v2 already. */
export function asV2(object: KubeObject): KubeObject {
  if (object.apiVersion !== "autoscaling/v1") return object;
  const spec = fields(object["spec"]);
  const status = fields(object["status"]);
  const annotations = object.metadata.annotations ?? {};
  const target = spec["targetCPUUtilizationPercentage"];
  const cpu = (averageUtilization: unknown) => ({
    type: "Resource",
    resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
  });
  const metrics = [
    ...listIn(annotations[METRICS]).map((metric) => deep(metric, "target")),
    ...(isMissing(target) ? [] : [cpu(target)]),
  ];
  const currentCpu = status["currentCPUUtilizationPercentage"];
  const travelling = annotations[CURRENT_METRICS];
  const currentMetrics =
    travelling !== undefined
      ? listIn(travelling).map((metric) => deep(metric, "current"))
      : isMissing(currentCpu)
        ? []
        : [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: currentCpu } } }];
  const conditions = listIn(annotations[CONDITIONS]);
  const behavior = valueIn(annotations[BEHAVIOR]);
  return {
    apiVersion: "autoscaling/v2",
    kind: object.kind,
    metadata: withAnnotations(object.metadata, {}),
    spec: {
      ...kept(spec, ["scaleTargetRef", "minReplicas", "maxReplicas"]),
      metrics: metrics.length === 0 ? [cpu(80)] : metrics,
      ...(isFields(behavior) ? { behavior: smallLetters(behavior) } : {}),
    },
    status: {
      ...kept(status, ["observedGeneration", "lastScaleTime", "desiredReplicas"]),
      ...(count(status["currentReplicas"]) === 0 ? {} : { currentReplicas: status["currentReplicas"] }),
      currentMetrics: currentMetrics.length === 0 ? null : currentMetrics,
      desiredReplicas: status["desiredReplicas"] ?? 0,
      ...(conditions.length === 0 ? {} : { conditions }),
    },
  };
}

function kept(source: Fields, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => source[name] !== undefined).map((name) => [name, source[name]]));
}

function withAnnotations(metadata: KubeObject["metadata"], added: Record<string, string>): KubeObject["metadata"] {
  let own: Record<string, string> = metadata.annotations ?? {};
  for (const name of TRAVELLING) own = without(own, name);
  const annotations = { ...own, ...added };
  if (Object.keys(annotations).length > 0) {
    return isEqual(annotations, metadata.annotations) ? metadata : { ...metadata, annotations };
  }
  return without(metadata, "annotations");
}

/** Names of the fields of one source of measurements: in v2 nested, in v1 side by side. */
const FLAT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  object: {
    describedObject: "target",
    "metric.name": "metricName",
    "metric.selector": "selector",
    "target.value": "targetValue",
    "target.averageValue": "averageValue",
    "current.value": "currentValue",
    "current.averageValue": "averageValue",
  },
  pods: {
    "metric.name": "metricName",
    "metric.selector": "selector",
    "target.averageValue": "targetAverageValue",
    "current.averageValue": "currentAverageValue",
  },
  resource: {
    name: "name",
    "target.averageUtilization": "targetAverageUtilization",
    "target.averageValue": "targetAverageValue",
    "current.averageUtilization": "currentAverageUtilization",
    "current.averageValue": "currentAverageValue",
  },
  containerResource: {
    name: "name",
    container: "container",
    "target.averageUtilization": "targetAverageUtilization",
    "target.averageValue": "targetAverageValue",
    "current.averageUtilization": "currentAverageUtilization",
    "current.averageValue": "currentAverageValue",
  },
  external: {
    "metric.name": "metricName",
    "metric.selector": "metricSelector",
    "target.value": "targetValue",
    "target.averageValue": "targetAverageValue",
    "current.value": "currentValue",
    "current.averageValue": "currentAverageValue",
  },
};

type Amounts = "target" | "current";

const OTHER: Readonly<Record<Amounts, string>> = { target: "current.", current: "target." };

function flat(metric: Fields, amounts: Amounts): Record<string, unknown> {
  const out: Record<string, unknown> = { type: metric["type"] };
  for (const [source, names] of Object.entries(FLAT)) {
    if (isMissing(metric[source])) continue;
    const inner: Record<string, unknown> = {};
    for (const [path, name] of Object.entries(names)) {
      const [first = "", second] = path.split(".");
      if (path.startsWith(OTHER[amounts])) continue;
      const value =
        second === undefined ? fields(metric[source])[first] : fields(fields(metric[source])[first])[second];
      if (value !== undefined) inner[name] = value;
    }
    out[source] = inner;
  }
  return out;
}

function deep(metric: Fields, amounts: Amounts): Record<string, unknown> {
  const out: Record<string, unknown> = { type: metric["type"] };
  for (const [source, names] of Object.entries(FLAT)) {
    if (isMissing(metric[source])) continue;
    const inner: Record<string, unknown> = {};
    for (const [path, name] of Object.entries(names)) {
      const value = fields(metric[source])[name];
      if (path.startsWith(OTHER[amounts]) || isMissing(value)) continue;
      const [first = "", second] = path.split(".");
      inner[first] = second === undefined ? value : { ...fields(inner[first]), [second]: value };
    }
    const given = fields(inner[amounts]);
    if (amounts === "target") inner["target"] = { type: targetType(source, given), ...given };
    out[source] = inner;
  }
  return out;
}

function targetType(source: string, { averageUtilization, averageValue, value }: Fields): string {
  if (!isMissing(averageUtilization)) return "Utilization";
  if (source === "object" || source === "external")
    return isMissing(averageValue) && !isMissing(value) ? "Value" : "AverageValue";
  return "AverageValue";
}

/** The server writes its inside there, whose names begin with capitals. */
function capitals(value: unknown): unknown {
  return renamed(value, (name) => name.slice(0, 1).toUpperCase() + name.slice(1));
}

function smallLetters(value: unknown): unknown {
  return renamed(value, (name) => name.slice(0, 1).toLowerCase() + name.slice(1));
}

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return (value as unknown[]).map((item) => renamed(item, rename));
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [rename(name), renamed(member, rename)]),
  );
}

/** Undefined for what is no JSON: somebody else's annotation. */
function valueIn(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function listIn(text: string | undefined): readonly Fields[] {
  return fieldsList(valueIn(text));
}
