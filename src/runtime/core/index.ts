/** Base of the runtime: errors, the clock, keys, backoff, turns of the event loop. */
export { AdaptiveConcurrency } from "./adaptiveConcurrency.ts";
export { backoffDelay } from "./backoff.ts";
export { type Clock, steadyTime, systemClock } from "./clock.ts";
export {
  ApiError,
  CredentialsError,
  ifFound,
  isAlreadyExists,
  isAnonymous,
  isApiError,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isMisbehaviour,
  isMissing,
  isNotFound,
  isServerTrouble,
  isTransportError,
  isUnauthorized,
  KindNotServedError,
  lacksRight,
  locatedAt,
  NotLeaderError,
  ReconcileTimeoutError,
  TransportError,
  type TransportReason,
} from "./errors.ts";
export { compareResourceVersions, keyOf, objectKey } from "./keys.ts";
export { every } from "./every.ts";
export { linked } from "./linked.ts";
export { TimeSlice } from "./timeSlice.ts";
export { withSignal } from "./withSignal.ts";
