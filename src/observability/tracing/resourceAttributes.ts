export interface ResourceAttributes {
  attributes: Record<string, string>;
  /** Why the environment's attributes were ignored. */
  problem?: string;
}

const LONGEST = 255;

/** From OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME. One malformed entry spoils all, as OpenTelemetry demands. */
export function resourceAttributes(env: Readonly<Record<string, string | undefined>>): ResourceAttributes {
  const text = env["OTEL_RESOURCE_ATTRIBUTES"] ?? "";
  const service = env["OTEL_SERVICE_NAME"]?.trim() ?? "";
  const named = service === "" ? {} : { "service.name": service };
  const attributes: Record<string, string> = {};
  for (const part of text.split(",")) {
    if (part.trim() === "") continue;
    const entry = entryOf(part);
    if (entry === undefined) {
      const problem = `OTEL_RESOURCE_ATTRIBUTES is left out: "${part.trim().slice(0, LONGEST)}" is not of the form key=value (percent-encoded)`;
      return { attributes: named, problem };
    }
    attributes[entry.key] = entry.value;
  }
  return { attributes: { ...attributes, ...named } };
}

function entryOf(part: string): { key: string; value: string } | undefined {
  const fields = part.split("=");
  const key = decoded(fields[0]);
  const value = decoded(fields[1]);
  if (fields.length !== 2 || key === undefined || key === "" || value === undefined) return undefined;
  return key.length > LONGEST || value.length > LONGEST ? undefined : { key, value };
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text.trim());
  } catch {
    // Invalid percent-encoding: the caller reports it.
    return undefined;
  }
}
