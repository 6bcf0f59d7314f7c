import { defined } from "../../apis/index.ts";
import { validateAnnotations, validateLabels } from "../kinds/index.ts";
import type { KubeObject, Resource } from "../types.ts";
import type { WebhookCaller } from "./caller.ts";
import { bareFailure, WebhookCallError } from "./errors.ts";
import { targetOf } from "./target.ts";
import type { AdmissionEnvironment, ClientConfig } from "./types.ts";

/** The API server's timeout. */
const TIMEOUT_SECONDS = 30;

interface WebhookConversion {
  clientConfig: ClientConfig;
  conversionReviewVersions?: readonly string[];
}

/** Calls the conversion webhook of the CRD; keeps the order. Throws a StatusError 500 when the webhook fails. */
export async function convertByWebhook(
  resource: Resource,
  objects: readonly KubeObject[],
  version: string,
  caller: WebhookCaller,
  environment: Pick<AdmissionEnvironment, "service" | "newUid">,
): Promise<KubeObject[]> {
  const desired = `${resource.group}/${version}`;
  const foreign = objects.filter(({ apiVersion }) => apiVersion !== desired);
  const [first] = foreign;
  if (first === undefined) return [...objects];
  const fail = (what: string) =>
    bareFailure(500, `conversion webhook for ${first.apiVersion}, Kind=${resource.kind} ${what}`);
  const answer = await ask(resource, foreign, desired, caller, environment).catch((error: unknown) => {
    if (error instanceof WebhookCallError) throw fail(`failed: ${error.message}`);
    throw error;
  });
  if (answer.length !== foreign.length) {
    throw fail(`returned ${answer.length} objects, expected ${foreign.length}`);
  }
  let next = 0;
  return objects.map((object) => {
    if (object.apiVersion === desired) return object;
    const index = next++;
    return restored(object, answer[index], index, desired, fail);
  });
}

async function ask(
  resource: Resource,
  objects: readonly KubeObject[],
  desiredAPIVersion: string,
  caller: WebhookCaller,
  environment: Pick<AdmissionEnvironment, "service" | "newUid">,
): Promise<readonly unknown[]> {
  const { clientConfig } = conversionOf(resource);
  const uid = environment.newUid();
  const review = {
    kind: "ConversionReview",
    apiVersion: "apiextensions.k8s.io/v1",
    request: { uid, desiredAPIVersion, objects },
    response: { uid: "", convertedObjects: null, result: { metadata: {} } },
  };
  const target = targetOf(clientConfig, TIMEOUT_SECONDS, environment);
  const answer = await caller.post(target, review, TIMEOUT_SECONDS, undefined);
  return convertedObjects(answer, uid);
}

function conversionOf({ crd, plural, group }: Resource): WebhookConversion {
  const spec = crd?.["spec"] as { conversion?: { webhook?: WebhookConversion } } | undefined;
  const webhook = spec?.conversion?.webhook;
  if (webhook === undefined) throw new WebhookCallError(`${plural}.${group} declares no conversion webhook`);
  return webhook;
}

function convertedObjects(answer: unknown, uid: string): readonly unknown[] {
  const { response, apiVersion, kind } = answer as {
    apiVersion?: string;
    kind?: string;
    response?: {
      uid?: string;
      convertedObjects?: unknown[] | null;
      result?: { status?: string; message?: string };
    } | null;
  };
  if (apiVersion === undefined && kind === undefined) {
    const expected = "apiextensions.k8s.io/v1, Kind=ConversionReview";
    throw new WebhookCallError(`expected webhook response of ${expected}, got /, Kind=`);
  }
  if (response === undefined || response === null) throw new WebhookCallError("no response provided");
  if (response.uid !== uid) {
    throw new WebhookCallError(
      `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? "")}`,
    );
  }
  const { status = "", message = "" } = response.result ?? {};
  if (status !== "Success") {
    throw new WebhookCallError(message === "" ? `response.result.status was '${status}', not 'Success'` : message);
  }
  return response.convertedObjects ?? [];
}

/** The converted object with the original's metadata. Only labels and annotations may change. */
function restored(
  original: KubeObject,
  converted: unknown,
  index: number,
  desired: string,
  fail: (what: string) => Error,
): KubeObject {
  const object = (typeof converted === "object" && converted !== null ? converted : {}) as Partial<KubeObject>;
  const { apiVersion = "", kind = "", metadata } = object;
  const at = `returned invalid object at index ${index}`;
  if (apiVersion !== desired) throw fail(`${at}: invalid groupVersion (expected ${desired}, received ${apiVersion})`);
  if (kind !== original.kind) throw fail(`${at}: invalid kind (expected ${original.kind}, received ${kind})`);
  for (const field of ["name", "namespace", "uid"] as const) {
    const [own, other] = [original.metadata[field] ?? "", metadata?.[field] ?? ""];
    if (own !== other)
      throw fail(`returned invalid object: must have the same ${field === "uid" ? "UID" : field}: ${own} != ${other}`);
  }
  const { labels, annotations } = metadata ?? {};
  const errors = [
    ...validateLabels(labels, "metadata.labels"),
    ...validateAnnotations(annotations, "metadata.annotations"),
  ];
  const [error] = errors;
  if (error !== undefined) throw fail(`returned invalid metadata: ${error.field}: ${error.message}`);
  const { labels: _labels, annotations: _annotations, ...kept } = original.metadata;
  return {
    ...object,
    apiVersion,
    kind,
    metadata: {
      ...kept,
      ...defined({ labels, annotations }),
    },
  };
}
