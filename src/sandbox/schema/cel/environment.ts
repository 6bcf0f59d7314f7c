import { Environment } from "@marcbachmann/cel-js";
import { formatFunctions, FormatNamespace, formatType } from "./functions/formats.ts";
import { listFunctions, ListsNamespace, SetsNamespace } from "./functions/lists.ts";
import { macroFunctions } from "./functions/macros.ts";
import { IpNamespace, networkFunctions, networkTypes } from "./functions/network.ts";
import { quantityFunctions, quantityType } from "./functions/quantity.ts";
import { stringFunctions, StringsNamespace } from "./functions/strings.ts";

export const OPTIONS = { enableOptionalTypes: true };

/** Functions with a dot in their name are methods of a constant. */
const NAMESPACES = {
  strings: StringsNamespace,
  lists: ListsNamespace,
  sets: SetsNamespace,
  ip: IpNamespace,
  format: FormatNamespace,
};

let environment: Environment | undefined;

/** The common environment of all rules: CEL and the functions of Kubernetes. One per process. */
export function kubernetesEnvironment(): Environment {
  if (environment !== undefined) return environment;
  environment = new Environment(OPTIONS);
  for (const [name, namespace] of Object.entries(NAMESPACES)) {
    environment.registerType(namespace.name, namespace).registerConstant(name, namespace.name, new namespace());
  }
  for (const { name, ctor } of [quantityType, formatType, ...networkTypes]) {
    environment.registerType(name, { ctor, fields: {} });
  }
  const functions = [
    ...stringFunctions,
    ...listFunctions,
    ...quantityFunctions,
    ...networkFunctions,
    ...formatFunctions,
    ...macroFunctions,
  ];
  for (const [signature, handler] of functions) {
    environment.registerFunction(signature, handler as (...args: unknown[]) => unknown, { async: false });
  }
  return environment;
}

/** Functions of the library that Kubernetes lacks. */
export const UNKNOWN_TO_KUBERNETES: ReadonlySet<string> = new Set(["json", "hex", "base64", "at", "bind"]);
