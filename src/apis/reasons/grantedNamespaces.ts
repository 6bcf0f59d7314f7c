import { renewCommand } from "./joinCommands.ts";
import type { Message } from "./message.ts";

/**
 * Members that were joined for some namespaces only. Meridian's account has no rights in other namespaces, so nothing
 * else is placed on such a member, read there or removed from it.
 */

/**
 * Returns whether a member with these `spec.namespaces` takes objects of the namespace; an undefined namespace stands
 * for cluster-scoped objects.
 */
export function isGranted(namespaces: readonly string[] | undefined, namespace: string | undefined): boolean {
  return namespaces === undefined || (namespace !== undefined && namespaces.includes(namespace));
}

/** Reason and message for an object outside of the member's namespaces, with the command that grants its namespace. */
export function namespaceNotGranted(
  cluster: string,
  namespaces: readonly string[],
  namespace: string | undefined,
): { reason: "NamespaceNotGranted"; message: Message } {
  const granting = (names: string): string => `\`${renewCommand(cluster, `--namespaces ${names}`)}\``;
  const message: Message =
    namespace === undefined
      ? { what: "cluster-scoped objects are not granted", remedy: granting("'*'") }
      : {
          what: `namespace ${namespace} is not granted`,
          remedy: granting([...namespaces, namespace].join(",")),
        };
  return { reason: "NamespaceNotGranted", message };
}
