/** Builds promtool into the cache, where the tests of metrics and alerts find it from then on. */
import { promtoolBuilt } from "./promtool.ts";

console.log(`promtool is ${await promtoolBuilt()}`);
