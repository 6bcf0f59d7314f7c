import { firstFitting, type ObjectRef, shortName } from "../../apis/index.ts";
import type { ClusterView, RowView } from "../types.ts";

/**
 * The view with the member object's kind and name before whatever is said of it: of an object that stands for many others nobody would know
 * which one is meant. `home` is the namespace that goes without saying.
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
            // What can be said in fewer words need not be cut.
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
  // A server says `widgets.example.com "first"`.
  const isNamed = message.includes(`"${name}"`) && message.toLowerCase().includes(kind.toLowerCase());
  if (isNamed || message.includes(`${kind} ${name}`)) return message;
  const place = namespace === undefined || namespace === home ? "" : `${namespace}/`;
  return message === "" ? `${kind} ${place}${name}` : `${kind} ${place}${name}: ${message}`;
}
