/**
 * ResourceQuotas: what an object uses up, and whether the quotas of its namespace have room for it. Pure functions, which the API server asks before it
 * writes and the controller asks when it counts. It promises the words of the API server's own plugin, counts every kind by `count/NAME`, and knows
 * what pods, Services and claims use beside that. It never writes, and never considers a quota that has not been counted yet: as on a real
 * server, nothing is refused before the status says what is used. The scopes of cross-namespace affinity and volume attributes fit nothing here.
 */
export { chargesOf, QuotaRefusal } from "./charge.ts";
export { isSame, type Usage, usageOf } from "./usage.ts";
export { isConsumer } from "./names.ts";
export { fitsScopes } from "./scopes.ts";
