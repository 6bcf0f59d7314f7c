import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { loadCrds } from "../shared/index.ts";
import { checkDefinitions } from "./definitions.ts";

const shipped = await loadCrds();
const APPLICATIONS = "demoapplications.paas.cmft.com";

interface Crd extends KubeObject {
  spec: { versions: { name: string; storage: boolean; schema: { openAPIV3Schema: Schema } }[] };
  status: object;
}
interface Schema {
  properties: Record<string, Schema>;
}

/** The definitions as a server has them, changed in one of them. */
function live(change: (crd: Crd) => void = () => undefined, of = APPLICATIONS): Map<string, KubeObject> {
  return new Map(
    shipped.map((crd) => {
      const copy = structuredClone(crd) as Crd;
      const stored = copy.spec.versions.filter(({ storage }) => storage).map(({ name }) => name);
      copy.status = { conditions: [{ type: "Established", status: "True" }], storedVersions: stored };
      if (copy.metadata.name === of) change(copy);
      return [copy.metadata.name, copy];
    }),
  );
}
const without = (name: string): Map<string, KubeObject> => {
  const all = live();
  all.delete(name);
  return all;
};

describe("the kinds on the hub", () => {
  test.each<{ name: string; there: Map<string, KubeObject>; codes: string[]; says?: string }>([
    { name: "are fine as this version brings them", there: live(), codes: [] },
    { name: "are not installed when there is none", there: new Map(), codes: ["NotInstalled"] },
    {
      name: "are named when one is missing",
      there: without(APPLICATIONS),
      codes: ["DefinitionMissing"],
      says: `the hub lacks ${APPLICATIONS}`,
    },
    {
      name: "are not served before the server says so",
      there: live((crd) => (crd.status = { conditions: null, storedVersions: null })),
      codes: ["DefinitionNotServed"],
    },
    {
      name: "are not served when another kind has their names",
      there: live((crd) => {
        const taken = { type: "NamesAccepted", status: "False", message: "the name da is taken" };
        crd.status = { conditions: [taken], storedVersions: ["v1"] };
      }),
      codes: ["NamesTaken"],
      says: "the name da is taken",
    },
    {
      name: "go away while they are being deleted",
      there: live((crd) => (crd.metadata = { ...crd.metadata, deletionTimestamp: "2026-11-28T08:00:00Z" })),
      codes: ["DefinitionDeleting"],
    },
    {
      name: "lack a version of an older installation",
      there: live((crd) => (crd.spec.versions = crd.spec.versions.filter(({ storage }) => storage))),
      codes: ["VersionMissing"],
      says: "v1beta1",
    },
    {
      name: "lack a field of an older installation, which is named",
      there: live((crd) => {
        for (const { schema } of crd.spec.versions)
          delete schema.openAPIV3Schema.properties["spec"]?.properties["replica"];
      }),
      codes: ["DefinitionIncomplete"],
      says: "lacks spec.replica",
    },
    {
      name: "may have objects in an earlier version",
      there: live((crd) => (crd.status = { ...crd.status, storedVersions: ["v1beta1", "v1"] })),
      codes: ["StoredVersions"],
      says: "v1beta1",
    },
    {
      name: "store objects in another version",
      there: live((crd) => {
        for (const version of crd.spec.versions) version.storage = !version.storage;
        crd.status = { ...crd.status, storedVersions: ["v1beta1"] };
      }),
      codes: ["StorageVersion"],
    },
  ])("$name", ({ there, codes, says = "" }) => {
    const { findings, result } = checkDefinitions(shipped, there);
    expect(findings.map(({ code }) => code)).toEqual(codes);
    expect(result).toBe(codes.length === 0 ? "Fine" : "Found");
    expect(findings.map(({ what }) => what).join()).toContain(says);
    for (const { remedy, where } of findings) expect([remedy.length > 10, where]).toEqual([true, "hub"]);
  });

  test("may have more fields than this program knows", () => {
    const there = live((crd) => {
      for (const { schema } of crd.spec.versions) schema.openAPIV3Schema.properties["later"] = { properties: {} };
    });
    expect(checkDefinitions(shipped, there).findings).toEqual([]);
  });
});
