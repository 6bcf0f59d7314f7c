import type { FederatedObjectRow, ObjectIdentity } from "../../query/types.ts";

/** An argument that a shell takes as it is. Names of Kubernetes need no quotes; a stranger's text does. */
export function quoted(text: string): string {
  return /^[A-Za-z0-9_./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** `KIND/NAME -n NAMESPACE`, as verbs of the command line take an object. */
function objectArguments({ kind, namespace, name }: ObjectIdentity): string {
  const object = kind === "DemoApplication" ? name : `${kind.toLowerCase()}/${name}`;
  return namespace === undefined ? quoted(object) : `${quoted(object)} -n ${quoted(namespace)}`;
}

/** Says every step by which the object runs on the cluster or not, and what would have to change. */
export function explainCommand(object: ObjectIdentity, cluster: string): string {
  return `meridian explain ${objectArguments(object)} --cluster ${quoted(cluster)}`;
}

/** Says in one screen why the object runs where it does, or nowhere. */
export function whyCommand(object: ObjectIdentity): string {
  return `meridian why ${objectArguments(object)}`;
}

export function clusterCommand(cluster: string): string {
  return `kubectl describe membercluster ${quoted(cluster)}`;
}

/** What a person types to let the rollout go on, as far as its message tells; else, to see what it waits for. */
export function rolloutCommand(row: Pick<FederatedObjectRow, keyof ObjectIdentity | "message">): string {
  const { message = "" } = row;
  if (message.includes("waits for approval")) return `meridian rollout approve ${objectArguments(row)}`;
  if (message.includes("rollout resume")) return `meridian rollout resume ${objectArguments(row)}`;
  return `meridian rollout status ${objectArguments(row)}`;
}
