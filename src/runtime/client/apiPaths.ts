import type { ListOptions, ResourceType, WatchOptions } from "../types.ts";

/** Paths and queries of the Kubernetes API. */

/** `/apis/GROUP/VERSION[/namespaces/NS]/PLURAL`; without a namespace the whole cluster. */
export function collectionPath(type: ResourceType, namespace: string | undefined): string {
  const root = type.group === "" ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const scope = type.namespaced && namespace !== undefined ? `/namespaces/${segment(namespace, "namespace")}` : "";
  return `${root}${scope}/${type.plural}`;
}

/** Throws a TypeError for a name or namespace that would lead somewhere else (empty, `..`). */
export function objectPath(
  type: ResourceType,
  namespace: string | undefined,
  name: string,
  subresource?: string,
): string {
  if (type.namespaced && namespace === undefined) throw new TypeError(`${type.kind} ${name} needs a namespace`);
  const path = `${collectionPath(type, namespace)}/${segment(name, "name")}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

function segment(value: string, what: string): string {
  if (value === "" || value === "." || value === ".." || value.includes("/")) {
    throw new TypeError(`"${value}" is not the ${what} of an object`);
  }
  return encodeURIComponent(value);
}

/** `?a=b&c=d` without undefined, empty and false parameters. */
export function query(parameters: Record<string, string | number | boolean | undefined>): string {
  let text = "";
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || value === "" || value === false) continue;
    text += `${text === "" ? "?" : "&"}${name}=${encodeURIComponent(value)}`;
  }
  return text;
}

export function listQuery(options: ListOptions): string {
  return query({
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    limit: options.limit,
    continue: options.continue,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
  });
}

export function watchQuery(options: WatchOptions): string {
  return query({
    watch: true,
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
    sendInitialEvents: options.sendInitialEvents,
    allowWatchBookmarks: options.allowWatchBookmarks,
    timeoutSeconds: options.timeoutSeconds,
  });
}
