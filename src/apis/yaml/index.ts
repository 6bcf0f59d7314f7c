/**
 * YAML, read and printed.
 *
 * Promises: what is printed is read back as the same value, by this reader and by that of kubectl.
 */
export { printYaml } from "./print.ts";
export { parseYaml, parseYamlDocuments, YamlError } from "./read.ts";
export { isAmbiguous } from "./scalar.ts";
