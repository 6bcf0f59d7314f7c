import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../envtest/index.ts";
import { OtlpRecorder } from "../envtest/otlpRecorder.ts";
import { useFederation } from "./federation.ts";
import { Reader } from "./plantedAnswers.ts";
import {
  expectArrived,
  type Fleet,
  IN_OBJECTS,
  plant,
  plantCredentials,
  plantDrift,
  VALUES,
} from "./plantedObjects.ts";
import { objectsOf, outputs } from "./plantedPlaces.ts";
import { leaks, type Place, PlantedValue } from "./plantedValues.ts";

/**
 * Distinct values in every place where a Secret enters Meridian, and then everything that a reader with all rights can
 * get. Left out, since they hold the values by their nature, and the RBAC of hub and members says who reads them: the
 * Secrets; the spec of policies, bundles and applications, which people wrote; the logs of pods; the audit log and the
 * memory of the API servers. An env value is no Secret: it stands in the application, in its workloads, and in what
 * `plan` and `explain` say of the application.
 */

const [SHANGHAI, SINGAPORE, SPARE] = ["shanghai-1", "singapore-1", "spare-1"];
const federation = useFederation({
  members: [
    { name: SHANGHAI, region: "cn-shanghai" },
    { name: SINGAPORE, region: "ap-southeast-1" },
    { name: SPARE, region: "eu-central-1", controllerManager: false },
  ],
  unjoined: [SHANGHAI, SINGAPORE, SPARE],
  joinArgs: ["--pod-logs", "--kinds", "mysqlclusters.mysql.presslabs.org"],
});

describe("a planted value is found", () => {
  const value = new PlantedValue("value");
  test.each([
    ["as it is", value.text],
    ["cut", value.text.slice(0, 14)],
    ["as JSON", JSON.stringify({ value: value.text })],
    ["in an address", `/?q=${encodeURIComponent(value.text)}`],
    ["in hex", Buffer.from(value.text).toString("hex")],
    ["in base64", value.base64],
    ["in base64, after one character", Buffer.from(`:${value.text}`).toString("base64")],
    ["in base64, after two characters", Buffer.from(`u:${value.text}`).toString("base64")],
    ["in base64url", Buffer.from(`user:${value.text}`).toString("base64url")],
    ["in base64 of base64", Buffer.from(`data: ${value.base64}`).toString("base64")],
  ])("%s", (_, text) => expect(leaks(new Map([["here", { text: `a ${text} z` }]]), [value])).toHaveLength(1));

  test("and no other one", () => {
    const place: Place = { text: new PlantedValue("other").text };
    expect(leaks(new Map([["here", place]]), [value])).toEqual([]);
  });
});

describe("a secret value, planted everywhere", () => {
  let collector: OtlpRecorder;
  let fleet: Fleet;
  let operations: string;
  let audit: string;

  beforeAll(async () => {
    collector = await OtlpRecorder.start();
    [operations, audit] = ["operations.log", "audit.log"].map((name) => join(federation.fleet.dir, name)) as [
      string,
      string,
    ];
    await federation.manager.stop();
    await federation.startManager({
      args: [
        ...["--query-members", "--log-level", "debug", "--operations-log", operations, "--audit-log", audit],
        ...["--otlp-endpoint", collector.url, "--otlp-metric-interval", "1s", "--trace-ratio", "1"],
      ],
    });
    for (const name of [SHANGHAI, SINGAPORE]) await federation.join(federation.member(name));
    const namespace = await federation.namespace();
    fleet = { federation, namespace, open: SHANGHAI, strict: SINGAPORE, broken: SPARE };
    await plant(fleet);
    await federation.untilEntry(namespace, "shop", SHANGHAI, { state: "Available" });
    await federation.untilEntry(namespace, "shop", SINGAPORE, { state: "Failed" });
    await expectArrived(fleet);
    await plantCredentials(fleet);
    await plantDrift(fleet);
  });
  afterAll(() => collector?.[Symbol.asyncDispose]());

  test("is in nothing that Meridian says", async () => {
    const { manager, api, hub, fleet: machines } = federation;
    const reader = new Reader(manager.url, hub.adminToken);
    await reader.readAll();
    const places = new Map<string, Place>();
    for (const [path, text] of reader.answers)
      places.set(path, { text, own: path.includes(VALUES.address.text) ? [VALUES.address] : IN_OBJECTS });
    for (const [line, place] of await outputs(hub, machines.dir, fleet.namespace)) places.set(line, place);
    for (const [path, text] of await objectsOf(api)) places.set(`the hub's ${path}`, { text });
    for (const name of [SHANGHAI, SINGAPORE])
      for (const [path, text] of await objectsOf(federation.memberApi(name)))
        places.set(`${path} of ${name}`, { text, own: IN_OBJECTS });
    await eventually(async () => expect(await manager.log()).toContain("CredentialsRejected"));
    places.set("the log", { text: await manager.log() });
    places.set("the operations log", { text: await readFile(operations, "utf8") });
    places.set("the audit log", { text: await readFile(audit, "utf8") });
    places.set("/metrics", { text: await manager.metricsText() });
    await eventually(() => {
      expect(collector.named("SyncSecret").length).toBeGreaterThan(0);
      expect([...collector.others.keys()].toSorted()).toEqual(["POST /v1/logs", "POST /v1/metrics"]);
    });
    for (const [call, bodies] of collector.others) places.set(`the collector's ${call}`, { text: bodies.join("\n") });
    const printed = JSON.stringify(collector.spans, (_, value: unknown) =>
      typeof value === "bigint" ? `${value}` : value,
    );
    places.set("the collector's traces", { text: printed });

    for (const [name, { text }] of places) expect(text.length, name).toBeGreaterThan(1);
    // Words that show that the collection has read what it should.
    for (const name of [
      "the log",
      "the operations log",
      "the audit log",
      "the collector's traces",
      "the support bundle",
    ])
      expect(places.get(name)?.text, name).toContain(fleet.namespace);
    expect(leaks(places, Object.values(VALUES))).toEqual([]);
    const tokens = [hub.adminToken, federation.member(SHANGHAI).plane.adminToken];
    for (const [name, { text }] of places)
      for (const token of tokens) expect(text.includes(token), `${name} has a token`).toBe(false);
  });
});
