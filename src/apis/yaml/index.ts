/**
 * Reader and printer of YAML.
 *
 * Promises: the printed text is read back as the same value, by this reader and by kubectl's.
 */
export * from "./print.ts";
export { parseYaml, parseYamlDocuments, YamlError } from "./read.ts";
export { isAmbiguous } from "./scalar.ts";
