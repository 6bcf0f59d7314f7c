import { Optional } from "@marcbachmann/cel-js";
import { labelKey, labelValue, nameIsDns1035Label, nameIsDnsLabel, nameIsDnsSubdomain } from "../../../kinds/names.ts";
import { formatCheck } from "../../formats.ts";
import { requestUriError } from "../../uri.ts";
import type { CelFunction } from "../library.ts";

/** A named string format with its validation. */
export class NamedFormat {
  readonly name: string;
  readonly wrong: (text: string) => readonly string[];

  constructor(name: string, wrong: (text: string) => readonly string[]) {
    this.name = name;
    this.wrong = wrong;
  }

  equals(other: unknown): boolean {
    return other === this;
  }
}

export class FormatNamespace {}

const openApi = (format: string, why: string) => (text: string) => (formatCheck(format)?.(text) === false ? [why] : []);

const FORMATS: Readonly<Record<string, NamedFormat>> = Object.fromEntries(
  Object.entries<(text: string) => readonly string[]>({
    dns1123Label: (text) => nameIsDnsLabel(text, false),
    dns1123Subdomain: (text) => nameIsDnsSubdomain(text, false),
    dns1035Label: (text) => nameIsDns1035Label(text, false),
    qualifiedName: labelKey,
    dns1123LabelPrefix: (text) => nameIsDnsLabel(text, true),
    dns1123SubdomainPrefix: (text) => nameIsDnsSubdomain(text, true),
    dns1035LabelPrefix: (text) => nameIsDns1035Label(text, true),
    labelValue,
    uri: (text) => [requestUriError(text)].filter((why) => why !== undefined),
    uuid: openApi("uuid", "does not match the UUID format"),
    byte: openApi("byte", "invalid base64"),
    date: openApi("date", "invalid date"),
    datetime: openApi("datetime", "invalid datetime"),
  }).map(([name, wrong]) => [name, new NamedFormat(name, wrong)]),
);

const TYPE = "kubernetes.NamedFormat";

export const formatType = { name: TYPE, ctor: NamedFormat };

export const formatFunctions: readonly CelFunction[] = [
  ...Object.entries(FORMATS).map(([name, format]): CelFunction => [`FormatNamespace.${name}(): ${TYPE}`, () => format]),
  [
    `FormatNamespace.named(string): optional<${TYPE}>`,
    (_: unknown, name: string) => (Object.hasOwn(FORMATS, name) ? Optional.of(FORMATS[name]) : Optional.none()),
  ],
  [
    `${TYPE}.validate(string): optional<list<string>>`,
    ({ wrong }: NamedFormat, text: string) => {
      const messages = wrong(text);
      return messages.length === 0 ? Optional.none() : Optional.of([...messages]);
    },
  ],
];
