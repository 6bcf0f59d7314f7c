/**
 * ResourceQuotas: the usage of an object, and whether the quotas of its namespace have room. Pure functions for the API
 * server before a write, and for the controller's counting. Promises the texts of the API server's plugin. Counts every
 * kind by `count/NAME`, and additionally the resources of pods, Services and claims. Never writes. Ignores a quota
 * whose status has no usage yet, as a real server does. The scopes of cross-namespace affinity and volume attributes
 * match nothing here.
 */
export { chargesOf, QuotaRefusal } from "./charge.ts";
export { isSame, type Usage, usageOf } from "./usage.ts";
export { isConsumer } from "./names.ts";
export { fitsScopes } from "./scopes.ts";
