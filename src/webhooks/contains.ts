/**
 * Returns whether `live` has every wanted value. Other fields of `live` are ignored, since the server adds defaults.
 * Lists must have the same length and order.
 */
export function contains(live: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(live) && live.length === wanted.length && wanted.every((one, index) => contains(live[index], one))
    );
  }
  if (typeof wanted !== "object" || wanted === null) return live === wanted;
  if (typeof live !== "object" || live === null) return false;
  return Object.entries(wanted).every(([key, value]) => contains((live as Record<string, unknown>)[key], value));
}
