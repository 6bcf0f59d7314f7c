/** A hub object, as rows of the query API name it. */
interface NamedObject {
  kind: string;
  /** Empty for the core group. */
  group: string;
  name: string;
}

/** Name of the row of a hub object: `Kind.group:name`, and `Kind:name` for the core group. */
export function objectRowName({ kind, group, name }: NamedObject): string {
  return `${group === "" ? kind : `${kind}.${group}`}:${name}`;
}

/** Name of the row of a hub object on one cluster. */
export function placedRowName(object: NamedObject, cluster: string): string {
  return `${objectRowName(object)}:${cluster}`;
}
