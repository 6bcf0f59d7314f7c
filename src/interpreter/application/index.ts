/**
 * Renders a DemoApplication as a Deployment, a Service and an Ingress.
 *
 * Promises: the same application renders to the same objects, in every cluster.
 */
export { demoApplicationKind } from "./demoapplication.ts";
