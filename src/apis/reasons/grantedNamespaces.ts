import { renewCommand } from "./joinCommands.ts";
import type { Message } from "./message.ts";

/**
 * A member with `spec.namespaces` takes nothing else: Meridian's account has no rights elsewhere. An undefined
 * namespace stands for cluster-scoped objects.
 */
export function isGranted(namespaces: readonly string[] | undefined, namespace: string | undefined): boolean {
  return namespaces === undefined || (namespace !== undefined && namespaces.includes(namespace));
}

/** With the command that grants the namespace. */
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
