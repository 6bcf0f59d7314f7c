/** Renders the manifests for one cluster. A policy gives nobody more rights than the hub would. */
export { apisOf } from "./apisOf.ts";
export { collectDependencies } from "./dependencies.ts";
export { DependencyOverrides, type DependencyShare } from "./dependencyOverrides.ts";
export { type FieldChange, fieldChanges } from "./fieldChanges.ts";
export { Finished, runsIn } from "./finished.ts";
export { once } from "./once.ts";
export { type AppliedRule, appliedRules } from "./overrideFields.ts";
export { sameReportTerms } from "./reporting.ts";
export { withoutRetained } from "./retain.ts";
export { type VariantOptions, VariantRenderer } from "./variants.ts";
