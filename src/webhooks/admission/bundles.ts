import type { FieldProblem, KubeObject } from "../../apis/index.ts";
import { unpackBundle } from "../../hub/index.ts";
import { judgeManifests } from "../../interpreter/index.ts";

/** So many are told at once. */
const MOST_TOLD = 20;

/**
 * What is wrong with the manifests of a bundle, unpacked where they are compressed. What a bundle may bring to members is not judged here: an
 * administrator may allow it later, and the status of the bundle says what is missing.
 */
export function judgeBundle(bundle: KubeObject): FieldProblem[] {
  const problems: FieldProblem[] = [];
  for (const problem of judgeManifests(unpackBundle(bundle["spec"]), bundle.metadata.namespace)) {
    problems.push(problem);
    if (problems.length === MOST_TOLD) break;
  }
  return problems;
}
