/**
 * Pod templates, and the needs of pods: Secrets, ConfigMaps, accounts, volumes, resources.
 *
 * Promises: every name in a template is found, at every place where a template can have one.
 */
export { withAccountNames } from "./accountNames.ts";
export { declaredDependencies } from "./declaredDependencies.ts";
export { withoutDuplicates } from "./duplicates.ts";
export { imagesOf } from "./images.ts";
export { addReferencesOfWorkload, podDependencies } from "./podDependencies.ts";
export { amountOf, needsOfPod, type PodNeeds, podNeedsKey, podNeedsOf, type PodToleration } from "./podNeeds.ts";
export { atPath, type PathStep, podTemplateOf, podTemplatePathOf, podTemplatePathsOf } from "./podTemplates.ts";
export { declaredTemplateDependencies, propagatedDependencies } from "./propagatedDependencies.ts";
export { References } from "./references.ts";
export { withSecretData } from "./secretData.ts";
