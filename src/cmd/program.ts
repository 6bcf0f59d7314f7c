import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { analyze } from "./analyze/verb.ts";
import { createBundle } from "./bundle/verb.ts";
import { check } from "./check/verb.ts";
import { completion } from "./completion/verb.ts";
import { cordon, drain, uncordon } from "./cordon/verb.ts";
import { explain } from "./explain/verb.ts";
import * as inspect from "./inspect/verb.ts";
import { install } from "./install/verb.ts";
import { manager } from "./manager/verb.ts";
import { join, unjoin } from "./member/verb.ts";
import { plan } from "./plan/verb.ts";
import { loadQuickstart } from "./quickstart/load.ts";
import { quickstart } from "./quickstart/verb.ts";
import * as rollout from "./rollout/verb.ts";
import { type CommandContext, emptyProgram, EXIT, printVersion, type Verb, version, VERSION } from "./shared/index.ts";
import { status } from "./status/verb.ts";
import { supportBundle } from "./support/verb.ts";
import { uninstall } from "./uninstall/verb.ts";

/** Unless it was started under another name. */
export const PROGRAM = "meridian";

/** Carries out or records a call. `work` returns the exit code. */
export type Act = (verb: string, given: readonly unknown[], work: () => Promise<number>) => Promise<void>;

/** Every verb with its implementation, which is loaded when the verb is called. */
export function createProgram(context: CommandContext, act: Act): CommandUnknownOpts {
  const program = emptyProgram(context.program ?? PROGRAM)
    .version(VERSION)
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.terminal.out(text),
      writeErr: (text) => context.terminal.err(text),
      outputError: () => undefined,
    });
  const group = (name: string, summary: string) => program.command(name).description(summary);
  const on = <A extends unknown[], O>(
    verb: Verb<A, O>,
    run: (...given: [...A, O, CommandContext]) => Promise<number>,
    parent: CommandUnknownOpts = program,
  ): void => {
    const name = parent === program ? verb.name : `${parent.name()} ${verb.name}`;
    verb.addTo(parent, (given) => act(name, given, () => run(...given, context)));
  };
  on(manager, async (options, { signal }) => (await import("./manager/index.ts")).runManager(options, signal));
  on(install, async (...given) => (await import("./install/index.ts")).install(...given));
  on(uninstall, async (...given) => (await import("./uninstall/index.ts")).uninstall(...given));
  on(join, async (...given) => (await import("./member/index.ts")).join(...given));
  on(unjoin, async (...given) => (await import("./member/index.ts")).unjoin(...given));
  on(cordon, async (...given) => (await import("./cordon/index.ts")).cordon(...given));
  on(uncordon, async (...given) => (await import("./cordon/index.ts")).uncordon(...given));
  on(drain, async (...given) => (await import("./cordon/index.ts")).drain(...given));
  const ofRollout = group("rollout", "shows and steers the rollout of a change, stage by stage");
  on(rollout.status, async (...given) => (await import("./rollout/index.ts")).status(...given), ofRollout);
  on(rollout.history, async (...given) => (await import("./rollout/index.ts")).history(...given), ofRollout);
  on(rollout.pause, async (...given) => (await import("./rollout/index.ts")).pause(...given), ofRollout);
  on(rollout.resume, async (...given) => (await import("./rollout/index.ts")).resume(...given), ofRollout);
  on(rollout.approve, async (...given) => (await import("./rollout/index.ts")).approve(...given), ofRollout);
  on(rollout.abort, async (...given) => (await import("./rollout/index.ts")).abort(...given), ofRollout);
  on(rollout.undo, async (...given) => (await import("./rollout/index.ts")).undo(...given), ofRollout);
  const ofBundle = group("bundle", "makes bundles: a bundle is one hub object that carries an operator's manifests");
  on(createBundle, async (...given) => (await import("./bundle/index.ts")).createBundle(...given), ofBundle);
  on(status, async (...given) => (await import("./status/index.ts")).status(...given));
  on(inspect.get, async (...given) => (await import("./inspect/index.ts")).get(...given));
  on(inspect.describe, async (...given) => (await import("./inspect/index.ts")).describe(...given));
  on(inspect.why, async (...given) => (await import("./inspect/index.ts")).why(...given));
  on(inspect.tree, async (...given) => (await import("./inspect/index.ts")).tree(...given));
  on(inspect.events, async (...given) => (await import("./inspect/index.ts")).events(...given));
  on(inspect.timeline, async (...given) => (await import("./inspect/index.ts")).timeline(...given));
  on(inspect.logs, async (...given) => (await import("./inspect/index.ts")).logs(...given));
  on(check, async (...given) => (await import("./check/index.ts")).check(...given));
  on(supportBundle, async (...given) => (await import("./support/index.ts")).supportBundle(...given));
  on(plan, async (...given) => (await import("./plan/index.ts")).plan(...given));
  on(analyze, async (...given) => (await import("./analyze/index.ts")).analyze(...given));
  on(explain, async (...given) => (await import("./explain/index.ts")).explain(...given));
  on(quickstart, async (...given) => (await loadQuickstart()).runQuickstart(...given));
  on(version, async (options, { terminal }) => printVersion(options, terminal));
  on(completion, async (shell, _, { terminal }) => {
    terminal.out((await import("./completion/index.ts")).completionScript(shell));
    return EXIT.ok;
  });
  return program;
}
