import type { KubeObject } from "../../src/apis/index.ts";

/** An object that must be refused, and the field that the message must name. */
export type BadRow = readonly [name: string, object: KubeObject, field: string];
