#!/usr/bin/env node
import { signalContext } from "../runtime/index.ts";
import { runCommandLine } from "./index.ts";
import { systemTerminal } from "./terminal.ts";

using interruption = signalContext();
process.exitCode = await runCommandLine(process.argv.slice(2), { terminal: systemTerminal(), signal: interruption.signal, env: process.env });
