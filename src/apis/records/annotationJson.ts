const MAX_LENGTH = 64 * 1024;

/** The JSON value of an annotation that people write; undefined where it is missing, longer than 64 Ki characters, or no JSON. */
export function jsonIn(annotation: string | undefined): unknown {
  if (annotation === undefined || annotation.length > MAX_LENGTH) return undefined;
  try {
    return JSON.parse(annotation);
  } catch {
    return undefined;
  }
}
