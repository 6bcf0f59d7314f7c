import { createHash } from "node:crypto";
import type { Resource } from "../types.ts";
import { pathOf } from "./discovery.ts";
import { servedGroups, type ServedGroup, type ServedVersion } from "./groups.ts";
import { openApiV2 } from "./openApiV2.ts";
import { encodeOpenApiV2 } from "./openApiV2Protobuf.ts";
import { openApiV3 } from "./openApiV3.ts";
import { definitionsOf } from "./schemas.ts";

/** An encoded document with the hash of its content. */
export interface Document {
  body: Buffer;
  hash: string;
}

export function documentOf(content: unknown): Document {
  const body = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
  return { body, hash: createHash("sha512").update(body).digest("hex").toUpperCase() };
}

/** All documents of one set of resources. Each document is built on first use and kept. */
export class Documents {
  readonly groups: readonly ServedGroup[];
  readonly #resources: readonly Resource[];
  readonly #version: string;
  readonly #made = new Map<string, Document>();

  constructor(resources: readonly Resource[], version: string) {
    this.#resources = resources;
    this.#version = version;
    this.groups = servedGroups(resources);
  }

  /** A document of this set only; the caller chooses the name. */
  get(name: string, make: () => unknown): Document {
    let document = this.#made.get(name);
    if (document === undefined) {
      document = documentOf(make());
      this.#made.set(name, document);
    }
    return document;
  }

  /** The core group, or all other groups. */
  family(core: boolean): readonly ServedGroup[] {
    return this.groups.filter(({ name }) => (name === "") === core);
  }

  group(name: string): ServedGroup | undefined {
    return this.groups.find((group) => group.name === name);
  }

  /** `{paths: {"apis/apps/v1": {serverRelativeURL: "/openapi/v3/apis/apps/v1?hash=…"}}}`. */
  openApiV3Index(): Document {
    return this.get("/openapi/v3", () => {
      const paths = this.#versions().map(([path, version]) => {
        const { hash } = this.#versionDocument(path, version);
        return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }] as const;
      });
      return { paths: Object.fromEntries(paths.sort(([a], [b]) => (a < b ? -1 : 1))) };
    });
  }

  /** The document of a path such as `apis/apps/v1`; undefined if the path is not served. */
  openApiV3(path: string): Document | undefined {
    const found = this.#versions().find(([own]) => own === path);
    return found === undefined ? undefined : this.#versionDocument(...found);
  }

  openApiV2(form: "json" | "protobuf"): Document {
    return this.get(`/openapi/v2 ${form}`, () => {
      const served = this.groups.flatMap(({ versions }) => versions.flatMap(({ resources }) => resources));
      const document = openApiV2(this.groups, definitionsOf(this.#resources, served), this.#version);
      return form === "json" ? document : encodeOpenApiV2(document);
    });
  }

  #versions(): [string, ServedVersion][] {
    return this.groups.flatMap(({ name, versions }) =>
      versions.map((version): [string, ServedVersion] => [pathOf(name, version.name), version]),
    );
  }

  #versionDocument(path: string, version: ServedVersion): Document {
    const make = () => this.#makeVersionDocument(version);
    // Built-in kinds are the same objects in all clusters, so their documents are shared.
    const [first] = version.resources;
    if (first === undefined || version.resources.some(({ resource }) => resource.crd !== undefined))
      return this.get(path, make);
    const shared = sharedDocuments(first.resource);
    const key = `${this.#version} ${path} ${version.resources.map(({ resource }) => resource.plural).join()}`;
    let document = shared.get(key);
    if (document === undefined) {
      document = documentOf(make());
      shared.set(key, document);
    }
    return document;
  }

  #makeVersionDocument(version: ServedVersion) {
    const custom = version.resources.every(({ resource }) => resource.crd !== undefined);
    const definitions = definitionsOf(this.#resources, version.resources);
    return custom
      ? openApiV3(version, definitions, "Kubernetes CRD Swagger", "v0.1.0")
      : openApiV3(version, definitions, "Kubernetes", this.#version);
  }
}

const shared = new WeakMap<Resource, Map<string, Document>>();

function sharedDocuments(resource: Resource): Map<string, Document> {
  let documents = shared.get(resource);
  if (documents === undefined) {
    documents = new Map();
    shared.set(resource, documents);
  }
  return documents;
}
