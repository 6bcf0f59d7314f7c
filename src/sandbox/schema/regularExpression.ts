import { RE2JS, RE2JSException } from "re2js";

/** Regular expressions of the API server: RE2, whose run time is linear for every pattern. */

/** A pattern that RE2 refuses. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

const compiled = new Map<string, RE2JS | PatternError>();
const MOST_COMPILED = 5000;

/** Compiles once per pattern and process. Throws {@link PatternError}. */
export function compilePattern(pattern: string): RE2JS {
  let result = compiled.get(pattern);
  if (result === undefined) {
    result = compileOnce(pattern);
    if (compiled.size >= MOST_COMPILED) compiled.clear();
    compiled.set(pattern, result);
  }
  if (result instanceof PatternError) throw result;
  return result;
}

function compileOnce(pattern: string): RE2JS | PatternError {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSException) return new PatternError(error.message, { cause: error });
    throw error;
  }
}

/** True if the pattern matches anywhere in the text. */
export function matchesPattern(pattern: string, text: string): boolean {
  return compilePattern(pattern).test(text);
}

/** The first `most` matches, from the left. Throws {@link PatternError}. */
export function findPattern(pattern: string, text: string, most: number): string[] {
  const matcher = compilePattern(pattern).matcher(text);
  const found: string[] = [];
  while (found.length < most && matcher.find()) found.push(matcher.group() ?? "");
  return found;
}
