import { defined, type OverrideRule } from "../apis/index.ts";
import { RuleError } from "./ruleError.ts";

/** The parts of an image reference: `[registry/]repository[:tag][@digest]`. */
export interface ImageReference {
  registry?: string;
  repository: string;
  tag?: string;
  digest?: string;
}

export type ImageOverride = NonNullable<OverrideRule["image"]>;

/**
 * Parses a reference as container runtimes do: the first component is a registry only if it has a dot, a port or
 * capitals, or is `localhost`. Undefined without a repository.
 */
export function parseImage(text: string): ImageReference | undefined {
  const at = text.indexOf("@");
  const digest = at < 0 ? undefined : text.slice(at + 1);
  let rest = at < 0 ? text : text.slice(0, at);

  const colon = rest.lastIndexOf(":");
  const tag = colon > rest.lastIndexOf("/") ? rest.slice(colon + 1) : undefined;
  if (tag !== undefined) rest = rest.slice(0, colon);

  const slash = rest.indexOf("/");
  const registry = slash > 0 && isHost(rest.slice(0, slash)) ? rest.slice(0, slash) : undefined;
  const repository = registry === undefined ? rest : rest.slice(slash + 1);
  if (repository === "") return undefined;
  return {
    ...defined({ registry }),
    repository,
    ...defined({ tag, digest }),
  };
}

export function formatImage({ registry, repository, tag, digest }: ImageReference): string {
  const prefix = registry === undefined ? "" : `${registry}/`;
  return `${prefix}${repository}${tag === undefined ? "" : `:${tag}`}${digest === undefined ? "" : `@${digest}`}`;
}

/**
 * A digest identifies the content and wins over a tag: a new digest removes the tag, which might name other content. A
 * new tag alone removes the old digest.
 *
 * @throws {RuleError} InvalidOverride when a part or the image itself is malformed
 */
export function overrideImage(image: string, override: ImageOverride): string {
  const { registry, repository, tag, digest } = override;
  check("registry", registry, REGISTRY);
  check("repository", repository, REPOSITORY);
  check("tag", tag, TAG);
  check("digest", digest, DIGEST);
  if (repository !== undefined && repository.includes("/") && isHost(repository.slice(0, repository.indexOf("/")))) {
    throw new RuleError(
      "InvalidOverride",
      `image.repository ${repository} begins with a registry: say it in image.registry`,
    );
  }

  const parsed = parseImage(image);
  if (parsed === undefined) throw new RuleError("InvalidOverride", `image ${image} of the object is malformed`);
  const result: ImageReference = { ...parsed };
  if (registry !== undefined) result.registry = registry;
  if (repository !== undefined) result.repository = repository;
  if (tag !== undefined) {
    result.tag = tag;
    delete result.digest;
  }
  if (digest !== undefined) {
    result.digest = digest;
    delete result.tag;
  }
  return formatImage(result);
}

function isHost(component: string): boolean {
  return /[.:A-Z]/.test(component) || component === "localhost";
}

const NAME = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
/** A host with an optional port and an optional path, as used by mirrors. */
const REGISTRY = new RegExp(`^(?:[A-Za-z0-9.-]+|\\[[0-9A-Fa-f:]+\\])(?::\\d+)?(?:/${NAME})*$`);
const REPOSITORY = new RegExp(`^${NAME}(?:/${NAME})*$`);
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;

function check(part: string, value: string | undefined, pattern: RegExp): void {
  if (value !== undefined && !pattern.test(value)) {
    throw new RuleError("InvalidOverride", `image.${part} ${value} is malformed`);
  }
}
