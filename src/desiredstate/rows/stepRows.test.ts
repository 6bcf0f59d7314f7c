import { describe, expect, test } from "vitest";
import { defaultTerms, namespaceTerms } from "../podSecurity/index.ts";
import { app, copy, overrides, placedBy, placement, running, shanghai, targetOf } from "../testing/builders.ts";
import { inChina, rowsOf } from "../testing/steps.ts";
import type { Target } from "../types.ts";

const target = (more: Parameters<typeof targetOf>[0] = {}): Target => targetOf({ placements: [inChina], ...more });

describe("a row that makes it so", () => {
  const versionOf = (more: object) =>
    rowsOf({ target: target({ object: app({}, more), placements: [inChina] }) }).map((row) =>
      row.verb === "Apply" && "hubVersion" in row ? row.hubVersion : "none",
    );

  test("has the state of the hub that it comes from, where that is known", () => {
    expect(versionOf({ resourceVersion: "12" })).toEqual(["12", "12"]);
    expect(versionOf({})).toEqual(["none", "none"]);
  });

  test("has what was asked for where something is left to the member, and only there", () => {
    const retain = [{ kind: "Deployment", path: "spec.replicas" }];
    const to = target({
      placements: [placement("p", { clusterAffinities: [{ name: "g", clusterNames: ["shanghai-1"] }], retain })],
    });
    const rows = rowsOf({ target: to });
    expect(rows.map((row) => [row.ref.kind, "unretained" in row])).toEqual([
      ["Deployment", true],
      ["Service", false],
    ]);
    expect(rows[0]).toMatchObject({ unretained: { spec: { replicas: 2 } } });
  });

  test("of a frozen copy has the role that it has where it is rendered", () => {
    const frozen = target({
      placements: [placement("p", { suspend: true })],
      previous: running(["shanghai-1"], placedBy("p")),
    });
    expect(rowsOf({ target: frozen, observations: [copy("shanghai-1", "Service")] }).map(({ role }) => role)).toEqual([
      "rendered",
      "rendered",
    ]);
  });
});

describe("the labels of the namespace", () => {
  const restricted = { "pod-security.kubernetes.io/enforce": "restricted" };
  const labelsIn = (more: Parameters<typeof target>[0]) =>
    rowsOf({
      target: target({ clusters: [shanghai], previous: running(["shanghai-1"], placedBy("p")), ...more }),
    }).map((row) => (row.verb === "Hold" ? row.namespaceLabels : row.verb));

  test("go with the rows of what they refuse, and so does that there are none any more", () => {
    const placements = [placement("p")];
    const terms = namespaceTerms({ name: "default", labels: restricted }, false);
    expect(labelsIn({ placements, terms })).toEqual([restricted, restricted]);
    const path = "/spec/template/spec/hostNetwork";
    const debug = overrides("debug", { patches: [{ op: "add", path, value: true, kind: "Deployment" }] });
    expect(labelsIn({ placements, overrides: [debug], terms: defaultTerms("default") })).toEqual([{}, {}]);
  });

  test("stay at home while the object is suspended: nothing is written then", () => {
    const placements = [placement("p", { suspend: true })];
    const terms = namespaceTerms({ name: "default", labels: restricted }, false);
    expect(labelsIn({ placements, terms })).toEqual([undefined, undefined]);
  });
});

test("a copy that stays says what is missing, and takes for a dependency what the target renders nowhere", () => {
  const database = { apiVersion: "v1", kind: "Secret", namespace: "default", name: "database" };
  const to = target({ object: app({ envFrom: [{ secretRef: { name: "database" } }] }) });
  const [row] = rowsOf({ target: to, observations: [{ ...copy("shanghai-1", "Secret"), ref: database }] }).filter(
    ({ ref }) => ref.name === "database",
  );
  expect(row).toMatchObject({
    verb: "Hold",
    role: "dependency",
    why: {
      reason: "DependencyMissing",
      message: "Secret database is not on the hub, and the object still refers to it",
    },
  });
});
