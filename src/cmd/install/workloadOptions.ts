import { InvalidArgumentError } from "commander";

/** Readers for the options of the managers that install starts. */

const MOST_REPLICAS = 20;

const PART = "[a-z0-9]+(?:[._-]+[a-z0-9]+)*";
const IMAGE = new RegExp(
  `^(?:${PART}(?::\\d{1,5})?[/])?${PART}(?:[/]${PART})*(?::[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(?:@sha256:[a-f0-9]{64})?$`,
);

/**
 * Reads an image with its tag or digest. Without either, a node would take the image that is called `latest` at that
 * moment.
 */
export function parseImage(text: string): string {
  const name = text.slice(text.lastIndexOf("/") + 1);
  if (!IMAGE.test(text) || !/[:@]/.test(name)) {
    throw new InvalidArgumentError(
      "An image looks like registry.example.com/platform/meridian:0.1.0, or ends with @sha256: and a digest.",
    );
  }
  return text;
}

export function parseReplicas(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST_REPLICAS)
    throw new InvalidArgumentError(`The value is a number from 1 to ${MOST_REPLICAS}.`);
  return count;
}

/** Adds one name of a Secret to the earlier names. */
export function parseSecretName(text: string, before: string[] = []): string[] {
  if (!/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(text)) {
    throw new InvalidArgumentError("A Secret's name has lower-case letters, digits, '-' and '.'.");
  }
  return [...new Set([...before, text])];
}
