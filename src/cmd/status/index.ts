/** The verb `status`. */
export { status } from "./status.ts";
export { hiddenCluster, type NamedKind, splitName } from "./statusSelection.ts";
