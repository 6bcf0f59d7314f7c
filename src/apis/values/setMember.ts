/**
 * Sets a member of an object whose keys come from a document. An assignment to `__proto__` would be lost, or change what the object inherits;
 * object literals, spread and `Object.fromEntries` have no such exception.
 */
export function setMember<V>(target: Record<string, V>, key: string, value: V): void {
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, configurable: true, enumerable: true, writable: true });
  else target[key] = value;
}
