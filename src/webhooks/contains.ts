/** Whether everything that is wanted is there; the server adds defaults of its own beside it. Lists must be the same in length and order. */
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
