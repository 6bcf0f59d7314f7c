import type { Schema } from "../types.ts";
import type { ServedResource } from "./groups.ts";
import { pathOf } from "./discovery.ts";
import { definitionOfKind, schemaNames } from "./schemas.ts";
import { subresourcesOf, verbsOf } from "./verbs.ts";

export interface Parameter {
  name: string;
  in: "query" | "path";
  description: string;
  type: "string" | "integer" | "boolean";
}

export type Method = "get" | "put" | "post" | "delete" | "patch";

/** One operation on one path. Schemas are named by their definitions. */
export interface Operation {
  operationId: string;
  description: string;
  /** `get`, `list`, `post`, `put`, `patch`, `delete`, `deletecollection`, `connect`. */
  action: string;
  parameters: readonly Parameter[];
  /** The request body; undefined if there is none. */
  request?: { contentTypes: readonly string[]; schema: string };
  /** Schema of the answer; undefined if the answer is no object. */
  answer?: string;
  kind: { group: string; version: string; kind: string };
  tag: string;
}

export interface PathItem {
  parameters: readonly Parameter[];
  operations: Partial<Record<Method, Operation>>;
}

const query = (name: string, type: Parameter["type"], description: string): Parameter => ({
  name,
  in: "query",
  type,
  description,
});

const PRETTY = query("pretty", "string", "If 'true', then the output is pretty printed.");
const DRY_RUN = query("dryRun", "string", "When present, indicates that modifications should not be persisted.");
const FIELD_MANAGER = query("fieldManager", "string", "The name of the actor or entity that makes these changes.");
const FIELD_VALIDATION = query(
  "fieldValidation",
  "string",
  "What to do with unknown or duplicate fields: Ignore, Warn or Strict.",
);
const FORCE = query("force", "boolean", "Takes fields over that others own. Only for apply requests.");
const WRITE = [DRY_RUN, FIELD_MANAGER, FIELD_VALIDATION];
const LIST = [
  query("allowWatchBookmarks", "boolean", 'Asks for watch events of type "BOOKMARK".'),
  query("continue", "string", "Continues a list where an earlier answer ended."),
  query("fieldSelector", "string", "Restricts the objects by their fields."),
  query("labelSelector", "string", "Restricts the objects by their labels."),
  query("limit", "integer", "The most objects to answer at once."),
  query("resourceVersion", "string", "How new the answer has to be."),
  query("resourceVersionMatch", "string", "How resourceVersion is applied to lists."),
  query("sendInitialEvents", "boolean", "Begins a watch with the objects that there are."),
  query("timeoutSeconds", "integer", "How long the call may last."),
  query("watch", "boolean", "Streams changes as add, update and remove notifications."),
];
const DELETE = [
  DRY_RUN,
  query("gracePeriodSeconds", "integer", "Seconds before the object is deleted; zero is at once."),
  query("orphanDependents", "boolean", "Deprecated: use propagationPolicy."),
  query("propagationPolicy", "string", "Orphan, Background or Foreground."),
];
const inPath = (name: string, description: string): Parameter => ({ name, in: "path", type: "string", description });
const NAMESPACE = inPath("namespace", "object name and auth scope, such as for teams and projects");

const BODY = ["application/json", "application/yaml"];
const PATCHES = ["application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"];
const STRATEGIC = "application/strategic-merge-patch+json";
const META = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** All paths of one resource version, with their operations. */
export function pathsOf(
  served: ServedResource,
  definitions: Readonly<Record<string, Schema>>,
): Record<string, PathItem> {
  const { resource, version } = served;
  const root = `/${pathOf(resource.group, version.name)}`;
  const collection = resource.namespaced
    ? `${root}/namespaces/{namespace}/${resource.plural}`
    : `${root}/${resource.plural}`;
  const make = new ResourceOperations(served);
  const scope = resource.namespaced ? [NAMESPACE] : [];
  const named = [inPath("name", `name of the ${resource.kind}`), ...scope, PRETTY];
  const paths: Record<string, PathItem> = {
    [collection]: { parameters: [...scope, PRETTY], operations: make.collection() },
  };
  if (verbsOf(served).includes("get")) paths[`${collection}/{name}`] = { parameters: named, operations: make.object() };
  for (const { name, group, version: ofVersion, kind, verbs } of subresourcesOf(served)) {
    const schema = definitionOfKind(definitions, group ?? resource.group, ofVersion ?? version.name, kind);
    paths[`${collection}/{name}/${name}`] = {
      parameters: named,
      operations: make.subresource(name, verbs, schema ?? schemaNames(served).object, {
        group: group ?? resource.group,
        version: ofVersion ?? version.name,
        kind,
      }),
    };
  }
  if (resource.namespaced && verbsOf(served).includes("list")) {
    paths[`${root}/${resource.plural}`] = { parameters: [...LIST, PRETTY], operations: make.everywhere() };
  }
  return paths;
}

/** The operations of one resource version, by path. */
class ResourceOperations {
  readonly #kind: string;
  readonly #own: Operation["kind"];
  readonly #tag: string;
  readonly #scope: "" | "Namespaced";
  readonly #verbs: readonly string[];
  readonly #names: ReturnType<typeof schemaNames>;
  readonly #listed: string;
  readonly #patches: readonly string[];
  readonly #prefix: string;

  constructor(served: ServedResource) {
    const { resource, version } = served;
    const { kind, group, namespaced } = resource;
    const isBuiltIn = resource.crd === undefined;
    const identifier = groupIdentifier(group, !isBuiltIn);
    this.#kind = kind;
    this.#own = { group, version: version.name, kind };
    this.#tag = `${identifier}_${version.name}`;
    this.#scope = namespaced ? "Namespaced" : "";
    this.#verbs = verbsOf(served);
    this.#names = schemaNames(served);
    this.#listed = isBuiltIn ? "list or watch" : "list";
    this.#patches = isBuiltIn ? [...PATCHES, STRATEGIC] : PATCHES;
    this.#prefix = `${capital(identifier)}${capital(version.name)}`;
  }

  #id(verb: string, rest = "", where: string = this.#scope): string {
    return `${verb}${this.#prefix}${where}${this.#kind}${rest}`;
  }

  #operation(verb: string, fields: Omit<Operation, "tag" | "kind">): Operation | undefined {
    return this.#verbs.includes(verb) ? { kind: this.#own, tag: this.#tag, ...fields } : undefined;
  }

  collection(): PathItem["operations"] {
    return present({
      get: this.#operation("list", {
        operationId: this.#id("list"),
        description: `${this.#listed} objects of kind ${this.#kind}`,
        action: "list",
        parameters: LIST,
        answer: this.#names.list,
      }),
      post: this.#operation("create", {
        operationId: this.#id("create"),
        description: `create a ${this.#kind}`,
        action: "post",
        parameters: WRITE,
        request: { contentTypes: BODY, schema: this.#names.object },
        answer: this.#names.object,
      }),
      delete: this.#operation("deletecollection", {
        operationId: this.#id("delete", "", `Collection${this.#scope}`),
        description: `delete collection of ${this.#kind}`,
        action: "deletecollection",
        parameters: LIST,
        answer: `${META}.Status`,
      }),
    });
  }

  object(): PathItem["operations"] {
    return present({
      get: this.#operation("get", {
        operationId: this.#id("read"),
        description: `read the specified ${this.#kind}`,
        action: "get",
        parameters: [],
        answer: this.#names.object,
      }),
      put: this.#operation("update", {
        operationId: this.#id("replace"),
        description: `replace the specified ${this.#kind}`,
        action: "put",
        parameters: WRITE,
        request: { contentTypes: BODY, schema: this.#names.object },
        answer: this.#names.object,
      }),
      delete: this.#operation("delete", {
        operationId: this.#id("delete"),
        description: `delete a ${this.#kind}`,
        action: "delete",
        parameters: DELETE,
        request: { contentTypes: BODY, schema: `${META}.DeleteOptions` },
        answer: `${META}.Status`,
      }),
      patch: this.#operation("patch", {
        operationId: this.#id("patch"),
        description: `partially update the specified ${this.#kind}`,
        action: "patch",
        parameters: [...WRITE, FORCE],
        request: { contentTypes: this.#patches, schema: `${META}.Patch` },
        answer: this.#names.object,
      }),
    });
  }

  everywhere(): PathItem["operations"] {
    return present({
      get: this.#operation("list", {
        operationId: this.#id("list", "ForAllNamespaces", ""),
        description: `${this.#listed} objects of kind ${this.#kind}`,
        action: "list",
        parameters: [],
        answer: this.#names.list,
      }),
    });
  }

  subresource(
    name: string,
    verbsOfIt: readonly string[],
    schema: string,
    ofKind: Operation["kind"],
  ): PathItem["operations"] {
    const rest = capital(name);
    const fields = { kind: ofKind, tag: this.#tag, answer: schema };
    const only = (verb: string, made: Operation) => (verbsOfIt.includes(verb) ? made : undefined);
    return present({
      get: only("get", {
        ...fields,
        operationId: this.#id("read", rest),
        description: `read ${name} of the specified ${this.#kind}`,
        action: "get",
        parameters: [],
      }),
      post: only("create", {
        ...fields,
        operationId: this.#id("create", rest),
        description: `create ${name} of a ${this.#kind}`,
        action: "post",
        parameters: WRITE,
        request: { contentTypes: BODY, schema },
      }),
      put: only("update", {
        ...fields,
        operationId: this.#id("replace", rest),
        description: `replace ${name} of the specified ${this.#kind}`,
        action: "put",
        parameters: WRITE,
        request: { contentTypes: BODY, schema },
      }),
      patch: only("patch", {
        ...fields,
        operationId: this.#id("patch", rest),
        description: `partially update ${name} of the specified ${this.#kind}`,
        action: "patch",
        parameters: [...WRITE, FORCE],
        request: { contentTypes: this.#patches, schema: `${META}.Patch` },
      }),
    });
  }
}

function present(operations: Partial<Record<Method, Operation | undefined>>): PathItem["operations"] {
  return Object.fromEntries(Object.entries(operations).filter(([, operation]) => operation !== undefined));
}

/** Group name in operation IDs: `core`, `apps`, `rbacAuthorization`, or `exampleCom` for a group of CRDs. */
function groupIdentifier(group: string, custom: boolean): string {
  if (group === "") return "core";
  const name = custom ? group : group.replace(/\.k8s\.io$/, "");
  const [first = "", ...rest] = name.split(/[.-]/);
  return first + rest.map(capital).join("");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
