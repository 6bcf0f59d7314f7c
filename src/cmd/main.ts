#!/usr/bin/env node
// This file uses only syntax that Node 14 understands, and imports nothing before the version check. An older Node
// would fail on the syntax of the other files, with a message that helps nobody.
const NEEDED = 24;
const major = Number(process.versions.node.split(".")[0]);
if (major < NEEDED) {
  process.stderr.write(
    `meridian: this is Node ${process.versions.node}, and Meridian needs Node ${NEEDED} or newer: install that one, ` +
      "or in a clone run it by `npm run meridian -- ...`, which brings its own\n",
  );
  process.exitCode = 2;
} else {
  const { run } = await import("./run.ts");
  process.exitCode = await run();
}

export {};
