/** For keys from a document: an assignment to `__proto__` would be lost, or change what the object inherits. */
export function setMember<V>(target: Record<string, V>, key: string, value: V): void {
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, configurable: true, enumerable: true, writable: true });
  else target[key] = value;
}
