import { writeFile } from "node:fs/promises";
import type { Answer, ObjectCase, SchemaCase } from "../../src/sandbox/schema/testing/shapes.ts";
import { schemaCases } from "../../src/sandbox/schema/testing/cases.ts";
import type { KubeObject } from "../../src/sandbox/types.ts";
import { type ApiResponse, eventually, startControlPlane } from "../envtest/index.ts";

/**
 * Writes src/sandbox/schema/testdata/answers.json: what a real API server says of CRDs and of objects of them. Run it after a change of the server's version:
 * `node test/conformance/recordSchemas.ts`. Findings that a rule may cost too much are left out: the sandbox does not estimate that.
 */

interface Body {
  message?: string;
  details?: { causes?: { reason?: string; field?: string; message: string }[] };
  spec?: unknown;
}

interface Crd extends KubeObject {
  spec: { group: string; names: { plural: string; kind: string }; versions: { name: string }[] };
  status?: { conditions?: { type: string; status: string }[] };
}

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const COST = /estimated rule cost|estimated messageExpression cost|contributed to estimated/;

await using plane = await startControlPlane({ name: "schemas", controllerManager: false });
const { api } = plane;
const answers: Record<string, Answer> = {};
for (const one of schemaCases) answers[one.name] = await answerOf(one);
const file = new URL("../../src/sandbox/schema/testdata/answers.json", import.meta.url);
await writeFile(file, `${JSON.stringify(answers, undefined, 1)}\n`);

async function answerOf(one: SchemaCase): Promise<Answer> {
  if (one.old !== undefined) return updateOf(one.crd as Crd, one.old as Crd);
  if (one.objects === undefined) return withoutSpec(toAnswer(await api.request("POST", `${CRDS}?dryRun=All`, one.crd)));
  const crd = one.crd as Crd;
  const created = await api.request<Body>("POST", CRDS, crd);
  if (created.status !== 201) throw new Error(`${one.name}: ${created.body.message}`);
  const collection = await establish(crd);
  const objects: Record<string, Answer> = {};
  for (const [name, given] of Object.entries(one.objects)) objects[name] = await objectAnswer(one, collection, given);
  await remove(crd);
  return { ...withoutSpec(toAnswer(created)), objects };
}

async function updateOf(crd: Crd, old: Crd): Promise<Answer> {
  await api.create(CRDS, old);
  await establish(old);
  const stored = await api.get<Crd>(`${CRDS}/${old.metadata.name}`);
  const metadata = { ...crd.metadata, resourceVersion: stored.metadata.resourceVersion };
  const answer = await api.request<Body>("PUT", `${CRDS}/${old.metadata.name}?dryRun=All`, { ...crd, metadata });
  await remove(old);
  const { managedFields: _, ...kept } = stored.metadata;
  return { ...toAnswer(answer), stored: { ...stored, metadata: kept } };
}

/** The path of its objects, once they are served. */
async function establish({ spec, metadata }: Crd): Promise<string> {
  const path = `/apis/${spec.group}/${spec.versions[0]?.name}/namespaces/default/${spec.names.plural}`;
  await eventually(async () => {
    await api.list(path);
    const { status } = await api.get<Crd>(`${CRDS}/${metadata.name}`);
    const isThere = status?.conditions?.some((one) => one.type === "Established" && one.status === "True");
    if (isThere !== true) throw new Error(`${metadata.name} is not established`);
  });
  return path;
}

async function remove({ metadata }: Crd): Promise<void> {
  await api.delete(`${CRDS}/${metadata.name}`);
  await eventually(async () => {
    if ((await api.find(`${CRDS}/${metadata.name}`)) !== undefined) throw new Error(`${metadata.name} is still there`);
  });
}

async function objectAnswer(
  { crd, fieldValidation }: SchemaCase,
  collection: string,
  given: ObjectCase,
): Promise<Answer> {
  const { spec } = crd as Crd;
  const type = { apiVersion: `${spec.group}/${spec.versions[0]?.name}`, kind: spec.names.kind };
  const metadata = { name: "sample", ...(given.object["metadata"] as object | undefined) };
  const object = { ...type, ...given.object, metadata };
  if (given.old === undefined) {
    const query = `dryRun=All&fieldValidation=${fieldValidation ?? "Warn"}`;
    return toAnswer(await api.request<Body>("POST", `${collection}?${query}`, object));
  }
  const before = await api.create<KubeObject>(collection, { ...type, ...given.old, metadata });
  const { resourceVersion } = before.metadata;
  const update = { ...object, metadata: { ...metadata, resourceVersion } };
  const answer = toAnswer(await api.request<Body>("PUT", `${collection}/sample?dryRun=All`, update));
  await api.delete(`${collection}/sample`);
  return answer;
}

function toAnswer({ status, body }: ApiResponse<Body>): Answer {
  if (status < 300) return { status, ...(body.spec === undefined ? {} : { stored: body.spec }) };
  const causes = body.details?.causes?.filter(({ message }) => !COST.test(message));
  if (causes === undefined) return { status };
  const found = [...new Set(causes.map(({ reason = "", field = "" }) => `${reason}|${field}`))].sort();
  return found.length === 0 ? { status: 201 } : { status, causes: found };
}

/** The spec of an accepted CRD is the one that was sent. */
function withoutSpec({ stored: _, ...answer }: Answer): Answer {
  return answer;
}
