import { systemClock } from "../../runtime/index.ts";
import { type CommandContext, EXIT, structured } from "../shared/index.ts";
import { eventsOf, eventsText } from "./readEvents.ts";
import { withRows } from "./rows.ts";
import type { ObjectOptions } from "./verb.ts";

/** `meridian events`: `-o json` and `-o yaml` print `{events: [...]}` with all the fields of EventReport. */
export function events(name: string, options: ObjectOptions, context: CommandContext): Promise<number> {
  return withRows(name, { ...options, source: "objects" }, context, async ({ hub, report }) => {
    const { terminal } = context;
    const found = await eventsOf(report, hub, context);
    const answer = structured({ events: found }, options.output);
    if (answer !== undefined) terminal.out(answer);
    else if (found.length > 0) terminal.out(eventsText(found, { color: terminal.color, now: systemClock.now() }));
    else terminal.err(`No Events of ${name} found: a hub keeps Events for an hour.\n`);
    return EXIT.ok;
  });
}
