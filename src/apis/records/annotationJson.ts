const MAX_LENGTH = 64 * 1024;

/** For annotations that people write; undefined beyond 64 Ki characters. */
export function jsonIn(annotation: string | undefined): unknown {
  if (annotation === undefined || annotation.length > MAX_LENGTH) return undefined;
  try {
    return JSON.parse(annotation);
  } catch {
    return undefined;
  }
}
