/** The verb `status`. */
export { status } from "./status.ts";
export { hiddenCluster, lacks, type NamedKind, ofKind, select, splitKind, splitName } from "./statusSelection.ts";
