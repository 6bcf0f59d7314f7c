/** A value of OTLP's JSON encoding. */
export type OtlpValue =
  | { stringValue: string }
  | { boolValue: boolean }
  | { intValue: string }
  | { doubleValue: number }
  | { arrayValue: { values: OtlpValue[] } }
  | { kvlistValue: { values: OtlpAttribute[] } };

export interface OtlpAttribute {
  key: string;
  value: OtlpValue;
}

/** Deeper values become their JSON text. */
const DEPTH = 4;

/** Entries without a value are left out. */
export function otlpAttributes(entries: Readonly<Record<string, unknown>>, depth = DEPTH): OtlpAttribute[] {
  return Object.entries(entries).flatMap(([key, value]) => {
    const encoded = otlpValue(value, depth);
    return encoded === undefined ? [] : [{ key, value: encoded }];
  });
}

function otlpValue(value: unknown, depth: number): OtlpValue | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return numberValue(value);
  if (depth === 0 || typeof value !== "object") return { stringValue: JSON.stringify(value) ?? typeof value };
  if (!Array.isArray(value)) return { kvlistValue: { values: otlpAttributes({ ...value }, depth - 1) } };
  return { arrayValue: { values: value.flatMap((item) => otlpValue(item, depth - 1) ?? []) } };
}

/** JSON has no word for values that are no finite number. */
function numberValue(value: number): OtlpValue {
  if (Number.isSafeInteger(value)) return { intValue: String(value) };
  return Number.isFinite(value) ? { doubleValue: value } : { stringValue: String(value) };
}

/** Nanoseconds since 1970, as OTLP's JSON encoding writes them. */
export function unixNano(ms: number): string {
  return `${BigInt(Math.round(ms * 1_000)) * 1_000n}`;
}
