import { keyOfObject, objectOfKey, type PairName } from "./names.ts";

export const FILTER_FIELDS = ["namespace", "kind", "name", "region", "cluster", "state", "reason"] as const;
export type FilterField = (typeof FILTER_FIELDS)[number];
export type MatrixFilter = Partial<Record<FilterField, string>>;

/** What the fragment of the address says. */
export interface Route {
  view: "overview" | "matrix";
  filter: MatrixFilter;
  /** The pair in the drawer. */
  open?: PairName;
}

export function routeOf(fragment: string): Route {
  const [path = "", query = ""] = fragment.replace(/^#/, "").split("?", 2);
  const parameters = new URLSearchParams(query);
  const filter: MatrixFilter = {};
  for (const field of FILTER_FIELDS) {
    const value = parameters.get(field)?.trim() ?? "";
    if (value !== "") filter[field] = value;
  }
  const object = objectOfKey(parameters.get("object") ?? "");
  const cluster = parameters.get("on") ?? "";
  const view = path === "/matrix" ? "matrix" : "overview";
  return { view, filter, ...(object === undefined || cluster === "" ? {} : { open: { object, cluster } }) };
}

export function fragmentOf({ view, filter, open }: Route): string {
  const parameters = new URLSearchParams();
  for (const field of FILTER_FIELDS) {
    const value = filter[field];
    if (value !== undefined && value !== "") parameters.set(field, value);
  }
  if (open !== undefined) {
    parameters.set("object", keyOfObject(open.object));
    parameters.set("on", open.cluster);
  }
  const query = parameters.toString();
  return `#/${view === "matrix" ? "matrix" : ""}${query === "" ? "" : `?${query}`}`;
}

/** The token that an address brings for the sign-in, and the fragment without it. */
export function tokenIn(fragment: string): { token: string; rest: string } | undefined {
  const text = fragment.replace(/^#/, "");
  const [, path = "", query = ""] = /^(\/[^?]*)?\??(.*)$/.exec(text) ?? [];
  const fields = query.split("&");
  const found = fields.find((field) => field.startsWith("token="));
  const token = decoded(found?.slice("token=".length) ?? "");
  if (token === "") return undefined;
  const others = fields.filter((field) => !field.startsWith("token=")).join("&");
  return { token, rest: `#${path}${others === "" ? "" : `?${others}`}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
