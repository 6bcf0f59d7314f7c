/** The differences of two answers, one line each: the path, the real server's value, the sandbox's value. */
export function differences(wanted: unknown, got: unknown, path = ""): string[] {
  if (Array.isArray(wanted) && Array.isArray(got) && wanted.length === got.length) {
    return wanted.flatMap((item, index) => differences(item, got[index], `${path}[${index}]`));
  }
  if (isMap(wanted) && isMap(got)) {
    const fields = new Set([...Object.keys(wanted), ...Object.keys(got)]);
    return [...fields].flatMap((field) =>
      differences(wanted[field], got[field], path === "" ? field : `${path}.${field}`),
    );
  }
  return Object.is(wanted, got) || (wanted === 0 && got === 0)
    ? []
    : [`${path}: real ${shown(wanted)}, sandbox ${shown(got)}`];
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > 700 ? `${text.slice(0, 700)}…` : text;
}
