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
  const command = `meridian join ${cluster} --renew --namespaces`;
  const message =
    namespace === undefined
      ? firstFitting([
          `${cluster} takes no cluster-scoped objects: \`${command} '*'\` grants them`,
          `cluster-scoped objects are not granted: join ${shortName(cluster)} --renew --namespaces '*'`,
        ])
      : firstFitting([
          `namespace ${namespace} is not granted: \`${command} ${[...namespaces, namespace].join(",")}\``,
          `namespace ${namespace} is not granted: add it to --namespaces of \`meridian join ${cluster} --renew\``,
          `namespace ${shortName(namespace)} is not granted: join ${shortName(cluster)} --renew with it`,
        ]);
  return { reason: "NamespaceNotGranted", message };
}
