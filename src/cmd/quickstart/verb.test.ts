import { describe, expect, test } from "vitest";
import { parseBasePort, parseGivenClusters, parseRegions, type QuickstartFlags, quickstartOptions } from "./options.ts";

const FLAGS: QuickstartFlags = {
  logLevel: "info",
  once: false,
  json: false,
  timeout: 120_000,
  real: false,
  keep: false,
};

describe("clusters that are there already", () => {
  test("have names, files and, where one is given, a region", () => {
    expect(parseGivenClusters("hub=a b/hub.yaml,m1=m1.yaml,m2@eu-central-1=/x/m2=2.yaml")).toEqual({
      hub: "a b/hub.yaml",
      members: [
        { name: "m1", kubeconfig: "m1.yaml" },
        { name: "m2", kubeconfig: "/x/m2=2.yaml", region: "eu-central-1" },
      ],
    });
  });

  test.each([
    { text: "hub.yaml", says: /hub=FILE,m1=FILE.*"hub.yaml" is not NAME=FILE/ },
    { text: "hub=a,m1=", says: /"m1=" is not NAME=FILE/ },
    { text: "m1=a", says: /the hub is missing/ },
    { text: "hub=a", says: /a member is missing/ },
    { text: "hub=a,hub=b,m1=c", says: /the hub is named twice/ },
    { text: "hub=a,m1=b,m1@eu=c", says: /m1 is named twice/ },
    { text: "hub=a,M1=b", says: /lower-case letters/ },
    { text: "hub=a,m1@=b", says: /at most 63/ },
  ])("are refused with a reason when they are $text", ({ text, says }) => {
    expect(() => parseGivenClusters(text)).toThrow(says);
  });

  test("come with the global --kubeconfig", () => {
    expect(quickstartOptions({ ...FLAGS, kubeconfig: "hub=a,m1=b" }).given).toEqual({
      hub: "a",
      members: [{ name: "m1", kubeconfig: "b" }],
    });
  });
});

test.each([
  { name: "--json without --once", flags: { json: true }, says: /give --once/ },
  { name: "--context", flags: { context: "kind-hub" }, says: /leave --context out/ },
  { name: "--real on given clusters", flags: { real: true, kubeconfig: "hub=a,m1=b" }, says: /^--real is for/ },
  { name: "--regions on given clusters", flags: { regions: 2, kubeconfig: "hub=a,m1=b" }, says: /^--regions is for/ },
  { name: "--port on given clusters", flags: { port: 2000, kubeconfig: "hub=a,m1=b" }, says: /^--port is for/ },
])("$name is refused", ({ flags, says }) => {
  expect(() => quickstartOptions({ ...FLAGS, ...flags })).toThrow(says);
});

test("without --kubeconfig no cluster of the person is touched", () => {
  expect(quickstartOptions(FLAGS).given).toBeUndefined();
});

test.each(["0", "-1", "all", "1.5", ""])("%j is no number of regions", (text) => {
  expect(() => parseRegions(text)).toThrow(/1 or more/);
});

test.each(["0", "65001", "http"])("%j is no first port", (text) => {
  expect(() => parseBasePort(text)).toThrow(/between 1 and 65000/);
});

test("numbers are read", () => {
  expect([parseRegions("12"), parseBasePort("20000")]).toEqual([12, 20_000]);
});
