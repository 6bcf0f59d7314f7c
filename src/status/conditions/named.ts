import { fullMessage, type Message, type ObjectRef, prefixed } from "../../apis/index.ts";
import type { ClusterView, RowView } from "../types.ts";

/** The view with the member object's name in each message of a bundle. `home`: the namespace that is left out. */
export function namingObjects(view: ClusterView, home: string | undefined): ClusterView {
  return { ...view, rows: view.rows.map((row) => named(row, home)) };
}

function named(row: RowView, home: string | undefined): RowView {
  const { health, failure, stays, conditions } = row;
  const named = <T extends { message: Message }>(why: T): T => ({ ...why, message: about(row.ref, home, why.message) });
  return {
    ...row,
    ...(health?.message === undefined
      ? {}
      : { health: { ...health, message: fullMessage(about(row.ref, home, health.message)) } }),
    ...(failure === undefined ? {} : { failure: named(failure) }),
    ...(stays === undefined ? {} : { stays: named(stays) }),
    ...(conditions === undefined
      ? {}
      : {
          conditions: conditions.map((condition) => ({
            ...condition,
            message: fullMessage(about(row.ref, home, condition.message ?? "")),
          })),
        }),
  };
}

function about({ kind, namespace, name }: ObjectRef, home: string | undefined, message: Message): Message {
  const text = fullMessage(message);
  // Messages of a server have the form `widgets.example.com "first"`.
  const isNamed = text.includes(`"${name}"`) && text.toLowerCase().includes(kind.toLowerCase());
  if (isNamed || text.includes(`${kind} ${name}`)) return message;
  const place = namespace === undefined || namespace === home ? "" : `${namespace}/`;
  return text === "" ? `${kind} ${place}${name}` : prefixed(`${kind} ${place}${name}: `, message);
}
