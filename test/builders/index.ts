/**
 * Objects for tests in the words of the domain: `demoApplication("shop").replica(4).port(80).object()`. Builders are immutable; nothing
 * here talks to a cluster.
 */
export * from "./bundle.ts";
export * from "./demoApplication.ts";
export * from "./memberCluster.ts";
export * from "./overridePolicy.ts";
export * from "./placement.ts";
