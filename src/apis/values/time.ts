/** RFC 3339 in UTC, with whole seconds. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** `MicroTime` of Leases and Events: exactly six digits after the point. */
export function microTimestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/Z$/, "000Z");
}
