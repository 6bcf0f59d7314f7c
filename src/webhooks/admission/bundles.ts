import type { FieldProblem, KubeObject } from "../../apis/index.ts";
import { compressedIn, unpackedSpec } from "../../hub/index.ts";
import { judgeManifests } from "../../interpreter/index.ts";
import type { AdmissionFacts } from "./types.ts";

/** So many are told at once. */
const MOST_TOLD = 20;

/**
 * What is wrong with the manifests of a bundle, unpacked where they are compressed. What a bundle may bring to members is not judged here: an
 * administrator may allow it later, and the status of the bundle says what is missing.
 */
export function judgeBundle({ spec, metadata }: KubeObject, { unpacked }: AdmissionFacts): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const contents = unpackedSpec(spec, unpacked.get(compressedIn(spec)));
  for (const problem of judgeManifests(contents, metadata.namespace)) {
    problems.push(problem);
    if (problems.length === MOST_TOLD) break;
  }
  return problems;
}
