import { FIELD_MANAGER, type FieldsV1, type KubeObject } from "../../apis/index.ts";
import { ApiError, type ApplyOptions, type ResourceType } from "../../runtime/index.ts";
import { FakeClient } from "../../runtime/testing/fakeClient.ts";

/** An API server in memory with field ownership of applies; an apply with a resourceVersion only creates. */
export class AppliedMember extends FakeClient {
  override apply(type: ResourceType, object: KubeObject, options: ApplyOptions = {}): Promise<KubeObject> {
    const { resourceVersion, ...metadata } = object.metadata;
    const { namespace, name } = metadata;
    const { managedFields: _, ...owned } = metadata;
    const fieldsV1 = {
      ...fieldsOf(object, ["apiVersion", "kind", "metadata"]),
      "f:metadata": fieldsOf(owned, ["name"]),
    };
    const entry = { manager: FIELD_MANAGER, operation: "Apply" as const, apiVersion: object.apiVersion, fieldsV1 };
    if (resourceVersion !== undefined && this.#has(type, namespace, name)) {
      this.calls.push(`apply ${type.plural}`);
      return Promise.reject(new ApiError(409, "Conflict", "the object has been modified"));
    }
    return super.apply(type, { ...object, metadata: { ...metadata, managedFields: [entry] } }, options);
  }

  #has(type: ResourceType, namespace: string | undefined, name: string): boolean {
    return this.server.list(type).some(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  }
}

function fieldsOf(value: object, left: readonly string[]): FieldsV1 {
  const fields: FieldsV1 = {};
  for (const [key, field] of Object.entries(value))
    if (!left.includes(key))
      fields[`f:${key}`] = typeof field === "object" && field !== null ? fieldsOf(field, []) : {};
  return fields;
}
