import { expect, test } from "vitest";
import { canonicalJson, type KubeObject } from "../../apis/index.ts";
import { madeOfRevision, revisionOf } from "./revision.ts";
import { computeTarget } from "./target.ts";
import { app, hub, NOW, placement, shanghai, snapshot } from "../testing/builders.ts";
import type { RevisionContent } from "./revision.ts";

const DATABASE = "/Secret/default/database";
const secret: KubeObject = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "database", namespace: "default" },
  data: { password: "c2VjcmV0" },
};

function contentOf(spec: object, isReadable: boolean, last?: RevisionContent): RevisionContent | undefined {
  const policy = placement("p", { rollout: {} });
  const given = snapshot({
    object: app({ envFrom: [{ secretRef: { name: "database" } }], ...spec }),
    clusters: [shanghai, hub],
    placements: [policy],
    ...(isReadable ? { dependencies: new Map([[DATABASE, secret]]) } : { unreadable: new Set([DATABASE]) }),
  });
  return revisionOf(given, computeTarget(given, NOW), policy, last);
}

const hashed = (content: RevisionContent | undefined) => content && canonicalJson(madeOfRevision(content));

test("a dependency that may not be read any more counts as what it was: the revision stays, and a change of the object is another one", () => {
  const last = contentOf({}, true);
  expect(hashed(last)).toMatch(/./);
  expect(hashed(contentOf({}, false, last))).toBe(hashed(last));
  const changed = contentOf({ image: "nginx:2" }, false, last);
  expect(changed?.dependencyHashes).toEqual(last?.dependencyHashes);
  expect(hashed(changed)).not.toBe(hashed(last));
  expect(hashed(changed)).toBe(hashed(contentOf({ image: "nginx:2" }, true)));
});

test("what never could be read is no revision", () => {
  expect(contentOf({}, false)).toBeUndefined();
});
