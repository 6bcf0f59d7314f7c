import { expect, test } from "vitest";
import { isOutOfContact } from "./contact.ts";

test.each<[string, Parameters<typeof isOutOfContact>[0], boolean]>([
  ["whose cluster is silent", { state: "Unknown", reason: "ClusterUnreachable" }, true],
  ["whose cluster nobody knows", { state: "Unknown", reason: "ClusterUnknown" }, true],
  ["of which nobody says how healthy it is", { state: "Unknown", reason: "HealthUnknown" }, false],
  ["without a reason", { state: "Unknown" }, false],
  ["that keeps an earlier reason, and is heard of again", { state: "Available", reason: "ClusterUnreachable" }, false],
])("whether an entry is out of contact: one %s", (_what, entry, want) => expect(isOutOfContact(entry)).toBe(want));
