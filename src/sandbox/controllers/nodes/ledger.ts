import type { KubeObject } from "../../../apis/index.ts";
import type { WatchEvent } from "../../types.ts";
import { isFinished, type Pod } from "../shared/index.ts";
import { NO_USAGE, plus, requestsOf, type Usage } from "./placement.ts";

/** The resources that pods use on each node, updated by pod events. */
export class Ledger {
  readonly #used = new Map<string, Usage>();

  used(node: string): Usage {
    return this.#used.get(node) ?? NO_USAGE;
  }

  /** Returns true if the event freed resources. */
  take({ type, object }: WatchEvent, old: KubeObject | undefined): boolean {
    const before = nodeOf(type === "DELETED" ? (old ?? object) : type === "ADDED" ? undefined : old);
    const after = type === "DELETED" ? undefined : nodeOf(object);
    if (before === after && object.metadata.generation === old?.metadata.generation) return false;
    if (before !== undefined) this.add(before, requestsOf(((old ?? object) as Pod).spec), -1);
    if (after !== undefined) this.add(after, requestsOf((object as Pod).spec));
    return before !== undefined;
  }

  add(node: string, usage: Usage, sign: 1 | -1 = 1): void {
    const total = plus(this.used(node), usage, sign);
    if (total.pods <= 0) this.#used.delete(node);
    else this.#used.set(node, total);
  }
}

function nodeOf(object: KubeObject | undefined): string | undefined {
  const pod = object as Pod | undefined;
  return pod === undefined || isFinished(pod) ? undefined : pod.spec.nodeName;
}
