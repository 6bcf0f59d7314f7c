type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
} extends infer Members
  ? { [K in keyof Members]: Members[K] }
  : never;

/**
 * The members that are not undefined, in order, perhaps in the argument itself: `{ name, ...defined({ namespace }) }`.
 */
export function defined<T extends object>(members: T): Defined<T> {
  const values = members as Record<string, unknown>;
  for (const key in values) if (values[key] === undefined) return withoutUndefined(values) as Defined<T>;
  return members as unknown as Defined<T>;
}

function withoutUndefined(values: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const key in values) if (values[key] !== undefined) kept[key] = values[key];
  return kept;
}
