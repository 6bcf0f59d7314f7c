import { firstFitting, type ObjectRef, shortName } from "../../apis/index.ts";
import type { ClusterView, RowView } from "../types.ts";

/**
 * The view with the member object's kind and name in front of each message. Without a name, a message of a bundle could
 * be about any of its manifests. `home`: the namespace that messages leave out.
 */
export function namingObjects(view: ClusterView, home: string | undefined): ClusterView {
  return { ...view, rows: view.rows.map((row) => named(row, home)) };
}

function named(row: RowView, home: string | undefined): RowView {
  const { health, failure, stays, conditions } = row;
  const say = (message: string): string => about(row.ref, home, message);
  return {
    ...row,
    ...(health?.message === undefined ? {} : { health: { ...health, message: say(health.message) } }),
    ...(failure === undefined
      ? {}
      : {
          failure: {
            ...failure,
            // A failure with shorter texts need not be cut.
            message: failure.shorter === undefined ? say(failure.message) : whole(row.ref, home, failure.message),
            ...(failure.shorter === undefined ? {} : { shorter: failure.shorter.map(say) }),
            ...(failure.detail === undefined ? {} : { detail: whole(row.ref, home, failure.detail) }),
          },
        }),
    ...(stays === undefined ? {} : { stays: { ...stays, message: say(stays.message) } }),
    ...(conditions === undefined
      ? {}
      : {
          conditions: conditions.map((condition) => ({
            ...condition,
            message: whole(row.ref, home, condition.message ?? ""),
          })),
        }),
  };
}

function about(ref: ObjectRef, home: string | undefined, message: string): string {
  return firstFitting([whole(ref, home, message), whole({ ...ref, name: shortName(ref.name, 24) }, home, message)]);
}

function whole({ kind, namespace, name }: ObjectRef, home: string | undefined, message: string): string {
  // Messages of a server have the form `widgets.example.com "first"`.
  const isNamed = message.includes(`"${name}"`) && message.toLowerCase().includes(kind.toLowerCase());
  if (isNamed || message.includes(`${kind} ${name}`)) return message;
  const place = namespace === undefined || namespace === home ? "" : `${namespace}/`;
  return message === "" ? `${kind} ${place}${name}` : `${kind} ${place}${name}: ${message}`;
}
