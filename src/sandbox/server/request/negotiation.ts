import { failure } from "../../statusError.ts";

/** The requested form of the answer. */
export interface Wanted {
  format: "json" | "yaml";
  /** The representation of the object or list. */
  as: "Object" | "Table" | "PartialObjectMetadata";
  /** The requested version of meta.k8s.io, `v1` or `v1beta1`, unless `as` is Object. */
  metaVersion: string;
}

const FORMATS: Readonly<Record<string, Wanted["format"]>> = {
  "application/json": "json",
  "application/yaml": "yaml",
  "application/*": "json",
  "*/*": "json",
};

/** The first supported form of the `Accept` header. Throws a StatusError 406 if none is supported. */
export function wantedForm(accept: string | undefined): Wanted {
  if (accept === undefined || accept.trim() === "") return { format: "json", as: "Object", metaVersion: "v1" };
  for (const clause of accept.split(",")) {
    const [type = "", ...parameters] = clause.split(";").map((part) => part.trim());
    const format = FORMATS[type.toLowerCase()];
    if (format === undefined) continue;
    const named = new Map(parameters.map((parameter) => parameter.split("=", 2) as [string, string | undefined]));
    const as = named.get("as");
    const metaVersion = named.get("v") ?? "v1";
    if (as === undefined || as === "") return { format, as: "Object", metaVersion };
    if (named.get("g") !== "meta.k8s.io" || !["v1", "v1beta1"].includes(metaVersion)) continue;
    if (as === "Table") return { format, as, metaVersion };
    if (as === "PartialObjectMetadata" || as === "PartialObjectMetadataList") {
      return { format, as: "PartialObjectMetadata", metaVersion };
    }
  }
  throw failure(
    406,
    "NotAcceptable",
    "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    {},
  );
}
