/** The verb `status`. */
export { status } from "./status.ts";
export { hiddenCluster, type NamedKind, ofKind, select, selectRead, splitKind, splitName } from "./statusSelection.ts";
