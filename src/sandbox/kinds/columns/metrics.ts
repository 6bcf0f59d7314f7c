import type { KubeObject } from "../../types.ts";
import { count, fields, type Fields, fieldsList, isMissing, text } from "../values.ts";
import { NONE } from "./cells.ts";

const SHOWN = 2;
const UNKNOWN = "<unknown>";
const SOURCES: Readonly<Record<string, string>> = {
  External: "external",
  Pods: "pods",
  Object: "object",
  Resource: "resource",
  ContainerResource: "containerResource",
};

/** A HorizontalPodAutoscaler's current and target values: `cpu: <unknown>/80%`. */
export function metricsText({ spec, status }: KubeObject): string {
  const measured = fieldsList(fields(status)["currentMetrics"]);
  const all = fieldsList(fields(spec)["metrics"]).map((metric, index) => metricText(metric, measured[index]));
  if (all.length === 0) return NONE;
  const more = all.length > SHOWN ? ` + ${all.length - SHOWN} more...` : "";
  return all.slice(0, SHOWN).join(", ") + more;
}

function metricText(metric: Fields, measured: Fields | undefined): string {
  const type = text(metric["type"]);
  const source = SOURCES[type];
  if (source === undefined) return "<unknown type>";
  const { name, target: aim } = fields(metric[source]);
  const target = fields(aim);
  const current = fields(fields(measured?.[source])["current"]);
  const isResource = type === "Resource" || type === "ContainerResource";
  const label = isResource ? `${text(name)}: ` : "";
  const amount = (field: string) => (isMissing(current[field]) ? UNKNOWN : text(current[field]));
  if (!isMissing(target["averageValue"])) {
    const average = isResource || type === "Pods" ? "" : " (avg)";
    return `${label}${amount("averageValue")}/${text(target["averageValue"])}${average}`;
  }
  if (!isResource) return `${amount("value")}/${text(target["value"])}`;
  const percent = (value: unknown, otherwise: string) => (isMissing(value) ? otherwise : `${count(value)}%`);
  const aimed = percent(target["averageUtilization"], "<auto>");
  return `${label}${percent(current["averageUtilization"], UNKNOWN)}/${aimed}`;
}
