import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { memberRights } from "../../hub/index.ts";
import { missingRights } from "./rights.ts";

const rule = (group: string, resources: string[], verbs: string[], resourceNames?: string[]) => ({
  apiGroups: [group],
  resources,
  verbs,
  ...(resourceNames === undefined ? {} : { resourceNames }),
});
const wanted = [rule("apps", ["deployments"], ["get", "create"]), rule("", ["pods"], ["list"])];

/** Every right of a member's account, as a rule of its own. */
const single = memberRights().flatMap(({ apiGroups, resources, verbs }) =>
  apiGroups.flatMap((group) => resources.flatMap((one) => verbs.map((verb) => rule(group, [one], [verb])))),
);
const textsOf = (rights: typeof single): string[] =>
  rights.flatMap((one) => missingRights([one], [])).toSorted((a, b) => (a < b ? -1 : 1));

describe("rights that an account lacks", () => {
  test.each<{ name: string; granted: ReturnType<typeof rule>[]; want: string[] }>([
    { name: "are none when everything is granted by its name", granted: wanted, want: [] },
    { name: "are none for an administrator", granted: [rule("*", ["*"], ["*"])], want: [] },
    { name: "are all without a rule", granted: [], want: ["get, create deployments.apps", "list pods"] },
    {
      name: "are named verb by verb",
      granted: [rule("apps", ["deployments"], ["get"]), rule("", ["pods"], ["*"])],
      want: ["create deployments.apps"],
    },
    {
      name: "are not granted by a rule for one object",
      granted: [rule("apps", ["*"], ["*"]), rule("", ["pods"], ["list"], ["one"])],
      want: ["list pods"],
    },
    {
      name: "are not granted in another group",
      granted: [rule("extensions", ["deployments"], ["*"]), rule("", ["pods"], ["list"])],
      want: ["get, create deployments.apps"],
    },
  ])("$name", ({ granted, want }) => expect(missingRights(wanted, granted)).toEqual(want));

  property.prop([fc.subarray(single)])("are exactly those that no rule grants", (granted) => {
    const named = missingRights(memberRights(), granted).flatMap((text) => {
      const [, verbs = "", what = ""] = /^(.*) (\S+)$/.exec(text) ?? [];
      return verbs.split(", ").map((verb) => `${verb} ${what}`);
    });
    const left = single.filter((one) => !granted.includes(one));
    expect(named.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(textsOf(left));
  });
});
