import { execFileSync } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { DEMOAPPLICATIONS, EVENTS, MEMBERCLUSTERS } from "../../runtime/index.ts";
import { condition, SandboxHub } from "../testing/sandboxHub.ts";
import { HiddenValues, MASKED, maskedObject } from "./masking.ts";
import { tarOf } from "./tar.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** Stands for a secret in every place that carries values. */
const PLANTED = "hunter2 of-the-planted/value";
const ENCODED = Buffer.from(PLANTED).toString("base64");
const TOKEN = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.c2lnbmF0dXJl";
const SAID = `admission denied: DB_PASSWORD=${PLANTED} is weak; Authorization: Bearer ${TOKEN}`;

const APP = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" };
const SECRET = { apiVersion: "v1", kind: "Secret", metadata: { name: "keys", namespace: "shop" } };
const OF_GROUP = "federation.paas.cmft.com/v1alpha1";

const app: KubeObject = {
  ...APP,
  metadata: {
    name: "web",
    namespace: "shop",
    annotations: {
      "example.com/password": PLANTED,
      "federation.paas.cmft.com/controller-class": "default",
      "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify({
        spec: { env: [{ name: "OLD", value: `${PLANTED} of before` }] },
      }),
    },
  },
  spec: { image: "nginx", env: [{ name: "DB_PASSWORD", value: PLANTED }], args: [`--password=${PLANTED}`] },
};
const bundle = (name: string, spec: object): KubeObject => ({
  apiVersion: OF_GROUP,
  kind: "ManifestBundle",
  metadata: { name, namespace: "shop" },
  spec,
});
const override: KubeObject = {
  apiVersion: OF_GROUP,
  kind: "OverridePolicy",
  metadata: { name: "passwords", namespace: "shop" },
  spec: {
    resourceSelectors: [{ ...APP, name: "web" }],
    rules: [
      { targetClusters: {}, env: [{ name: "DB_PASSWORD", value: PLANTED }] },
      { targetClusters: {}, patches: [{ op: "add", path: "/metadata/annotations/x", value: PLANTED }] },
      { targetClusters: {}, annotations: { "example.com/password": PLANTED } },
    ],
  },
};

let fleet: SandboxHub;

beforeAll(async () => {
  fleet = await SandboxHub.start();
  await fleet.join("m1");
  await fleet.makeNamespaces("shop");
  await fleet.make({ ...SECRET, data: { password: ENCODED } });
  await fleet.make(app);
  await fleet.make(bundle("listed", { manifests: [{ ...SECRET, data: { password: ENCODED } }] }));
  const compressed = gzipSync(JSON.stringify([{ ...SECRET, stringData: { password: PLANTED } }])).toString("base64");
  await fleet.make(bundle("packed", { compressed }));
  await fleet.make(override);
  await fleet.report(DEMOAPPLICATIONS, "shop", "web", {
    observedGeneration: 1,
    conditions: [condition("Applied", "False", "AdmissionDenied", SAID.slice(0, 120))],
    clusters: [
      {
        name: "m1",
        state: "Failed",
        reason: "AdmissionDenied",
        message: SAID,
        replicas: { desired: 1, updated: 0, ready: 0, available: 0 },
      },
    ],
  });
  await fleet.report(MEMBERCLUSTERS, undefined, "m1", {
    conditions: [condition("Ready", "False", "ClusterUnreachable", SAID.slice(0, 120))],
  });
  await fleet.admin.client.create(EVENTS, {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name: "web.1", namespace: "shop" },
    eventTime: "2026-11-21T08:25:00.000000Z",
    reportingController: "paas.cmft.com/meridian",
    reportingInstance: "a",
    action: "Apply",
    reason: "AdmissionDenied",
    regarding: { ...APP, name: "web", namespace: "shop" },
    type: "Warning",
    note: SAID,
  });
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

const filesIn = (path: string): string[] =>
  execFileSync("tar", ["-tzf", path], { encoding: "utf8" }).trim().split("\n");

test("the file has what helps, and no secret that was planted anywhere", async () => {
  const path = fleet.file("support.tar.gz");
  const { code, out, err } = await fleet.run(`support-bundle -o ${path}`);
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("support.tar.gz is written.") });
  const names = filesIn(path).map((name) => name.replace("meridian-support/", ""));
  expect(names).toEqual(
    expect.arrayContaining([
      ...["contents.txt", "versions.yaml", "status.txt", "events.yaml", "hub/demoapplications.yaml"],
      ...["hub/memberclusters.yaml", "hub/manifestbundles.yaml", "hub/overridepolicies.yaml"],
    ]),
  );
  for (const name of names) if (name !== "contents.txt") expect(out).toContain(`${name}   `);
  expect(out).toContain("metrics and transitions: no manager holds the Lease meridian-system/meridian");
  const text = gunzipSync(await readFile(path)).toString("utf8");
  for (const secret of [PLANTED, ENCODED.replace(/=+$/, ""), TOKEN, "hunter2"]) expect(text).not.toContain(secret);
  expect(text).toContain("AdmissionDenied");
  expect(text).toContain(`name: DB_PASSWORD`);
  expect(text).toContain("federation.paas.cmft.com/controller-class: default");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("a file that is there stays", async () => {
  const path = await fleet.fileOf();
  expect(await fleet.run(`support-bundle -o ${path}`)).toMatchObject({
    code: 2,
    err: expect.stringContaining("is there already: name another file with -o"),
  });
});

test("what the rights do not show is named", async () => {
  const rules = [{ apiGroups: ["paas.cmft.com"], resources: ["demoapplications"], verbs: ["list"] }];
  const file = await fleet.account("reader", "shop", rules);
  const { code, out } = await fleet.run(`support-bundle -o ${fleet.file("little.tar.gz")}`, file);
  expect(code).toBe(0);
  expect(out).toContain("  hub/memberclusters.yaml: you may not list memberclusters");
});

test.each([
  {
    name: "a value of env",
    field: { env: [{ name: "A", value: PLANTED }] },
    want: { env: [{ name: "A", value: MASKED }] },
  },
  {
    name: "a reference stays",
    field: { env: [{ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }] },
    want: { env: [{ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }] },
  },
  { name: "env that is no list", field: { env: { A: PLANTED } }, want: { env: MASKED } },
  { name: "arguments", field: { args: ["-p", PLANTED] }, want: { args: MASKED } },
  {
    name: "headers of a probe",
    field: { httpHeaders: [{ name: "a", value: PLANTED }] },
    want: { httpHeaders: MASKED },
  },
  { name: "a selector stays", field: { values: ["eu-1"] }, want: { values: ["eu-1"] } },
])("masking: $name", ({ field, want }) => {
  const hidden = new HiddenValues();
  const object = { ...APP, metadata: { name: "a" }, spec: { deep: [field] } };
  expect(maskedObject(object, hidden)["spec"]).toEqual({ deep: [want] });
});

test.each([
  { name: "the value itself", value: "hunter2hunter2", text: "a hunter2hunter2 b", want: `a ${MASKED} b` },
  { name: "a password in an address", value: "pg://u:hunter2x@h/db", text: "no hunter2x", want: `no ${MASKED}` },
  { name: "what a flag is given", value: "--token=hunter2x", text: "no hunter2x", want: `no ${MASKED}` },
  { name: "a line of a text", value: "first line\nsecond line", text: "at second line", want: `at ${MASKED}` },
  { name: "the longest value first", value: ["hunter2", "hunter2hunter2"], text: "hunter2hunter2", want: MASKED },
  { name: "no short word", value: "true", text: "it is true", want: "it is true" },
  { name: "no name of an object", value: "default", text: "in default", want: "in default" },
])("texts are without $name", ({ value, text, want }) => {
  const hidden = new HiddenValues();
  hidden.addName("default");
  hidden.add(value);
  expect(hidden.scrub(text)).toBe(want);
});

test("an archive has whole blocks, and names that are too long are refused", () => {
  const archive = tarOf([{ name: "a.txt", text: "x".repeat(513) }], 0);
  expect(archive.length).toBe(512 + 1_024 + 1_024);
  expect(() => tarOf([{ name: "x".repeat(101), text: "" }], 0)).toThrow(RangeError);
});
