import { defined } from "../../../apis/index.ts";
import { type Attributes, authorize, forbidden, type RoleSource } from "../../authorization/index.ts";
import { failure } from "../../statusError.ts";
import type { UserInfo } from "../../types.ts";

const ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;
const EXTRA = "impersonate-extra-";

/** The user after the `Impersonate-…` headers, if the caller may impersonate. Throws a StatusError 403. */
export function impersonated(
  user: UserInfo,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  roles: RoleSource,
): UserInfo {
  const name = first(headers["impersonate-user"]);
  const groups = all(headers["impersonate-group"]);
  const uid = first(headers["impersonate-uid"]);
  const extra = Object.entries(headers).filter(([header]) => header.startsWith(EXTRA));
  if (name === undefined) {
    if (groups.length === 0 && uid === undefined && extra.length === 0) return user;
    throw failure(500, "InternalError", "Internal error occurred: requested impersonation without a user name", {
      causes: [{ message: "requested impersonation without a user name" }],
    });
  }
  const account = ACCOUNT.exec(name);
  demand(
    account === null
      ? { resource: "users", name }
      : { resource: "serviceaccounts", namespace: account[1] ?? "", name: account[2] ?? "" },
  );
  for (const group of groups) demand({ resource: "groups", name: group });
  if (uid !== undefined) demand({ group: "authentication.k8s.io", resource: "uids", name: uid });
  const said: Record<string, readonly string[]> = {};
  for (const [header, values] of extra) {
    const key = decodeURIComponent(header.slice(EXTRA.length));
    said[key] = all(values);
    for (const value of said[key]) {
      demand({ group: "authentication.k8s.io", resource: "userextras", subresource: key, name: value });
    }
  }
  const own = account === null ? [] : ["system:serviceaccounts", `system:serviceaccounts:${account[1] ?? ""}`];
  return {
    name,
    ...defined({ uid }),
    groups: [...new Set([...(groups.length > 0 ? groups : own), "system:authenticated"])],
    ...(extra.length === 0 ? {} : { extra: said }),
  };

  function demand(what: { group?: string; resource: string; subresource?: string; namespace?: string; name: string }) {
    const attributes: Attributes = { kind: "Resource", verb: "impersonate", group: "", version: "v1", ...what };
    const { allowed, reason } = authorize(user, attributes, roles);
    if (!allowed) throw forbidden(user, attributes, reason);
  }
}

function all(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === "string" ? value.split(",").map((one) => one.trim()) : value;
}

function first(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.[0];
}
