/**
 * undici's Agent alone. The whole package also loads fetch, WebSocket, caches and proxies: 13 MB and 50 ms that a
 * controller never uses.
 */
declare module "undici/lib/dispatcher/agent.js" {
  import { Agent } from "undici";
  export default Agent;
}
