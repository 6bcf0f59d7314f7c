import { failure } from "../../statusError.ts";

/** In which form the caller wants the answer. */
export interface Wanted {
  format: "json" | "yaml";
  /** What the object or list is turned into first. */
  as: "Object" | "Table" | "PartialObjectMetadata";
  /** The version of meta.k8s.io that was asked for, `v1` or `v1beta1`, when `as` is not Object. */
  metaVersion: string;
}

const FORMATS: Readonly<Record<string, Wanted["format"]>> = {
  "application/json": "json",
  "application/yaml": "yaml",
  "application/*": "json",
  "*/*": "json",
};

/** Chooses the first form of the `Accept` header that there is. Throws a StatusError 406 when there is none. */
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
