interface Range {
  type: string;
  parameters: ReadonlyMap<string, string>;
  quality: number;
}

function parse(accept: string): Range[] {
  const ranges = accept.split(",").map((text): Range => {
    const [type = "", ...rest] = text.split(";").map((part) => part.trim());
    const parameters = new Map(
      rest.map((parameter) => {
        const [name = "", value = ""] = parameter.split("=", 2);
        return [name.trim().toLowerCase(), value.trim()] as const;
      }),
    );
    return { type: type.toLowerCase(), parameters, quality: Number(parameters.get("q") ?? 1) };
  });
  return ranges.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality);
}

/** A form in which an answer exists. */
export interface Form<Name extends string> {
  name: Name;
  types: readonly string[];
  /** What the range must say as well: `as=APIGroupDiscoveryList`. Ranges that ask for a conversion fit no form without it. */
  conversion?: Readonly<Record<string, string>>;
}

/** The form that the caller likes best; undefined when none is acceptable. An empty header accepts everything. */
export function negotiate<Name extends string>(accept: string, forms: readonly Form<Name>[]): Name | undefined {
  const ranges = parse(accept.trim() === "" ? "*/*" : accept);
  for (const range of ranges) {
    const form = forms.find((candidate) => fits(range, candidate));
    if (form !== undefined) return form.name;
  }
  return undefined;
}

function fits({ type, parameters }: Range, { types, conversion }: Form<string>): boolean {
  const asked = parameters.get("as");
  if (conversion === undefined ? asked !== undefined : !matches(parameters, conversion)) return false;
  return types.some((own) => type === own || (conversion === undefined && isWildcard(type, own)));
}

function isWildcard(type: string, own: string): boolean {
  return type === "*/*" || (type.endsWith("/*") && own.startsWith(type.slice(0, -1)));
}

function matches(parameters: ReadonlyMap<string, string>, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([name, value]) => parameters.get(name) === value);
}
