import { FEDERATION_GROUP, type FieldProblem, fullMessage, type KubeObject } from "../../apis/index.ts";
import { compressedIn, unpackedSpec } from "../../hub/index.ts";
import { scopeProblem } from "../../desiredstate/index.ts";
import { hubKindOf, judgeManifests, titleOf, withoutDuplicates } from "../../interpreter/index.ts";
import type { AdmissionFacts } from "./types.ts";

/** Maximum number of problems or warnings in one answer. */
const MOST_TOLD = 20;

/**
 * Problems of the manifests, compressed ones too. Missing rights are not judged: the status of the bundle names them.
 */
export function judgeBundle({ spec, metadata }: KubeObject, { unpacked }: AdmissionFacts): FieldProblem[] {
  const contents = unpackedSpec(spec, unpacked.get(compressedIn(spec)));
  const problems: FieldProblem[] = [];
  for (const problem of judgeManifests(contents, metadata.namespace)) if (problems.push(problem) === MOST_TOLD) break;
  return problems;
}

/** Warnings of kinds and namespaces that the Namespace does not allow yet, and of entries with the same key. */
export function warnOfBundle(bundle: KubeObject, { namespaceTerms, unpacked }: AdmissionFacts): string[] {
  const { spec } = bundle;
  const { manifests } = unpackedSpec(spec, unpacked.get(compressedIn(spec)));
  const objects = hubKindOf(FEDERATION_GROUP, bundle.kind)?.render({ ...bundle, spec: { manifests } }) ?? [];
  const warnings: string[] = [];
  const problem = namespaceTerms === undefined ? undefined : scopeProblem(objects, namespaceTerms);
  if (problem !== undefined) warnings.push(`nothing of the bundle is sent yet: ${fullMessage(problem.message)}`);
  for (const object of objects) {
    const { notes, refusal } = withoutDuplicates(object);
    for (const note of refusal === undefined ? notes : [refusal]) warnings.push(`${titleOf(object)}: ${note}`);
    if (warnings.length >= MOST_TOLD) break;
  }
  return warnings.slice(0, MOST_TOLD);
}
