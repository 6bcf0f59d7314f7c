/**
 * A post-renderer of helm for clusters without a network of Services: API servers are to call the chart's webhooks at the address in the
 * first argument. Everything else passes as it is.
 */
import { text } from "node:stream/consumers";
import { stringify } from "yaml";
import { objectsIn } from "./chart.ts";

const [address = ""] = process.argv.slice(2);

interface Caller {
  clientConfig: { service?: { path: string }; url?: string };
}

function lead(caller: Caller | undefined): void {
  const path = caller?.clientConfig.service?.path;
  if (caller === undefined || path === undefined) return;
  caller.clientConfig = { url: `${address}${path}` };
}

const objects = objectsIn(await text(process.stdin));
for (const object of objects) {
  for (const webhook of (object["webhooks"] ?? []) as Caller[]) lead(webhook);
  lead((object.spec?.["conversion"] as { webhook?: Caller } | undefined)?.webhook);
}
process.stdout.write(objects.map((object) => stringify(object, { aliasDuplicateObjects: false })).join("---\n"));
