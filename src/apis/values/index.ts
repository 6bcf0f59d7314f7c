/**
 * Plain values and their text forms: JSON, quantities, durations, versions, canonical text.
 *
 * Promises: every integer, null, empty list and key is read back as it was written. No function here knows a kind.
 */
export { canonicalJson, hashOf, hashOfText } from "./canonical.ts";
export { defined } from "./defined.ts";
export { ageText, durationMs, lastedText } from "./duration.ts";
export { isRefusedHost, refuseEndpoint } from "./endpoint.ts";
export { escaped, jsonForYaml, NOT_IN_YAML, parseJson } from "./json.ts";
export { exactQuantity, LONGEST_QUANTITY, parseQuantity } from "./quantity.ts";
export { sameValue } from "./sameValue.ts";
export { setMember } from "./setMember.ts";
export { shareOf } from "./share.ts";
export { microTimestamp, timestamp } from "./time.ts";
export { trimEnd } from "./trimEnd.ts";
export { isRecord, valueAt } from "./valueAt.ts";
export { isLaterVersion } from "./versionOrder.ts";
export { counted, unknownClusterWords } from "./words.ts";
