/** The same JSON: the order of keys does not count, and an undefined member is absent. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  // A number that was computed may equal an integer that was read as BigInt.
  if (typeof a === "bigint" || typeof b === "bigint")
    return (typeof a === "number" || typeof b === "number") && String(a) === String(b);
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, i) => sameValue(item, b[i]));
  }
  return sameMembers(a as Record<string, unknown>, b as Record<string, unknown>);
}

function sameMembers(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  let members = 0;
  for (const key in a) {
    if (a[key] === undefined) continue;
    members++;
    if (!Object.hasOwn(b, key) || !sameValue(a[key], b[key])) return false;
  }
  for (const key in b) if (b[key] !== undefined) members--;
  return members === 0;
}
