/** Deep equality of JSON values; an undefined field counts as absent. */
export function equalJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item, index) => equalJson(item, other[index]));
  }
  const [left, right] = [one as Record<string, unknown>, other as Record<string, unknown>];
  let count = 0;
  for (const key in left) {
    if (left[key] === undefined) continue;
    count++;
    if (!equalJson(left[key], right[key])) return false;
  }
  for (const key in right) if (right[key] !== undefined) count--;
  return count === 0;
}

/**
 * Returns `next` built from parts of `old` wherever they are equal; `old` itself if everything is equal. Versions of an
 * object thus share unchanged parts in memory.
 */
export function sharing<T>(next: T, old: unknown): T {
  if (next === old || typeof next !== "object" || typeof old !== "object" || next === null || old === null) return next;
  if (Array.isArray(next)) {
    if (!Array.isArray(old)) return next;
    let isSame = next.length === old.length;
    const items = next.map((item: unknown, index) => {
      const shared = sharing(item, old[index]);
      if (shared !== old[index]) isSame = false;
      return shared;
    });
    return (isSame ? old : items) as T;
  }
  if (Array.isArray(old)) return next;
  const before = old as Record<string, unknown>;
  const fields: Record<string, unknown> = {};
  let isSame = true;
  let count = 0;
  for (const [field, value] of Object.entries(next)) {
    if (value === undefined) continue;
    count++;
    if (field === "__proto__") {
      // JSON allows this field name; a plain assignment would set the prototype.
      Object.defineProperty(fields, field, { value, enumerable: true, configurable: true, writable: true });
      isSame &&= Object.hasOwn(before, field) && equalJson(value, before[field]);
      continue;
    }
    const shared = sharing(value as unknown, before[field]);
    if (shared !== before[field]) isSame = false;
    fields[field] = shared;
  }
  for (const field in before) if (before[field] !== undefined) count--;
  return (isSame && count === 0 ? old : fields) as T;
}
