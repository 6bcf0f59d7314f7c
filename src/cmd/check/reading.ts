import type { KubeObject } from "../../apis/index.ts";
import type { ResourceType } from "../../runtime/index.ts";
import { HubReader, type ReadOptions, within } from "../shared/index.ts";
import { type CheckResult, Checking, HUB } from "./result.ts";

/** Reads facts with the person's rights, and remembers each right that is missing. */
export class PreflightReader extends HubReader {
  /** The right, as `list deployments.apps in namespace NAME`, and what is not known without it. */
  readonly #missing = new Map<string, string>();

  /** Undefined if the rights do not show the objects; none of a kind that the hub does not serve. */
  async shown(type: ResourceType, unknown: string, options: ReadOptions = {}): Promise<KubeObject[] | undefined> {
    const listed = await this.list(type, options);
    if (listed === "NotServed") return [];
    if (listed !== "Denied") return listed;
    this.#note("list", type, options.namespace, unknown);
    return undefined;
  }

  /** Undefined if there is no such object. */
  async shownOne(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    unknown: string,
  ): Promise<KubeObject | "NotShown" | undefined> {
    const found = await this.findReadable(type, namespace, name);
    if (found !== "Denied") return found;
    this.#note("get", type, namespace, unknown);
    return "NotShown";
  }

  noteMissing(right: string, unknown: string): void {
    if (!this.#missing.has(right)) this.#missing.set(right, unknown);
  }

  #note(verb: string, { plural, group }: ResourceType, namespace: string | undefined, unknown: string): void {
    this.noteMissing(`${verb} ${plural}${group === "" ? "" : `.${group}`}${within(namespace)}`, unknown);
  }

  /** The rights that this run lacked. */
  rights(): CheckResult {
    const checking = new Checking("Rights", HUB);
    for (const [right, unknown] of this.#missing)
      checking.warning(
        "RightMissing",
        `you may not ${right} on the hub, so ${unknown} is not known`,
        `ask the hub's administrator for the right to ${right}, or run check as somebody who has it`,
      );
    const { size } = this.#missing;
    return checking.result(size === 0 ? "yours show all that is checked" : `yours do not show all that is checked`);
  }
}
