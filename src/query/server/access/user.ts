import { createHash } from "node:crypto";

export interface UserFacts {
  uid?: string;
  groups?: readonly string[];
  extra?: Readonly<Record<string, readonly string[]>>;
}

/** Who asks, as the hub knows him. */
export interface User extends Required<Omit<UserFacts, "uid">> {
  readonly name: string;
  readonly uid?: string;
  /** Equal only for users whom the hub gives equal rights. */
  readonly key: string;
}

export function userOf(name: string, { uid, groups = [], extra = {} }: UserFacts = {}): User {
  const all = groups.includes("system:authenticated") ? groups : [...groups, "system:authenticated"];
  const extras = Object.keys(extra).toSorted();
  const facts = [name, uid ?? null, [...new Set(all)].toSorted(), extras.map((one) => [one, extra[one]])];
  const key = createHash("sha256").update(JSON.stringify(facts)).digest("base64url");
  return { name, ...(uid === undefined ? {} : { uid }), groups: all, extra, key };
}

export function isAnonymousUser({ name, groups }: User): boolean {
  return name === "system:anonymous" || groups.includes("system:unauthenticated");
}
