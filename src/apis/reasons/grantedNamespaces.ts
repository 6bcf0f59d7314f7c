import { renewCommand } from "./joinCommands.ts";
import { firstFitting, shortName } from "./message.ts";

/**
 * A member that was joined for some namespaces only: Meridian's account has no rights beyond these there, so nothing else is placed on the
 * member, read there or removed from it.
 */

/** Whether a member with these `spec.namespaces` takes objects of that namespace; undefined is the namespace of cluster-scoped objects. */
export function isGranted(namespaces: readonly string[] | undefined, namespace: string | undefined): boolean {
  return namespaces === undefined || (namespace !== undefined && namespaces.includes(namespace));
}

/** Why an object is none of a member's that takes other namespaces, and the command that changes it. */
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
