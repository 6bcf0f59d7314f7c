import { renewCommand } from "./joinCommands.ts";
import { firstFitting, shortName } from "./text.ts";

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
): { reason: "NamespaceNotGranted"; message: string } {
  const granting = (names: string): string => renewCommand(cluster, `--namespaces ${names}`);
  const all = granting("'*'");
  const message =
    namespace === undefined
      ? firstFitting([
          `${cluster} takes no cluster-scoped objects: \`${all}\``,
          `cluster-scoped objects are not granted: \`${all}\``,
          `cluster-scoped objects are not granted: renew ${shortName(cluster)} with --namespaces '*'`,
        ])
      : firstFitting([
          `namespace ${namespace} is not granted: \`${granting([...namespaces, namespace].join(","))}\``,
          `${namespace} is not granted: \`${granting([...namespaces, namespace].join(","))}\``,
          `namespace ${namespace} is not granted: renew ${cluster}, and add it to --namespaces`,
          `namespace ${shortName(namespace)} is not granted: renew ${shortName(cluster)} with it`,
        ]);
  return { reason: "NamespaceNotGranted", message };
}
