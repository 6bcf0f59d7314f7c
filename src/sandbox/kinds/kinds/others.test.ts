import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../types.ts";
import { kindRules } from "../index.ts";
import { created, rulesOf, type Submission } from "../testing/objects.ts";

const object = (apiVersion: string, kind: string, fields: object = {}, name = "x"): Submission => ({
  apiVersion,
  kind,
  metadata: { name },
  ...fields,
});

describe("Events", () => {
  const { rules } = rulesOf({ apiVersion: "events.k8s.io/v1", kind: "Event" });
  const about = { kind: "Pod", name: "p", namespace: "default" };

  test("of both groups lie in one store, each field under its name of the group", () => {
    expect(rules.storedAs).toEqual({ group: "", plural: "events" });
    const core = created(
      object("v1", "Event", {
        involvedObject: about,
        message: "m",
        reason: "R",
        type: "Normal",
        count: 2,
        source: { component: "c" },
      }),
    );
    const newer = rules.convert?.(core, "events.k8s.io/v1");
    expect(newer).toMatchObject({
      regarding: about,
      note: "m",
      deprecatedCount: 2,
      deprecatedSource: { component: "c" },
    });
    expect(rules.convert?.(newer as KubeObject, "v1")).toEqual(core);
  });

  test("are found by what they are about, under either name", () => {
    const core = created(object("v1", "Event", { involvedObject: about, reason: "R" }));
    expect(kindRules("", "events").selectableFields?.(core, "v1")).toMatchObject({
      "involvedObject.name": "p",
      reason: "R",
    });
    expect(rules.selectableFields?.(core, "events.k8s.io/v1")).toMatchObject({ "regarding.name": "p", reason: "R" });
  });
});
