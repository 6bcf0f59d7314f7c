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

/** A media type in which an answer is available. */
export interface Form<Name extends string> {
  name: Name;
  types: readonly string[];
  /**
   * Parameters that the range must have: `as=APIGroupDiscoveryList`. A range that asks for a conversion fits only a
   * form with that conversion.
   */
  conversion?: Readonly<Record<string, string>>;
}

/** The client's preferred form; undefined when none is acceptable. An empty header accepts everything. */
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
